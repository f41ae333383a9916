//! A made-up marketplace of a real one's shape: plugins with a manifest, skills with references, and
//! a catalogue that lists them.

use std::fs;
use std::io;
use std::path::Path;

use crate::words::Dice;

/// What was written.
#[derive(Debug, Default, Clone, Copy)]
pub struct Size {
    /// Files.
    pub files: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Skills among them.
    pub skills: usize,
}

/// Writes 121 plugins with 605 skills and 3,600 files to `root`, and `scale` times as many.
///
/// # Errors
/// When a file cannot be written.
pub fn write(root: &Path, scale: usize) -> io::Result<Size> {
    // A separate repository: what ignores the build folder does not count here.
    fs::create_dir_all(root.join(".git"))?;
    let mut size = Size::default();
    let mut entries = Vec::new();
    for plugin in 0..121 * scale {
        let folder = format!("plugins/p{plugin}");
        let manifest = format!("{{ \"name\": \"p{plugin}\", \"version\": \"1.0.0\" }}\n");
        file(root, &format!("{folder}/.claude-plugin/plugin.json"), &manifest, &mut size)?;
        entries.push(format!("    {{ \"name\": \"p{plugin}\", \"source\": \"./{folder}\" }}"));
        for skill in 0..5 {
            let dice = &mut Dice::new((plugin * 5 + skill) as u64 + 1);
            let folder = format!("{folder}/skills/s{skill}");
            let head = format!(
                "---\nname: s{skill}\ndescription: Sorts the reports when someone asks for it.\n---\n\n"
            );
            let mut text = head;
            for reference in 0..4 {
                text.push_str(&section(dice));
                text.push_str(&format!("Read [the details](references/r{reference}.md) then.\n\n"));
                let mut inner = String::new();
                while inner.len() < 4_500 {
                    inner.push_str(&section(dice));
                }
                file(root, &format!("{folder}/references/r{reference}.md"), &inner, &mut size)?;
            }
            file(root, &format!("{folder}/SKILL.md"), &text, &mut size)?;
            let data = format!("{{ \"steps\": [{}] }}\n", vec!["\"one\""; 40].join(", "));
            if (plugin * 5 + skill) % 25 < 19 {
                file(root, &format!("{folder}/assets/data.json"), &data, &mut size)?;
            }
            size.skills += 1;
        }
    }
    let catalogue = format!(
        "{{\n  \"name\": \"shelf\",\n  \"owner\": {{ \"name\": \"A. Writer\" }},\n  \"plugins\": [\n{}\n  ]\n}}\n",
        entries.join(",\n")
    );
    file(root, ".claude-plugin/marketplace.json", &catalogue, &mut size)?;
    Ok(size)
}

fn section(dice: &mut Dice) -> String {
    let title = dice.below(9) + 1;
    dice.section(title)
}

fn file(root: &Path, path: &str, text: &str, size: &mut Size) -> io::Result<()> {
    let path = root.join(path);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(&path, text)?;
    size.files += 1;
    size.bytes += text.len();
    Ok(())
}
