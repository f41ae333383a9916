//! `server start --adopt`: adopts a server that is already listening, if it shows what is polished.

use super::probe;
use super::record::{self, SCHEMA, Server};
use super::start::{Options, Response, ServerStartStatus};
use crate::disk;
use crate::runtime::answer::{CONTENDED, CallFailure, Delivery, REFUSED};
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::listeners;
use crate::runtime::polish::record::PolishRun;
use crate::runtime::run::text;

/// Records the server of the port.
///
/// # Errors
/// `no_server`, `owner_changed`, `sandboxed`.
pub(super) fn run(
    options: &Options,
    run: &PolishRun,
    environment: &Environment,
) -> Result<Delivery, CallFailure> {
    let port = options.port.unwrap_or_default();
    let mut response = Response::new(ServerStartStatus::Adopted);
    let none = |why: String| {
        let message = format!("{why}: a polish cannot continue without a development server");
        let hint = "free the port and start one, or stop with `polish cancel`";
        CallFailure::new(REFUSED, ErrorCode::NoServer, message, hint)
    };
    if run.record.moved {
        let why = format!("the server on port {port} may still show the previous checkout");
        return Err(response.failed(none(why)));
    }
    let Some(owner) = listeners::on_port(environment, port)? else {
        return Err(response.failed(none(format!("nothing listens on port {port}"))));
    };
    if options.pid.is_some() && options.pid != owner.pid {
        let message = format!("port {port} is taken by {}, not by the named process", owner.words());
        return Err(CallFailure::new(
            CONTENDED,
            ErrorCode::OwnerChanged,
            message,
            "run `server owner` again, and ask the user",
        ));
    }
    let Some((url, http_status)) = probe::ask(port, probe::LONG_PATIENCE).unwrap_or(None) else {
        let why = format!("{} does not answer HTTP on port {port}", owner.words());
        response.owner = Some(owner);
        return Err(response.failed(none(why)));
    };
    let tree = std::path::Path::new(&run.record.tree);
    if owner.cwd.as_ref().is_some_and(|cwd| !disk::is_inside(tree, std::path::Path::new(cwd))) {
        response.warnings.push(format!("{} does not run in this working tree", owner.words()));
    }
    let server = Server {
        schema: SCHEMA.to_owned(),
        pid: owner.pid,
        pgid: None,
        start_time: owner.start_time,
        argv: owner.command.into_iter().collect(),
        cwd: owner.cwd,
        port,
        url: Some(url),
        log: None,
        started_at: environment.now().rfc3339(),
        adopted: true,
    };
    run.folder().save(vec![(record::RECORD, text(&server))])?;
    (response.server, response.http_status) = (Some(server), Some(http_status));
    Ok(Delivery::from_answer(&response))
}
