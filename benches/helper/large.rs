//! What very large input costs: the scope of a change of 50,000 files against git's own diff of it; a merge of 10,000
//! findings, and the clusters of 10,000 threads, against jq doing the same (`merge.jq` and `cluster.jq` in
//! `benches/helper/shell`). Time that passes, since both use more than one processor; ratios are taken in a round.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use crate::row;
use crate::spend::{Call, ResourceUse};
use crate::table::{Row, median};

const ROUNDS: usize = 5;
const FILES: usize = 50_000;
const FINDINGS: usize = 10_000;
const THREADS: usize = 10_000;
/// The files that the clusters are found in.
pub const FETCHED: &str = "fetched.json";
/// The categories of the threads in it.
pub const TRIAGE: &str = "triage.json";

/// All rows; jq merges, and finds clusters.
///
/// # Errors
/// When a side fails.
pub fn rows(folder: &Path, helper: &Path, [merging, clustering]: [&Call; 2]) -> io::Result<Vec<Row>> {
    let helper = helper.display().to_string();
    let top = repository(folder)?;
    let scope = Call::new(&helper, &["review", "scope", "--mode", "report-only", "--base", "main"], &top);
    let git = Call::new("git", &["--no-pager", "diff", "-U10", "main", "--"], &top);
    let findings = findings();
    fs::write(folder.join("findings.json"), &findings)?;
    let merge = Call::new(&helper, &["review", "merge", "findings.json"], folder);
    fs::write(folder.join(FETCHED), threads())?;
    fs::write(folder.join(TRIAGE), triage())?;
    let words = ["feedback", "cluster", "--fetched", FETCHED, "--triage", TRIAGE];
    let cluster = Call::new(&helper, &words, folder);
    let note = format!("jq takes {:.1} MiB", clustering.peak()?);
    Ok(vec![
        against(&format!("`review scope` of {FILES} files, to git's own diff"), &scope, &git)?,
        against(&format!("`review merge` of {FINDINGS} findings, to jq"), &merge, merging)?,
        against(&format!("`feedback cluster` of {THREADS} threads, to jq"), &cluster, clustering)?,
        row("its time", 1.0, cluster.run()?.wall, " s", String::new()),
        row("its peak of memory", 64.0, cluster.peak()?, " MiB", note),
    ])
}

fn against(what: &str, ours: &Call, theirs: &Call) -> io::Result<Row> {
    let (mut own, mut other, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    // The first run of each finds cold caches.
    ours.run()?;
    theirs.run()?;
    for _ in 0..ROUNDS {
        let (one, two): (ResourceUse, ResourceUse) = (ours.run()?, theirs.run()?);
        ratios.push(one.wall / two.wall);
        own.push(one);
        other.push(two);
    }
    let middle = |all: &[ResourceUse], of: fn(&ResourceUse) -> f64| median(all.iter().map(of).collect());
    let (wall, cpu) = (|spent: &ResourceUse| spent.wall, |spent: &ResourceUse| spent.cpu / 1e6);
    let note = format!(
        "{:.2} s to {:.2} s passed, {:.2} s to {:.2} s of processors",
        middle(&own, wall),
        middle(&other, wall),
        middle(&own, cpu),
        middle(&other, cpu)
    );
    Ok(row(what, 1.0, median(ratios), "x", note))
}

/// A repository in which all files differ between `main` and what is checked out.
fn repository(folder: &Path) -> io::Result<std::path::PathBuf> {
    let top = folder.join("large");
    let mut stream = String::new();
    for (branch, from, word) in [("main", "", "was"), ("work", "from refs/heads/main\n", "is")] {
        let who = "committer a <a@example.com> 1700000000 +0000\ndata 1\nx\n";
        let _ = write!(stream, "commit refs/heads/{branch}\n{who}{from}");
        for file in 0..FILES {
            let text: String = (0..20)
                .map(|line| format!("line {line} of {file} {}\n", if line % 8 == 7 { word } else { "stays" }))
                .collect();
            let (part, length) = (file % 200, text.len());
            let _ = write!(stream, "M 100644 inline src/part{part}/file{file}.rb\ndata {length}\n{text}\n");
        }
        stream.push('\n');
    }
    Call::new("git", &["init", "-q", "-b", "main", "large"], folder).run()?;
    Call::new("git", &["fast-import", "--quiet"], &top).input(&stream).run()?;
    Call::new("git", &["checkout", "-q", "work"], &top).run()?;
    Ok(top)
}

/// Four returns of reviewers, in which every fourth finding is one of another reviewer, too.
fn findings() -> String {
    let one = |reviewer: usize, number: usize| {
        let (file, line) = (number % 500, 1 + number / 500 * 10 + reviewer % 2);
        format!(
            "{{\"title\":\"finding {} of file {file}\",\"severity\":\"P{}\",\"file\":\"src/file{file}.rs\",\"line\":{line},\
             \"why_it_matters\":\"it breaks what callers rely on\",\"autofix_class\":\"manual\",\"owner\":\"downstream-resolver\",\
             \"requires_verification\":true,\"confidence\":0.8,\"evidence\":[\"the call at line {line}\"],\"pre_existing\":false}}",
            number / 500,
            number % 4
        )
    };
    let returns: Vec<String> = (0..4)
        .map(|reviewer| {
            let own: Vec<String> =
                (0..FINDINGS / 4).map(|number| one(reviewer, number + reviewer / 2 * FINDINGS / 4)).collect();
            let list = own.join(",");
            format!("{{\"reviewer\":\"r{reviewer}\",\"residual_risks\":[],\"testing_gaps\":[],\"findings\":[{list}]}}")
        })
        .collect();
    format!("[{}]", returns.join(",\n"))
}

/// An answer of `feedback fetch` with open threads in 500 folders, some of which contain others.
fn threads() -> String {
    let one = |number: usize| {
        let folder = format!("src/part{}/deep{}", number % 50, number % 10);
        format!(
            "{{\"id\":\"T{number}\",\"kind\":\"review_thread\",\"url\":\"u\",\"path\":\"{folder}/file{}.rs\",\"line\":{},\
             \"outdated\":false,\"handled_by_us\":false,\"comments\":[{{\"id\":\"C{number}\",\"author\":\"bob\",\"created_at\":\"t\",\
             \"url\":\"u\",\"body\":\"{}\",\"cut\":false}}]}}",
            number % 500,
            number / 500,
            "This value is not checked before it is used. ".repeat(8)
        )
    };
    let items: Vec<String> = (0..THREADS).map(one).collect();
    format!(
        "{{\"status\":\"ok\",\"url\":\"u\",\"viewer\":\"ann\",\"cross_invocation\":{{\"signal\":false,\"resolved_threads\":[]}},\"items\":[{}]}}",
        items.join(",\n")
    )
}

/// A category for each of them.
fn triage() -> String {
    let categories = ["naming", "validation", "testing"];
    let one = |number: usize| {
        format!("{{\"id\":\"T{number}\",\"state\":\"new\",\"category\":\"{}\"}}", categories[number % 3])
    };
    let items: Vec<String> = (0..THREADS).map(one).collect();
    format!("{{\"items\":[{}]}}", items.join(",\n"))
}
