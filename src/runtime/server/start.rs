//! `server start`: starts the project's development server, so that it outlives this call, and waits until it answers.

mod plan;

use std::ffi::OsString;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::adopt;
use super::ending::Family;
use super::record::{self, LOG, MARK, SCHEMA, Server};
use super::wait::{self, Wait};
use crate::process::detached_process::DetachedProcess;
use crate::process::interrupt;
use crate::runtime::answer::{
    CONTENDED, CallFailure, Delivery, ENVIRONMENT, ErrorDetail, REFUSED, ShownText, TIMEOUT,
};
use crate::runtime::child;
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::hosts::{self, SandboxAccess};
use crate::runtime::launch::LaunchMode;
use crate::runtime::listeners::{self, ListeningProcess};
use crate::runtime::polish::record::PolishRun;
use crate::runtime::run::text;
use plan::LaunchPlan;

options! {
    /// Start the development server
    ///
    /// Starts the configuration of `.claude/launch.json`, or with `--type` the usual command of that kind of
    /// project, and waits until it answers. It outlives this call; its output goes to `server.log` in the folder of
    /// the run. If it does not answer in time, or listens on all addresses, it is ended with everything that it
    /// started; `owner` is a process that still has the port. A command that starts the server in the background
    /// may end with exit code 0. With `--adopt` nothing is started: a server that already listens is used, if
    /// nothing was checked out or merged since.
    ///
    /// Exit codes: 0 it answers; 2 wrong call, or unknown port; 3 `polish gate` has not passed, another process has
    /// the port, it would listen on all addresses or does, nothing can be adopted, or state that this machine's
    /// helper did not write; 4 a malformed configuration or document of the helper; 5 it ended or cannot be started,
    /// or a sandbox refuses it; 6 the run has a server, another process listens, or the run ended or is bound to
    /// another tree or commit; 7 it does not answer in time.
    pub struct Options {
        /// The run of `polish acquire --apply`
        pub(super) run: PathBuf = "--run <DIR>",
        /// The configuration; needed only if the file has several
        name: Option<String> = "[NAME]",
        /// The kind of project as `repo project` names it, instead of a configuration
        r#type: Option<String> = "--type <TYPE>",
        /// The folder of the project; by default the top of the repository
        dir: Option<PathBuf> = "--dir <DIR>" { requires: "--type" },
        /// The port; by default that of the configuration
        pub(super) port: Option<u16> = "--port <PORT>" { range: Some((1, 65535)) },
        /// Also start a server that listens on all addresses, which others on the network can reach
        allow_public_host: bool = "--allow-public-host",
        /// How long it may take to answer
        wait: u16 = "--wait <SECONDS>" { default: Some("30"), range: Some((1, 300)) },
        /// Use the server that listens on the port
        adopt: bool = "--adopt" { requires: "--port" },
        /// The process that must listen there
        pub(super) pid: Option<u32> = "--pid <PID>" { range: Some((1, 4194304)), requires: "--adopt" },
    }
    examples: ["plugcast-run server start --run DIR", "plugcast-run server start --run DIR web --port 3001", "plugcast-run server start --run DIR --adopt --port 3000"]
}

/// The answer of `server start`, also if the start fails.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// The outcome.
    pub status: ServerStartStatus,
    /// The server.
    pub server: Option<Server>,
    /// The status of its first response.
    pub http_status: Option<u16>,
    /// The process on the port, if it is taken.
    pub owner: Option<ListeningProcess>,
    /// The last lines of its output, if it failed.
    pub log: Vec<String>,
    /// What a reader should know.
    #[serde(serialize_with = "ShownText::shown")]
    pub warnings: Vec<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorDetail>,
}

/// The outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServerStartStatus {
    /// It was started, and answers.
    Started,
    /// It was already running, and answers.
    Adopted,
    /// A rule forbids it.
    Refused,
    /// It cannot be started, or ended.
    Error,
    /// It does not answer.
    Timeout,
}

impl Response {
    pub(super) fn new(status: ServerStartStatus) -> Self {
        let (log, warnings) = (Vec::new(), Vec::new());
        Self { status, server: None, http_status: None, owner: None, log, warnings, error: None }
    }

    /// The failure with this answer as its body.
    pub(super) fn failed(mut self, failure: CallFailure) -> CallFailure {
        self.status = match failure.exit {
            REFUSED => ServerStartStatus::Refused,
            TIMEOUT => ServerStartStatus::Timeout,
            _ => ServerStartStatus::Error,
        };
        self.error = Some(*failure.error.clone());
        failure.within_answer(&self)
    }
}

/// Runs the command.
///
/// # Errors
/// `no_port`, `several_configs`, `no_command`, `command_missing`, `fork_untrusted`, `port_in_use`, `running`,
/// `not_started`, `server_ended`, `timeout`, the errors of `launch read`, and with `--adopt` `no_server` and
/// `owner_changed`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let (run, tree) = PolishRun::open_here(environment, &options.run)?;
    must_have_no_server(&run)?;
    if !options.adopt && run.record.is_foreign() && !run.record.flags.trust_fork {
        let message = "the code comes from another repository, and is not trusted yet";
        let hint = "it would run on this machine: read it, and begin again with `trust-fork:1`";
        return Err(CallFailure::new(REFUSED, ErrorCode::ForkUntrusted, message, hint));
    }
    run.must_have_passed(&tree)?;
    if options.adopt {
        return adopt::run(options, &run, environment);
    }
    if let Some(host) = hosts::sandbox_reaping_host(environment) {
        let message = "the sandbox ends every process when the call that started it ends";
        return Err(CallFailure::environment(ErrorCode::Sandboxed, message, host.background));
    }
    let mut response = Response::new(ServerStartStatus::Started);
    let mut plan = plan::plan(options, &tree, &mut response.warnings)?;
    // Last, so that no configuration changes it.
    plan.environment.push((MARK.into(), run.path.clone().into()));
    let owners = listeners::all(environment, plan.port)?;
    if !owners.is_empty() {
        let message = format!("port {} is taken by {}", plan.port, listeners::words(&owners));
        let hint = match (run.record.mode, run.record.flags.allow_port_kill) {
            (LaunchMode::Headless, false) => "free the port, or begin again with `allow-port-kill:1`",
            (LaunchMode::Headless, true) => "end it with `server stop`",
            _ => "ask the user: end it with `server stop`, take it with `--adopt`, or name another port",
        };
        response.owner = owners.into_iter().next();
        return Err(response.failed(CallFailure::new(REFUSED, ErrorCode::PortInUse, message, hint)));
    }
    start(options, &run, &plan, environment, response)
}

/// Refuses a second server of a polish.
fn must_have_no_server(run: &PolishRun) -> Result<(), CallFailure> {
    let server = Server::load(run)?.filter(|server| !server.adopted && server.is_alive());
    let Some(server) = server else { return Ok(()) };
    let message = format!("this polish already has a server: {}", server.words());
    let hint = "end it with `server stop`, with its `pid` and `start_time` of `server status`";
    Err(CallFailure::new(CONTENDED, ErrorCode::Running, message, hint))
}

/// The failure of a server that cannot be started.
fn not_started(plan: &LaunchPlan, environment: &Environment, error: &std::io::Error) -> CallFailure {
    let message = format!("`{}` cannot be started: {error}", plan.argv.join(" "));
    child::sandbox_refusal(environment, SandboxAccess::Write, &error.to_string()).unwrap_or_else(|| {
        CallFailure::environment(
            ErrorCode::NotStarted,
            message,
            "check that it can be started by hand, then run it again",
        )
    })
}

/// The record of a server that was started, and does not answer yet.
fn server_record(run: &PolishRun, plan: &LaunchPlan, id: u32, environment: &Environment) -> Server {
    Server {
        schema: SCHEMA.to_owned(),
        pid: Some(id),
        pgid: Some(id),
        start_time: listeners::start_time(id),
        argv: plan.argv.clone(),
        cwd: Some(plan.folder.display().to_string()),
        port: plan.port,
        url: None,
        log: Some(run.path.join(LOG).display().to_string()),
        started_at: environment.now().rfc3339(),
        adopted: false,
    }
}

/// Starts the server, records it, detaches it, and waits until it answers.
fn start(
    options: &Options,
    run: &PolishRun,
    plan: &LaunchPlan,
    environment: &Environment,
    mut response: Response,
) -> Result<Delivery, CallFailure> {
    let not_started = |error: std::io::Error| not_started(plan, environment, &error);
    let held = run.store.lock()?;
    // Another call may have started one since.
    must_have_no_server(run)?;
    let log = run.store.create_file(&run.path.join(LOG))?.into_file();
    let this = environment.program_itself().map_err(not_started)?;
    let argv: Vec<OsString> = plan.argv.iter().map(OsString::from).collect();
    let mut detached = DetachedProcess::wait_to_become(&this, &argv, &plan.environment, &plan.folder, log)
        .map_err(not_started)?;
    let mut server = server_record(run, plan, detached.id(), environment);
    let folder = run.folder();
    let recorded = folder.seal().and_then(|seal| seal.steps(&folder, vec![(record::RECORD, text(&server))]));
    let begun = recorded.and_then(|steps| held.commit(steps));
    drop(held);
    let mut family = Family::new(detached.id());
    let answered = begun
        .and_then(|()| detached.resume().map_err(not_started))
        .and_then(|()| {
            let wait = Wait { seconds: options.wait, port: plan.port, mark: record::mark(run) };
            wait.until_it_answers(&mut detached, &mut family, environment)
        })
        .and_then(|found| {
            family.remember();
            let family = family.members();
            if !options.allow_public_host {
                wait::must_be_private(plan.port, family)?;
            }
            Ok(found)
        });
    let (url, http_status) = match answered {
        Ok(answered) => answered,
        Err(mut failure) => {
            let owner = listeners::on_port(environment, plan.port).unwrap_or_default();
            for pid in interrupt::set_aside(|| family.end(detached)) {
                failure.error.message += &format!("; process {pid}, which it started, cannot be ended");
            }
            return Err(response.with_cause(run, owner, failure)?);
        }
    };
    if let Some(port) = listeners::public_port(plan.port, family.members()) {
        // The user agreed to it.
        response.warnings.push(record::reachable(port));
    }
    server.url = Some(url);
    server.follow(run);
    if let Err(failure) = run.folder().save(vec![(record::RECORD, text(&server))]) {
        // Nobody learns of a server whose start fails.
        interrupt::set_aside(|| family.end(detached));
        return Err(failure);
    }
    (response.server, response.http_status) = (Some(server), Some(http_status));
    Ok(Delivery::from_answer(&response))
}

impl Response {
    /// The failure of a server that was ended, with what has its port and the end of its log.
    ///
    /// # Errors
    /// When the log cannot be read.
    fn with_cause(
        mut self,
        run: &PolishRun,
        owner: Option<ListeningProcess>,
        mut failure: CallFailure,
    ) -> Result<CallFailure, CallFailure> {
        if failure.body.is_some() || !matches!(failure.exit, ENVIRONMENT | TIMEOUT) {
            return Ok(failure);
        }
        self.log = record::log_end(run)?;
        if let Some(owner) = owner.filter(|owner| owner.pid.is_some()) {
            let is_left = owner.pid.is_some_and(|pid| listeners::is_alive(pid, owner.start_time));
            let how = if is_left { "has the port" } else { "listened there, and was ended" };
            failure.error.message += &format!("; {} {how}", owner.words());
            self.owner = Some(owner).filter(|_| is_left);
        }
        Ok(self.failed_with_log(run.record.mode, failure))
    }

    /// The failure with the end of the server's log.
    fn failed_with_log(self, mode: LaunchMode, mut failure: CallFailure) -> CallFailure {
        if mode == LaunchMode::Headless && !self.log.is_empty() {
            failure.error.message += &format!("; its log ends with: {}", self.log.join(" | "));
        }
        self.failed(failure)
    }
}
