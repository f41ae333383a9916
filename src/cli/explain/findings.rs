//! What the findings mean that a build makes itself, beside the rules of `check`: one short page each.

/// The page of the finding called `name`, if a build makes one.
pub(super) fn page(name: &str) -> Option<&'static str> {
    PAGES.iter().find(|(known, _)| *known == name).map(|(_, page)| *page)
}

const PAGES: &[(&str, &str)] = &[
    (
        "bundle-unlisted",
        "# bundle-unlisted

A folder of a bundle holds a file that its manifest does not list, so that no build wrote it. A build leaves it
alone; `build --check`, `release check` and `diff` fail, because a host would load it. Move it elsewhere or remove it.
",
    ),
    (
        "closure",
        "# closure

Every path, agent, skill, command, script, server and variable that a file of a bundle names must be found in that
bundle, in the host's own terms. This finding names one that is in the source and not in the bundle: the host has no
such component, the file is left out, or the line that says what stands for a name is missing. A name that leads
nowhere in the source either is a finding of `broken-link`, `missing-bundled-path`, `unknown-skill` and the like.

- The message says why it is not in the bundle: say in the text what to do without it, and accept the loss that the
  help names (`[[accept-loss]]` in `plugcast.toml`), or leave the host out with `[build] to`.
- A file that you excluded: remove the reference, or the pattern in `[build] exclude`.
- \"this is a bug in plugcast\": nothing in the source is wrong; please report it with the file.

A build that finds one writes the bundle and ends with exit code 1; what only people read is a warning.
",
    ),
    (
        "denied-loss",
        "# denied-loss

A loss is of the class that `--deny-loss` or `[build] deny-loss` denies, or new with `--deny-new-losses`: nothing is
written for that host. Accept it by its id with a reason (`[[accept-loss]]` in `plugcast.toml`), change the source, or
leave the host out. `plugcast explain LOSS-ID` says what a loss means.
",
    ),
    (
        "generated-name",
        "# generated-name

A file of the source has the path of a file that the bundle for this host needs for itself. Rename it, exclude it
with `[build] exclude`, or leave the host out.
",
    ),
    (
        "invocation",
        "# invocation

A skill is for the user only (`disable-model-invocation`), and the file beside it that this host reads for that does
not say so; the host would offer the skill to the model. Say it in that file too, or remove the field from the skill.
",
    ),
    (
        "limit",
        "# limit

A component is beyond what the host loads: its name is too long, or its folder is one too many. It is dropped there
with a row. Shorten the name, split the plugin, or leave the host out.
",
    ),
    (
        "new-loss",
        "# new-loss

A bundle loses something that it did not lose before. Accept it by its id with a reason (`[[accept-loss]]` in
`plugcast.toml`), or change the source. `plugcast explain LOSS-ID` says what a loss means.
",
    ),
    (
        "rename",
        "# rename

A command whose text stands in the manifest names a component that `[targets.HOST.rename]` in `plugcast.toml` renames,
and a text in a manifest is not edited. Make the command a file, or leave the old name for this host.
",
    ),
    (
        "reread",
        "# reread

Every file that is written is read again the way the host reads it. This finding names one that the host would refuse
or read otherwise than it was meant. Nothing in the source needs to be wrong: please report it with the file.
",
    ),
    (
        "unmatched-acceptance",
        "# unmatched-acceptance

An entry `[[accept-loss]]` in `plugcast.toml` matches no loss on any host that it is for: the loss is gone, or its id
is another one. Remove the entry, or take the id that `plugcast build --verbose` prints. An entry without `hosts` is
judged only by a build for every host.
",
    ),
];
