//! The documentation of the findings of `release check`: one short page each.

/// The pages by the id of the finding, sorted.
pub const PAGES: &[(&str, &str)] = &[
    ("bundle-missing", include_str!("pages/bundle-missing.md")),
    ("bundle-stale", include_str!("pages/bundle-stale.md")),
    ("bundle-unverified", include_str!("pages/bundle-unverified.md")),
    ("changelog-entry", include_str!("pages/changelog-entry.md")),
    ("changelog-form", include_str!("pages/changelog-form.md")),
    ("changelog-missing", include_str!("pages/changelog-missing.md")),
    ("first-release", include_str!("pages/first-release.md")),
    ("new-loss", include_str!("pages/new-loss.md")),
    ("tag-differs", include_str!("pages/tag-differs.md")),
    ("tag-missing", include_str!("pages/tag-missing.md")),
    ("unreleased", include_str!("pages/unreleased.md")),
    ("version-back", include_str!("pages/version-back.md")),
    ("version-differs", include_str!("pages/version-differs.md")),
    ("version-file", include_str!("pages/version-file.md")),
    ("version-missing", include_str!("pages/version-missing.md")),
    ("version-step", include_str!("pages/version-step.md")),
];
