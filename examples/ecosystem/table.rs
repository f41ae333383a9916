//! The table for people.

use std::fmt::Write as _;

use crate::measure::{KINDS, Repository};

/// One block a repository: a line for every host and kind, then losses, time and what needs a word.
pub fn text(repositories: &[Repository]) -> String {
    let mut out = String::new();
    for repository in repositories {
        let _ = writeln!(out, "\n{} (exit {})", repository.label, repository.exit);
        for fault in &repository.faults {
            let _ = writeln!(out, "  {fault}");
        }
        let _ = writeln!(
            out,
            "  {:<12}{:<11}{:>12}{:>12}{:>7}{:>7}{:>8}{:>10}{:>9} |{:>10}{:>8}{:>10}{:>9}",
            "host",
            "kind",
            "source host",
            "unaccounted",
            "source",
            "kept",
            "mapped",
            "degraded",
            "dropped",
            "executed",
            "listed",
            "resolved",
            "missing"
        );
        for host in &repository.hosts {
            let counts = &host.counts;
            for (kind, row) in KINDS.iter().filter_map(|kind| Some((kind, counts.kinds.get(kind.id())?))) {
                let _ = writeln!(
                    out,
                    "  {:<12}{:<11}{:>12}{:>12}{:>7}{:>7}{:>8}{:>10}{:>9} |{:>10}{:>8}{:>10}{:>9}",
                    counts.host,
                    kind.id(),
                    row.source_host,
                    row.unaccounted,
                    row.source,
                    row.kept,
                    row.mapped,
                    row.degraded,
                    row.dropped,
                    row.executed,
                    row.listed,
                    row.resolved,
                    row.missing
                );
            }
        }
        for host in &repository.hosts {
            let counts = &host.counts;
            let loss = |class: &str| counts.losses.get(class).copied().unwrap_or_default();
            let _ = writeln!(
                out,
                "  {} {}: {}; losses {} security, {} behavior, {} cosmetic; built in {} ms, shown in {:.1} s",
                counts.host,
                if counts.version == counts.result { "" } else { &counts.version },
                counts.result,
                loss("security"),
                loss("behavior"),
                loss("cosmetic"),
                host.build_ms,
                host.host_ms as f64 / 1000.0
            );
            for (kind, names) in &host.resolved {
                let reason = counts.unshown.get(kind).map_or("", String::as_str);
                let _ = writeln!(out, "    resolved, since {reason}:\n      {}", names.join(", "));
            }
            for fault in &host.faults {
                let _ = writeln!(out, "    {fault}");
            }
        }
    }
    out
}
