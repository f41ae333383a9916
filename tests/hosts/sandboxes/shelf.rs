//! A repository behind a port on loopback, and the command that stands for `ssh` to get there: enough for git to fetch
//! over a network that a sandbox can refuse, by a protocol that the helper allows.

use std::fs::Permissions;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// A running server, ended when it is dropped.
pub struct Shelf {
    /// Its port on 127.0.0.1.
    port: u16,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Shelf {
    /// Serves the bare repository in a folder, one fetch after the other.
    pub fn new(repository: PathBuf) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let ended = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&ended);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if end.load(Ordering::SeqCst) {
                    break;
                }
                // Who hangs up gets no answer.
                let _ = stream.and_then(|stream| serve(&repository, stream));
            }
        });
        Self { port, ended, thread: Some(thread) }
    }

    /// Writes the command that git starts in the place of `ssh`.
    pub fn command(&self, path: &Path) {
        let script = format!(
            "#!/bin/sh\nexec node -e 'const s = require(\"net\").connect({}, \"127.0.0.1\");\n\
             s.on(\"error\", error => {{ console.error(error.message); process.exit(255); }});\n\
             process.stdin.pipe(s); s.pipe(process.stdout);'\n",
            self.port
        );
        std::fs::write(path, script).expect("the command");
        std::fs::set_permissions(path, Permissions::from_mode(0o755)).expect("it can be run");
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn serve(repository: &Path, stream: TcpStream) -> std::io::Result<()> {
    Command::new("git")
        .args(["-c", "safe.directory=*", "upload-pack"])
        .arg(repository)
        .stdin(OwnedFd::from(stream.try_clone()?))
        .stdout(OwnedFd::from(stream))
        .stderr(Stdio::null())
        .status()
        .map(drop)
}
