//! A run with its record, for any workflow: starting, opening, and storing the record.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::claim::{self, ClaimedTree, NewRun};
use super::{RECORD, RunDirectory, Workflow, text};
use crate::runtime::answer::{CallFailure, MALFORMED};
use crate::runtime::environment::{Environment, Uptime};
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::store::Store;

/// The fields common to all records that the claim on a working tree needs.
#[derive(Debug)]
pub struct RunOrigin<'a> {
    /// The run's name.
    pub run_id: &'a mut String,
    /// The folder of all runs and records.
    pub state_root: &'a mut String,
    /// The working tree.
    pub tree: &'a str,
    /// When it began, for people.
    pub started_at: &'a str,
    /// The same by the monotonic clock.
    pub uptime: &'a Option<Uptime>,
}

/// The record of a run's start.
pub trait RunRecord: Serialize + DeserializeOwned + Clone {
    /// The workflow.
    fn workflow() -> &'static Workflow;
    /// The common fields.
    fn origin(&mut self) -> RunOrigin<'_>;
    /// The document that ends it if another run takes its working tree.
    fn abandoned(&self, environment: &Environment) -> String;
}

/// The folder of one run.
#[derive(Debug)]
pub struct WorkflowRun<R> {
    /// Its path, absolute.
    pub path: PathBuf,
    /// Its record.
    pub record: R,
    /// The store that holds it.
    pub store: Store,
}

impl<R: RunRecord> WorkflowRun<R> {
    /// Creates the folder of a new run, and claims the working tree in its record; returns the run that was ended for
    /// it.
    ///
    /// # Errors
    /// `taken`, `locked`, `state_unwritable`, `sandboxed`.
    pub fn claim(
        repository: &Repository,
        root: Option<&Path>,
        mut record: R,
        take_over: bool,
    ) -> Result<(Self, Option<String>), CallFailure> {
        let environment = repository.environment();
        let mut began = record.clone();
        let RunOrigin { tree, started_at, uptime, .. } = began.origin();
        let opening = NewRun {
            workflow: R::workflow(),
            tree,
            started_at,
            uptime,
            take_over,
            record: &mut |run_id, root| {
                let origin = record.origin();
                (*origin.run_id, *origin.state_root) = (run_id.to_owned(), root.to_owned());
                text(&record)
            },
            end: &|old| serde_json::from_str::<R>(old).ok().map(|old| old.abandoned(environment)),
        };
        let ClaimedTree { store, path, abandoned } = claim::claim(repository, root, opening)?;
        Ok((Self { path, record, store }, abandoned))
    }

    /// Claims the working tree again for an unfinished run, and stores its record and documents; returns the run that
    /// was ended for it.
    ///
    /// # Errors
    /// As [`WorkflowRun::claim`].
    pub fn claim_again(
        &self,
        tree: &str,
        take_over: bool,
        mut documents: Vec<(&str, String)>,
        environment: &Environment,
    ) -> Result<Option<String>, CallFailure> {
        let end = |old: &str| serde_json::from_str::<R>(old).ok().map(|old| old.abandoned(environment));
        documents.push((RECORD, text(&self.record)));
        claim::claim_again(&self.folder(), tree, (take_over, &end), documents, environment)
    }

    /// Opens the folder of a run.
    ///
    /// # Errors
    /// `no_folder`; `not_a_run` for any other folder; `no_run` and `malformed_json` for its record.
    pub fn open(environment: &Environment, given: &Path) -> Result<Self, CallFailure> {
        let workflow = R::workflow();
        let (store, path) = super::find(environment, workflow, given)?;
        let folder = RunDirectory { workflow, store: &store, path: &path };
        let record: R = folder.sealed(RECORD)?.ok_or_else(|| {
            let message = format!("`{}` has no record", given.display());
            let hint = format!("start a new one with `{}`", workflow.begin);
            CallFailure::new(MALFORMED, ErrorCode::NoRun, message, hint)
        })?;
        Ok(Self { path, record, store })
    }

    /// Stores the record again.
    ///
    /// # Errors
    /// `locked`, `state_unwritable`, `sandboxed`.
    pub fn store_record(&self) -> Result<(), CallFailure> {
        self.folder().save(vec![(RECORD, text(&self.record))])
    }

    /// The folder, independent of its workflow.
    pub fn folder(&self) -> RunDirectory<'_> {
        RunDirectory { workflow: R::workflow(), store: &self.store, path: &self.path }
    }
}
