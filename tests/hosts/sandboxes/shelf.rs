//! Files below a folder over plain HTTP on loopback, one after the other: enough for git to fetch from a bare
//! repository whose lists are written down.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// A running server, ended when it is dropped.
pub struct Shelf {
    /// Its port on 127.0.0.1.
    pub port: u16,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Shelf {
    /// Serves a folder.
    pub fn of(folder: &Path) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let ended = Arc::new(AtomicBool::new(false));
        let (folder, end) = (folder.to_owned(), Arc::clone(&ended));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if end.load(Ordering::SeqCst) {
                    break;
                }
                // Who hangs up gets no answer.
                let _ = stream.and_then(|stream| serve(&folder, stream));
            }
        });
        Self { port, ended, thread: Some(thread) }
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn serve(folder: &Path, mut stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let path = first.split(' ').nth(1).unwrap_or_default().split('?').next().unwrap_or_default();
    let file: PathBuf = folder.join(path.trim_start_matches('/'));
    let (status, body) = match std::fs::read(&file) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    write!(stream, "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len())?;
    stream.write_all(&body)
}
