//! Which process listens on a port, from the tables of the system; and free ports.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::error_code::ErrorCode;
use super::foreign_process;
use crate::disk;
use crate::order;
use crate::printable;
use crate::runtime::answer::{CallFailure, ShownText};
use crate::runtime::child;
use crate::runtime::environment::Environment;
use crate::runtime::hosts::SandboxAccess;

/// A process that listens.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListeningProcess {
    /// Its process id; none if the system does not reveal it.
    pub pid: Option<u32>,
    /// Its command line.
    pub command: Option<String>,
    /// Its working directory.
    #[serde(serialize_with = "ShownText::shown")]
    pub cwd: Option<String>,
    /// When it started, in clock ticks since boot: a later process with the same id has a different value.
    pub start_time: Option<u64>,
}

/// The process that listens on `port`, the first started if there are several; clients do not count.
///
/// # Errors
/// As [`all`].
pub(in crate::runtime) fn on_port(
    environment: &Environment,
    port: u16,
) -> Result<Option<ListeningProcess>, CallFailure> {
    Ok(all(environment, port)?.into_iter().next())
}

/// All processes that listen on `port`, oldest first. Of processes that share a socket, such as a server with workers,
/// only the one that started the others counts.
///
/// # Errors
/// `sandboxed` if a sandbox refuses ports: its own tables do not list processes outside of it.
pub(in crate::runtime) fn all(
    environment: &Environment,
    port: u16,
) -> Result<Vec<ListeningProcess>, CallFailure> {
    let unknown = ListeningProcess { pid: None, command: None, cwd: None, start_time: None };
    let sockets = sockets(port);
    if sockets.is_empty() {
        // Without these tables, only a trial bind shows whether the port is in use.
        let known = disk::is_file(Path::new("/proc/net/tcp"));
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, if known { 0 } else { port }));
        let error = bound.as_ref().err().map(ToString::to_string).unwrap_or_default();
        return match child::sandbox_refusal(environment, SandboxAccess::Network, &error) {
            Some(refusal) => Err(refusal),
            None => Ok((!known && bound.is_err()).then_some(unknown).into_iter().collect()),
        };
    }
    let held = holders(&sockets);
    let mut owners = BTreeSet::new();
    for socket in &sockets {
        let of_one: Vec<u32> = held.iter().filter(|(own, _)| own == socket).map(|(_, pid)| *pid).collect();
        let first = of_one.iter().filter(|pid| parent(**pid).is_none_or(|above| !of_one.contains(&above)));
        owners.extend(first.map(|pid| (start_time(*pid), *pid)).min());
    }
    if owners.is_empty() {
        return Ok(vec![unknown]);
    }
    Ok(owners.into_iter().map(|(started, pid)| describe_process(pid, started)).collect())
}

/// Which process holds which of these sockets.
fn holders(sockets: &[String]) -> Vec<(String, u32)> {
    let proc = Path::new("/proc");
    let mut held = Vec::new();
    for (name, _) in disk::list(proc).unwrap_or_default() {
        let Ok(pid) = name.parse::<u32>() else { continue };
        let links = disk::links(&proc.join(&name).join("fd"));
        let inodes = links.iter().filter_map(|link| link.strip_prefix("socket:[")?.strip_suffix(']'));
        let own: BTreeSet<&str> = order::set(inodes.filter(|own| sockets.iter().any(|socket| socket == own)));
        held.extend(own.into_iter().map(|own| (own.to_owned(), pid)));
    }
    held
}

/// Describes a process that listens.
fn describe_process(pid: u32, start_time: Option<u64>) -> ListeningProcess {
    let folder = Path::new("/proc").join(pid.to_string());
    let command = disk::read_bytes(&folder.join("cmdline")).ok().flatten().map(|bytes| {
        let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        printable::line(&words.map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ")).into_owned()
    });
    let cwd = disk::canonical(&folder.join("cwd")).ok().map(|path| path.display().to_string());
    ListeningProcess { pid: Some(pid), command, cwd, start_time }
}

/// The parent of a process.
fn parent(pid: u32) -> Option<u32> {
    fields(pid)?.split_whitespace().nth(1)?.parse().ok()
}

/// A description of several processes.
pub(in crate::runtime) fn words(owners: &[ListeningProcess]) -> String {
    owners.iter().map(ListeningProcess::words).collect::<Vec<_>>().join(" and ")
}

/// The fields of `/proc/PID/stat` after the name, which may contain any characters.
fn fields(pid: u32) -> Option<String> {
    let path = Path::new("/proc").join(pid.to_string()).join("stat");
    let bytes = disk::read_bytes(&path).ok().flatten()?;
    Some(String::from_utf8_lossy(&bytes).rsplit_once(')')?.1.to_owned())
}

/// When a process started, in clock ticks since boot.
pub(in crate::runtime) fn start_time(pid: u32) -> Option<u64> {
    fields(pid)?.split_whitespace().nth(19)?.parse().ok()
}

/// Whether a process belongs to `leader`, by its session or its ancestors.
pub(in crate::runtime) fn belongs_to(mut pid: u32, leader: u32) -> bool {
    const MOST: usize = 64;
    for _ in 0..MOST {
        let Some(fields) = fields(pid) else { return false };
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let number = |at: usize| fields.get(at).and_then(|field| field.parse().ok());
        if pid == leader || number(3) == Some(leader) {
            return true;
        }
        match number(1) {
            Some(parent) if parent > 1 => pid = parent,
            _ => return false,
        }
    }
    false
}

/// Whether the process with this id and start time is still alive.
pub(in crate::runtime) fn is_alive(pid: u32, started: Option<u64>) -> bool {
    if !has_processes() {
        return foreign_process::exists(pid);
    }
    start_time(pid) == started && !has_ended(pid)
}

/// Whether this system has a table of processes.
pub(in crate::runtime) fn has_processes() -> bool {
    disk::is_file(Path::new("/proc/self/stat"))
}

/// Whether a process is gone or a zombie.
pub(in crate::runtime) fn has_ended(pid: u32) -> bool {
    fields(pid).is_none_or(|fields| fields.split_whitespace().next() == Some("Z"))
}

/// The processes that belong to `leader` and have not ended, itself among them, each with when it started.
pub(in crate::runtime) fn family(leader: u32) -> Vec<(u32, u64)> {
    let all = disk::list(Path::new("/proc")).unwrap_or_default().into_iter();
    let own = all.filter_map(|(name, _)| name.parse().ok()).filter(|pid| belongs_to(*pid, leader));
    own.filter(|pid| !has_ended(*pid)).filter_map(|pid| Some((pid, start_time(pid)?))).collect()
}

/// Whether any process of `leader` is alive. The start time guards against a reused process id.
pub(in crate::runtime) fn is_family_alive(leader: u32, started: Option<u64>) -> bool {
    let is_same = start_time(leader).is_none_or(|time| Some(time) == started);
    is_same && !family(leader).is_empty()
}

/// A port that other machines can reach: `port`, or another on which one of these processes listens.
pub(in crate::runtime) fn public_port(port: u16, family: &[(u32, u64)]) -> Option<u16> {
    let mut public = rows();
    public.retain(|row| row.address.bytes().all(|digit| digit == b'0'));
    if public.iter().any(|row| row.port == port) {
        return Some(port);
    }
    let sockets: Vec<String> = public.iter().map(|row| row.inode.clone()).collect();
    let held = if sockets.is_empty() { Vec::new() } else { holders(&sockets) };
    let own = held.iter().find(|(_, pid)| family.iter().any(|(own, _)| own == pid));
    own.and_then(|(socket, _)| public.iter().find(|row| row.inode == *socket)).map(|row| row.port)
}

/// The listeners that have `mark` in their environment, which a process passes on to all that it starts: the port of
/// each, its process id, and when it started.
pub(in crate::runtime) fn marked(mark: &str) -> Vec<(u16, u32, u64)> {
    let rows = rows();
    let sockets: Vec<String> = rows.iter().map(|row| row.inode.clone()).collect();
    let mut held = holders(&sockets);
    held.retain(|(_, pid)| has_mark(*pid, mark));
    let of_one = |(socket, pid): (String, u32)| {
        let row = rows.iter().find(|row| row.inode == socket)?;
        Some((row.port, pid, start_time(pid)?))
    };
    held.into_iter().filter_map(of_one).collect()
}

/// All other processes that have `mark` in their environment and have not ended.
pub(in crate::runtime) fn marked_processes(mark: &str) -> Vec<u32> {
    let all = disk::list(Path::new("/proc")).unwrap_or_default().into_iter();
    all.filter_map(|(name, _)| name.parse().ok())
        .filter(|pid| *pid != std::process::id() && has_mark(*pid, mark) && !has_ended(*pid))
        .collect()
}

/// The first ancestor of a process that has `mark`, by way of others that have it; the process itself if its parent has
/// not.
pub(in crate::runtime) fn first_marked(mut pid: u32, mark: &str) -> u32 {
    while let Some(above) = parent(pid).filter(|above| has_mark(*above, mark)) {
        pid = above;
    }
    pid
}

/// Whether a process has `mark`, a variable with its value, in its environment.
pub(in crate::runtime) fn has_mark(pid: u32, mark: &str) -> bool {
    let path = Path::new("/proc").join(pid.to_string()).join("environ");
    let bytes = disk::read_bytes(&path).ok().flatten().unwrap_or_default();
    bytes.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
}

/// Whether one of these processes listens on `port`.
pub(in crate::runtime) fn listens_on(port: u16, family: &[(u32, u64)]) -> bool {
    holders(&sockets(port)).iter().any(|(_, pid)| family.iter().any(|(own, _)| own == pid))
}

/// The inodes of sockets that listen on `port`.
fn sockets(port: u16) -> Vec<String> {
    rows().into_iter().filter(|row| row.port == port).map(|row| row.inode).collect()
}

/// A listening socket.
struct ListeningSocket {
    port: u16,
    /// Its address, in the hexadecimal form of the system.
    address: String,
    inode: String,
}

/// All listening sockets.
fn rows() -> Vec<ListeningSocket> {
    const LISTENING: &str = "0A";
    let mut found = Vec::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        let text = disk::read_text(Path::new(table)).ok().flatten().unwrap_or_default();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let (Some(local), Some(state), Some(inode)) = (fields.get(1), fields.get(3), fields.get(9))
            else {
                continue;
            };
            let Some((address, own)) = local.rsplit_once(':') else { continue };
            if let (Ok(port), LISTENING) = (u16::from_str_radix(own, 16), *state) {
                let (address, inode) = (address.to_owned(), (*inode).to_owned());
                found.push(ListeningSocket { port, address, inode });
            }
        }
    }
    found
}

/// A free port: `wanted`, else one of the twenty above it, else any.
pub(in crate::runtime) fn free_port(environment: &Environment, wanted: u16) -> Result<u16, CallFailure> {
    let above = (1..=20).filter_map(|step| wanted.checked_add(step));
    let mut last = None;
    for port in std::iter::once(wanted).chain(above).chain(std::iter::once(0)) {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => match listener.local_addr() {
                // Another process may listen on another address of this machine.
                Ok(address) if sockets(address.port()).len() <= 1 => return Ok(address.port()),
                Ok(_) => {}
                Err(error) => last = Some(error),
            },
            Err(error) => last = Some(error),
        }
    }
    let words = last.map_or_else(|| "no port is free".to_owned(), |error| error.to_string());
    Err(child::sandbox_refusal(environment, SandboxAccess::Network, &words).unwrap_or_else(|| {
        CallFailure::environment(
            ErrorCode::NoFreePort,
            format!("no port can be taken: {words}"),
            "end a running server",
        )
    }))
}

impl ListeningProcess {
    /// A description for messages.
    pub(in crate::runtime) fn words(&self) -> String {
        match (self.pid, &self.command) {
            (Some(pid), Some(command)) => format!("process {pid} (`{command}`)"),
            (Some(pid), None) => format!("process {pid}"),
            (None, _) => "a process that the system does not name".to_owned(),
        }
    }
}
