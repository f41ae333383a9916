//! Explains the findings that only a build reports, unlike the rules of `check`: one short page each.

/// The pages by the id of the finding, sorted.
pub const PAGES: &[(&str, &str)] = &[
    ("bundle-unlisted", include_str!("pages/bundle-unlisted.md")),
    ("closure", include_str!("pages/closure.md")),
    ("denied-loss", include_str!("pages/denied-loss.md")),
    ("generated-name", include_str!("pages/generated-name.md")),
    ("invocation", include_str!("pages/invocation.md")),
    ("limit", include_str!("pages/limit.md")),
    ("path-collision", include_str!("pages/path-collision.md")),
    ("path-length", include_str!("pages/path-length.md")),
    ("rename", include_str!("pages/rename.md")),
    ("reread", include_str!("pages/reread.md")),
    ("rule-failed", include_str!("pages/rule-failed.md")),
];
