//! Unmodified public plugins through the built program.

use crate::conservation::counts;
use crate::support::corpus;

#[test]
fn every_public_source_is_there() {
    for public in corpus::public() {
        assert!(public.source.is_dir(), "{}: `{}` is missing", public.name, public.source.display());
        let marketplace = public.source.join(".claude-plugin/marketplace.json").is_file();
        assert_eq!(
            public.plugin.is_none(),
            marketplace,
            "{}: a name is given where none is in the source",
            public.name
        );
    }
}

/// Counted by hand in the published packages, so that the reader cannot go blind unnoticed.
#[test]
fn the_independent_reader_sees_what_is_there() {
    let by_hand = [
        ("ai-labs", vec![("file", 309), ("skill", 23)]),
        ("scrum", vec![("file", 80), ("skill", 8)]),
        ("cc-sdd-skills", vec![("file", 21), ("skill", 17)]),
        ("cc-sdd-agents", vec![("file", 22), ("agent", 9), ("command", 12)]),
    ];
    for (public, (name, by_hand)) in corpus::public().iter().zip(by_hand) {
        assert_eq!(public.name, name);
        let counts = counts(&public.source, public.plugin);
        for (kind, count) in by_hand {
            assert_eq!(counts.get(kind), Some(&count), "{name}: {kind}");
        }
        assert!(counts["field"] > 30, "{name}: {counts:?}");
    }
}
