//! The builds of one command: their shared inputs, and the outcome for each host so far.

use std::path::Path;

use super::answer::{BuildOutcome, conclude, report, summary};
use super::{BuildArgs, CommandFailure, GlobalOptions, OutputFormat, preview};
use crate::build::cache::{BuildCache, CacheKey, CachedBundle};
use crate::build::{self, BundleRecord, Denial, HostBundle, SourceRequest};
use crate::cli::console::Console;
use crate::compile::Source;
use crate::diagnostic::{Diagnostic, Severity};
use crate::disk::folder::Folder;
use crate::disk::lock::OutputLock;
use crate::report::human;
use crate::source::SourceTree;
use crate::target::{Target, Targets};

/// The shared inputs of the builds for all hosts, and their outcome so far.
pub(super) struct HostBuilds<'a> {
    pub(super) args: &'a BuildArgs,
    pub(super) global: &'a GlobalOptions,
    pub(super) console: &'a Console,
    pub(super) out: &'a Path,
    pub(super) denial: Denial,
    pub(super) cache: (&'a BuildCache, &'a CacheKey),
    pub(super) outcome: BuildOutcome,
    pub(super) losses: build::LossIds,
}

impl HostBuilds<'_> {
    /// Records a bundle that is already up to date.
    pub(super) fn unchanged(&mut self, target: &Target, cached: CachedBundle) -> Result<(), CommandFailure> {
        let CachedBundle { mut record, found } = cached;
        // The findings in the source are the same for every host.
        if self.outcome.reports.is_empty() {
            self.outcome.diagnostics.extend(found);
        }
        self.outcome.diagnostics.append(&mut record.diagnostics);
        self.losses.insert(target.name.clone(), build::loss_ids(&record.ledger));
        let folder = self.out.join(&target.name);
        self.outcome.diagnostics.extend(unlisted(&folder, &record)?);
        self.tell(target, &folder, &record, 0);
        Ok(())
    }

    /// Builds for one host, and writes the bundle if there is a `lock`.
    pub(super) fn build(
        &mut self,
        source: &Source<'_>,
        target: &Target,
        lock: Option<&OutputLock>,
    ) -> Result<HostBundle, CommandFailure> {
        let args = self.args;
        let mut bundle = source.bundle(target)?;
        let folder = self.out.join(&target.name);
        let refused = self.refusal(source, target, &bundle.record, &folder)?;
        let found_here = std::mem::take(&mut bundle.record.diagnostics);
        if refused.is_some() || args.check || args.diff {
            let severity = if args.check { Severity::Error } else { Severity::Warning };
            self.outcome.diagnostics.extend(build::unlisted_there(&folder, &folder, severity)?);
        }
        let (changes, written) = match lock {
            _ if refused.is_some() => (Vec::new(), 0),
            Some(lock) => {
                let progress = &self.console.progress;
                let writing = format!("{}: writing `{}`", target.host.title, folder.display());
                progress.begin(writing, bundle.files.len());
                let written = build::write(&bundle, lock.folder(), progress)?;
                let (cache, key) = self.cache;
                cache.store(&bundle, key, &source.findings, &found_here);
                // A new folder contains only the files just written.
                if !written.is_new {
                    self.outcome.diagnostics.extend(unlisted(&folder, &bundle.record)?);
                }
                (written.changes, written.files)
            }
            None => (build::plan_changes(&bundle, &folder)?, 0),
        };
        self.outcome.diagnostics.extend(found_here);
        self.outcome.stale |= args.check && !changes.is_empty();
        if args.diff && args.format == OutputFormat::Human {
            self.console.print_patch(&preview::diff(&bundle, &folder, &changes)?);
        }
        match refused {
            Some(why) => {
                let line = format!("{}: nothing written, because {why}\n", target.host.title);
                self.outcome.lines.push_str(&line);
                self.outcome.reports.push(report(target, &folder, &bundle.record, 0));
            }
            None if args.check || args.diff => {
                self.outcome.lines.push_str(&preview::checked(target, &folder, &changes));
                self.outcome.reports.push(report(target, &folder, &bundle.record, 0));
            }
            None => self.tell(target, &folder, &bundle.record, written),
        }
        Ok(bundle)
    }

    /// Why a bundle is not written, if it is not.
    fn refusal(
        &mut self,
        source: &Source<'_>,
        target: &Target,
        record: &BundleRecord,
        folder: &Path,
    ) -> Result<Option<&'static str>, CommandFailure> {
        self.losses.insert(target.name.clone(), build::loss_ids(&record.ledger));
        let denied =
            build::denied_losses(&source.project, &record.ledger, &target.name, self.denial, folder)?;
        let why = match (denied.is_empty(), record.is_refused) {
            (false, _) => Some("a loss is denied"),
            (true, true) => Some("the host would refuse a part of it"),
            (true, false) => None,
        };
        self.outcome.diagnostics.extend(denied);
        Ok(why)
    }

    /// Adds the result for a host to the outcome.
    fn tell(&mut self, target: &Target, folder: &Path, record: &BundleRecord, written: usize) {
        let summary = summary(target, folder, record, written, self.global.verbose);
        self.outcome.lines.push_str(&human::host(&summary));
        self.outcome.reports.push(report(target, folder, record, written));
    }

    /// Prints the outcome, and returns the exit code.
    pub(super) fn conclude(
        mut self,
        request: &SourceRequest,
        tree: &SourceTree,
        targets: &Targets,
    ) -> Result<u8, CommandFailure> {
        let unmatched = build::unmatched(&request.config, &request.src, &self.losses, &targets.names());
        self.outcome.diagnostics.extend(unmatched);
        conclude(self.outcome, tree, self.args, self.global, (self.console, self.out))
    }
}

/// Warnings about files in `folder` that do not belong to the bundle of `record`, which is complete there.
fn unlisted(folder: &Path, record: &BundleRecord) -> Result<Vec<Diagnostic>, build::BuildError> {
    let open = Folder::open(folder)?;
    build::unlisted_findings(&open, &record.manifest, folder, Severity::Warning)
}
