//! The blocks *On this host* of whole sources: how large they are, and a sample of them to be judged.
//! `--sample 40 --seed 17` prints the same components on every machine.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example reads its arguments and prints"
)]

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use plugcast::build::{self, SourceRequest};
use plugcast::compile::Source;
use plugcast::disk::folder::Folder;
use plugcast::disk::sha256;
use plugcast::progress::Progress;
use plugcast::target::Targets;
use plugcast::temp_dir::TempFolder;

/// Measure the blocks of emitted skills, agents and commands
#[derive(Debug, Parser)]
struct Arguments {
    /// The sources; a label before `=` is the name of a plugin that has none
    #[arg(value_name = "[LABEL=]DIR", required = true)]
    sources: Vec<String>,
    /// The host
    #[arg(long, default_value = "codex")]
    to: String,
    /// Print so many components with their blocks
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    sample: usize,
    /// Which ones
    #[arg(long, value_name = "NUMBER", default_value_t = 17)]
    seed: u64,
}

const BEGIN: &str = "<!-- plugcast:on-this-host -->";
const END: &str = "<!-- /plugcast:on-this-host -->\n";

/// One emitted component with a block.
struct Measured {
    place: String,
    block: String,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let targets = Targets::embedded()?;
    let target = targets.get(&arguments.to).with_context(|| format!("unknown host `{}`", arguments.to))?;
    let (mut blocks, mut text) = (Vec::new(), 0);
    for source in &arguments.sources {
        let (label, folder) = source.split_once('=').unwrap_or(("source", source));
        let mut config = build::read_config(PathBuf::from(folder).as_path())?.unwrap_or_default();
        config.build.marketplace.get_or_insert_with(|| label.to_owned());
        let mut request = SourceRequest::new(folder);
        (request.name, request.config) = (Some(label.to_owned()), config);
        let bundle = Source::read(&request, &targets)?.bundle(target)?;
        let out = TempFolder::new()?;
        build::write(&bundle, &Folder::open(out.path())?, &Progress::default())?;
        let folder = out.path().join(&target.name);
        for file in bundle.record.manifest.files.iter().filter(|file| is_component(&file.path)) {
            let content = std::fs::read_to_string(folder.join(&file.path))?;
            text += content.len();
            let block = content.find(BEGIN).zip(content.find(END));
            if let Some((start, end)) = block {
                let place = format!("{label}/{}", file.path.trim_start_matches("plugins/"));
                blocks.push(Measured { place, block: content[start..end + END.len()].to_owned() });
            }
        }
    }
    let mut sizes: Vec<usize> = blocks.iter().map(|one| one.block.len()).collect();
    sizes.sort_unstable();
    let (all, median) =
        (sizes.iter().sum::<usize>(), sizes.get(sizes.len() / 2).copied().unwrap_or_default());
    println!(
        "{} blocks, median {median} bytes, largest {}, {:.2} % of {text} bytes of text",
        sizes.len(),
        sizes.last().copied().unwrap_or_default(),
        100.0 * all as f64 / text.max(1) as f64
    );
    // By the hash of seed and place, so that a component keeps its rank when others come or go.
    blocks.sort_by_key(|one| sha256(format!("{}\0{}", arguments.seed, one.place).as_bytes()));
    for one in blocks.iter().take(arguments.sample) {
        println!("\n{}", one.place);
        one.block.lines().filter(|line| line.starts_with("- ")).for_each(|line| println!("{line}"));
    }
    Ok(())
}

/// Whether a file of a bundle is a skill, an agent or a command.
fn is_component(path: &str) -> bool {
    let inner = path.strip_prefix("plugins/").and_then(|path| path.split_once('/')).map(|(_, inner)| inner);
    inner.is_some_and(|inner| {
        inner.ends_with(".md")
            && (inner.starts_with("agents/")
                || inner.starts_with("commands/")
                || inner.starts_with("skills/") && inner.ends_with("/SKILL.md"))
    })
}
