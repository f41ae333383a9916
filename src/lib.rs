//! The modules, in the order of the data flow: a plugin is read, modelled, lowered for a target, emitted, read back and
//! written to disk; drivers then show it to the real hosts.
//!
//! A module may use the ones above it in this list, never those below (`tests/tidy.rs` checks this).
//!
//! To embed plugcast in another program, start with [`compile`](compile::compile), which returns the bundles of a
//! source in memory.
//!
//! ```
//! use plugcast::build::SourceRequest;
//! use plugcast::compile::compile;
//! use plugcast::target::Targets;
//!
//! let folder = tempfile::tempdir()?;
//! let skill = folder.path().join("skills/plan");
//! std::fs::create_dir_all(&skill)?;
//! std::fs::write(skill.join("SKILL.md"), "---\nname: plan\ndescription: Plans.\n---\nRead $ARGUMENTS.\n")?;
//!
//! let targets = Targets::embedded()?;
//! let hosts: Vec<_> = targets.get("codex").into_iter().collect();
//! let compiled = compile(&SourceRequest::new(folder.path()), &hosts, &targets)?;
//! let bundle = &compiled.bundles[0];
//! assert!(bundle.files.iter().any(|file| file.path.ends_with("skills/plan/SKILL.md")));
//! assert_eq!(bundle.record.ledger.summary.losses.security, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod printable;
pub mod order;
pub mod source;
pub mod diagnostic;
pub mod rewrite;
pub mod schema;
pub mod size_limits;
#[cfg(feature = "compiler")]
pub mod usage_error;
pub mod process;
pub mod parallel;
pub mod progress;
pub mod disk;
#[cfg(feature = "compiler")]
pub mod temp_dir;
pub mod git_command;

pub mod read;

pub mod runtime;

#[cfg(feature = "compiler")]
pub mod source_format;
#[cfg(feature = "compiler")]
pub mod git;
#[cfg(feature = "compiler")]
pub mod model;
#[cfg(feature = "compiler")]
pub mod target;
#[cfg(feature = "compiler")]
pub mod sourcemap;
#[cfg(feature = "compiler")]
pub mod ledger;
#[cfg(feature = "compiler")]
pub mod bundle;

#[cfg(feature = "compiler")]
pub mod lower;
#[cfg(feature = "compiler")]
pub mod check;
#[cfg(feature = "compiler")]
pub mod emit;
#[cfg(feature = "compiler")]
pub mod reread;
#[cfg(feature = "compiler")]
pub mod build;
#[cfg(feature = "compiler")]
pub mod compile;
#[cfg(feature = "compiler")]
pub mod compare;
#[cfg(feature = "compiler")]
pub mod check_session;
#[cfg(feature = "compiler")]
pub mod explain;
#[cfg(feature = "compiler")]
pub mod promote;
#[cfg(feature = "compiler")]
pub mod release;

#[cfg(feature = "compiler")]
pub mod report;
#[cfg(feature = "compiler")]
pub mod drivers;
#[cfg(feature = "compiler")]
pub mod cli;
