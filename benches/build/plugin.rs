//! A made-up plugin of a real one's shape: agents in folders, skills with references, scripts and
//! assets, frontmatter of every sort, and texts that name agents, skills, tools, paths and commands.

use std::fs;
use std::io;
use std::path::Path;

use crate::words::Dice;

const FOLDERS: [&str; 5] = ["review", "research", "design", "docs", "workflow"];
const ROLES: [&str; 10] = [
    "security-reader",
    "latency-checker",
    "schema-keeper",
    "history-miner",
    "naming-judge",
    "layout-critic",
    "test-planner",
    "copy-editor",
    "rollout-watcher",
    "risk-finder",
];
const JOBS: [&str; 11] = [
    "plan-work",
    "polish-copy",
    "sort-inbox",
    "ship-branch",
    "draft-notes",
    "audit-forms",
    "trace-fault",
    "merge-queue",
    "record-demo",
    "prune-flags",
    "map-domain",
];
const TOOLS: [&str; 6] = ["`Read`", "`Grep`", "TodoWrite", "AskUserQuestion", "WebFetch", "`Bash`"];

/// What was written.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Files.
    pub files: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Agents among them.
    pub agents: usize,
    /// Skills among them.
    pub skills: usize,
}

struct Writer<'a> {
    root: &'a Path,
    scale: usize,
    size: Size,
}

/// Writes the plugin to `root`: 220 files for `scale` 1, and as many times more for others.
///
/// # Errors
/// When a file cannot be written.
pub fn write(root: &Path, scale: usize) -> io::Result<Size> {
    let mut writer = Writer { root, scale, size: Size::default() };
    let manifest = "{\n  \"name\": \"harbour\",\n  \"version\": \"1.4.0\",\n  \"description\": \"Work in small steps\",\n  \"author\": { \"name\": \"A. Writer\" },\n  \"license\": \"MIT\"\n}\n";
    writer.file(".claude-plugin/plugin.json", manifest.as_bytes(), false)?;
    for (at, name) in ["README.md", "CHANGELOG.md", "LICENSE"].into_iter().enumerate() {
        let text = document(&mut Dice::new(at as u64 + 1), 4_000 * scale, |_, _| String::new());
        writer.file(name, text.as_bytes(), false)?;
    }
    for at in 0..50 * scale {
        writer.agent(at)?;
    }
    for at in 0..43 * scale {
        writer.skill(at)?;
    }
    Ok(writer.size)
}

/// The folder and name of agent `at`.
fn agent_name(at: usize) -> (&'static str, String) {
    let folder = FOLDERS[at % FOLDERS.len()];
    (folder, format!("{}-{}", ROLES[at % ROLES.len()], at / ROLES.len()))
}

fn skill_name(at: usize) -> String {
    format!("{}-{}", JOBS[at % JOBS.len()], at / JOBS.len())
}

/// Sections up to about `length` bytes, with what `between` says after each.
fn document(dice: &mut Dice, length: usize, mut between: impl FnMut(&mut Dice, usize) -> String) -> String {
    let mut out = String::new();
    let mut title = 1;
    while out.len() < length {
        out.push_str(&dice.section(title));
        out.push_str(&between(dice, title));
        title += 1;
    }
    out
}

impl Writer<'_> {
    fn file(&mut self, path: &str, bytes: &[u8], executable: bool) -> io::Result<()> {
        let path = self.root.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, bytes)?;
        if executable {
            make_executable(&path)?;
        }
        self.size.files += 1;
        self.size.bytes += bytes.len();
        Ok(())
    }

    fn agent(&mut self, at: usize) -> io::Result<()> {
        let dice = &mut Dice::new(1_000 + at as u64);
        let (folder, name) = agent_name(at);
        let mut text = format!("---\nname: {name}\ndescription: \"{}\"\n", dice.sentence().replace("**", ""));
        text.push_str(["model: inherit\n", "model: sonnet\n", ""][at % 3]);
        text.push_str(["tools: Read, Grep, Glob, Bash\n", "", "color: blue\n"][at / 2 % 3]);
        text.push_str("---\n\n# What you look at\n\n");
        let length = 3_500 + 60 * dice.below(100);
        text.push_str(&document(dice, length, |dice, title| match title % 3 {
            0 => format!("Use {} for that, and nothing else.\n\n", TOOLS[dice.below(TOOLS.len())]),
            _ => String::new(),
        }));
        self.size.agents += 1;
        self.file(&format!("agents/{folder}/{name}.md"), text.as_bytes(), false)
    }

    fn skill(&mut self, at: usize) -> io::Result<()> {
        let dice = &mut Dice::new(5_000 + at as u64);
        let name = skill_name(at);
        let folder = format!("skills/{name}");
        let mut text = format!(
            "---\nname: {name}\ndescription: {}\n",
            dice.sentence().replace(": ", ", ").replace('*', "")
        );
        text.push_str(
            ["argument-hint: \"[what to work on]\"\n", "", "disable-model-invocation: true\n"][at % 3],
        );
        text.push_str(if at.is_multiple_of(9) {
            "allowed-tools:\n  - Bash(git status:*)\n  - Read\n"
        } else {
            ""
        });
        text.push_str("---\n\n# How it goes\n\nWork on <input>$ARGUMENTS</input>.\n\n");
        let (agents, skills) = (50 * self.scale, 43 * self.scale);
        let length = 6_000 + 90 * dice.below(150);
        text.push_str(&document(dice, length, |dice, title| {
            let (group, agent) = agent_name(dice.below(agents));
            match title % 8 {
                0 => format!("Dispatch the `{agent}` agent, or Task harbour:{group}:{agent}(\"{}\").\n\n", dice.sentence()),
                1 => "Read [the long form](references/part-1.md) when that is not enough.\n\n".to_owned(),
                2 => format!("Go on with `/{}` or the `{}` skill.\n\n", skill_name(dice.below(skills)), skill_name(dice.below(skills))),
                3 => format!("Ask with {} first.\n\n", TOOLS[dice.below(TOOLS.len())]),
                4 if at.is_multiple_of(2) => format!("```bash\nbash ${{CLAUDE_PLUGIN_ROOT}}/skills/{}/scripts/run.sh --all\ngit commit -m \"one step\"\ngh pr view\n```\n\n", skill_name(12)),
                5 if at.is_multiple_of(6) => "Here it stands: !`git status --short`\n\n".to_owned(),
                _ => String::new(),
            }
        }));
        self.size.skills += 1;
        self.file(&format!("{folder}/SKILL.md"), text.as_bytes(), false)?;
        for part in 1..=if at % 43 < 41 { 2 } else { 1 } {
            let length = 4_000 + 80 * dice.below(100);
            let text = document(dice, length, |_, title| match title % 6 {
                0 => "See also `references/part-1.md` and https://example.org/part.\n\n".to_owned(),
                _ => String::new(),
            });
            self.file(&format!("{folder}/references/part-{part}.md"), text.as_bytes(), false)?;
        }
        match at % 43 {
            asset if asset < 10 => {
                self.file(&format!("{folder}/assets/picture.png"), &dice.noise(24_000), false)
            }
            script if script < 32 => {
                let body: String =
                    (0..90).map(|_| format!("# {}\necho \"$1\" | sort\n", dice.sentence())).collect();
                self.file(&format!("{folder}/scripts/run.sh"), format!("#!/bin/sh\n{body}").as_bytes(), true)
            }
            data if data < 39 => {
                let rows: Vec<String> =
                    (0..40).map(|_| format!("  \"{}\"", dice.sentence().replace('"', ""))).collect();
                self.file(
                    &format!("{folder}/assets/rows.json"),
                    format!("[\n{}\n]\n", rows.join(",\n")).as_bytes(),
                    false,
                )
            }
            _ => Ok(()),
        }
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}
