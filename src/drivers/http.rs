//! A small HTTP/1.1 server on loopback for the hosts' model requests: bodies by length or in chunks, persistent
//! connections, one thread per connection. Every path starts with a secret that only the host knows, so that other
//! users of this machine get no answer. It stops when dropped.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// The maximum size of a request; a host's request with everything listed has about 300 KB.
const LIMIT: usize = 64 << 20;

/// The maximum number of concurrent connections; a host has a handful.
const CONNECTIONS: usize = 64;

/// One request of a host.
#[derive(Debug, Clone)]
pub struct HttpRequest {
    /// For example `POST`.
    pub method: String,
    /// The path without its query.
    pub path: String,
    /// The body, decoded from chunks.
    pub body: Vec<u8>,
}

/// The response.
#[derive(Debug, Clone)]
pub struct HttpResponse {
    /// The status code.
    pub status: u16,
    /// The value of `content-type`.
    pub content_type: &'static str,
    /// The body.
    pub body: Vec<u8>,
}

impl HttpResponse {
    /// A JSON answer.
    pub fn json(status: u16, value: &serde_json::Value) -> Self {
        Self { status, content_type: "application/json", body: value.to_string().into_bytes() }
    }
}

/// A running server.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    secret: Arc<str>,
    stopped: Arc<AtomicBool>,
    connections: Arc<Mutex<Vec<TcpStream>>>,
}

impl HttpServer {
    /// Listens on a free port of 127.0.0.1 and answers every request with `answer`.
    ///
    /// # Errors
    /// When no port can be bound, or the system provides no random bytes.
    pub fn start(answer: impl Fn(&HttpRequest) -> HttpResponse + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        let secret: Arc<str> = data_encoding::HEXLOWER.encode(&random).into();
        let told = Arc::clone(&secret);
        let (stopped, connections) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (ends, open, answer) = (Arc::clone(&stopped), Arc::clone(&connections), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(stream), Ok(mut all)) = (stream, open.lock()) else { continue };
                if all.len() >= CONNECTIONS {
                    continue;
                }
                let (Ok(copy), Ok(peer)) = (stream.try_clone(), stream.peer_addr()) else { continue };
                all.push(copy);
                drop(all);
                let (answer, secret, open) = (Arc::clone(&answer), Arc::clone(&told), Arc::clone(&open));
                thread::spawn(move || {
                    serve(&stream, &secret, answer.as_ref());
                    // The copy kept for shutdown would keep the connection open.
                    let _ = stream.shutdown(Shutdown::Both);
                    if let Ok(mut open) = open.lock() {
                        open.retain(|other| other.peer_addr().is_ok_and(|other| other != peer));
                    }
                });
            }
        });
        Ok(Self { address, secret, stopped, connections })
    }

    /// The base URL of all paths, such as `http://127.0.0.1:8080/0123`.
    pub fn address(&self) -> String {
        format!("http://{}/{}", self.address, self.secret)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // The listener blocks in `accept`: a connection wakes it.
        let _ = TcpStream::connect(self.address);
        if let Ok(open) = self.connections.lock() {
            for stream in open.iter() {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }
}

/// Answers requests on one connection until the peer closes it or sends invalid HTTP.
fn serve(stream: &TcpStream, secret: &str, answer: &(impl Fn(&HttpRequest) -> HttpResponse + ?Sized)) {
    let mut reader = BufReader::new(stream);
    while let Ok(Some((request, keep))) = read_request(&mut reader, &mut &*stream, secret) {
        if write_response(&mut &*stream, &answer(&request), request.method == "HEAD", keep).is_err() || !keep
        {
            return;
        }
    }
}

/// Reads one request and returns whether the connection stays open; `None` at the end of the stream. A client that
/// sends `Expect: 100-continue` gets its answer through `interim`. If the path does not start with the secret, only the
/// head is read.
fn read_request(
    reader: &mut impl BufRead,
    interim: &mut impl Write,
    secret: &str,
) -> io::Result<Option<(HttpRequest, bool)>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if reader.by_ref().take(1 << 20).read_until(b'\n', &mut head)? == 0 || head.len() > 1 << 20 {
            return Ok(None);
        }
    }
    let mut headers = [httparse::EMPTY_HEADER; 128];
    let mut parsed = httparse::Request::new(&mut headers);
    parsed.parse(&head).map_err(io::Error::other)?;
    let header = |name: &str| {
        let found = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        found.map(|header| String::from_utf8_lossy(header.value).to_ascii_lowercase())
    };
    let target = parsed.path.unwrap_or("/");
    let path = target.split(['?', '#']).next().unwrap_or("/");
    let inner = path.strip_prefix('/').and_then(|path| path.strip_prefix(secret));
    let Some(path) = inner.filter(|inner| inner.is_empty() || inner.starts_with('/')) else {
        return Err(io::Error::other("the request does not know the secret"));
    };
    let path = if path.is_empty() { "/" } else { path }.to_owned();
    let keep = header("connection").is_none_or(|value| value != "close");
    if header("expect").is_some_and(|value| value == "100-continue") {
        interim.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let body = if header("transfer-encoding").is_some_and(|value| value.contains("chunked")) {
        read_chunks(reader)?
    } else {
        let length = header("content-length").and_then(|value| value.trim().parse().ok()).unwrap_or(0);
        read_exactly(reader, length)?
    };
    Ok(Some((HttpRequest { method: parsed.method.unwrap_or("GET").to_owned(), path, body }, keep)))
}

fn read_exactly(reader: &mut impl BufRead, length: usize) -> io::Result<Vec<u8>> {
    if length > LIMIT {
        return Err(io::Error::other("the request is too large"));
    }
    // Do not allocate by the declared length.
    let mut body = Vec::new();
    reader.take(length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(body)
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.by_ref().take(1024).read_line(&mut line)?;
        let digits = line.split(';').next().unwrap_or("").trim();
        let size = usize::from_str_radix(digits, 16).map_err(io::Error::other)?;
        if size == 0 {
            break;
        }
        if body.len().saturating_add(size) > LIMIT {
            return Err(io::Error::other("the request is too large"));
        }
        body.extend(read_exactly(reader, size)?);
        read_exactly(reader, 2)?;
    }
    // Trailers end with an empty line.
    let mut line = String::new();
    while reader.by_ref().take(1 << 16).read_line(&mut line)? > 2 {
        line.clear();
    }
    Ok(body)
}

fn write_response(
    out: &mut impl Write,
    response: &HttpResponse,
    head_only: bool,
    keep: bool,
) -> io::Result<()> {
    let reason = match response.status {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        _ => "Other",
    };
    let connection = if keep { "keep-alive" } else { "close" };
    let mut bytes = format!(
        "HTTP/1.1 {} {reason}\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: {connection}\r\n\r\n",
        response.status,
        response.content_type,
        response.body.len(),
    )
    .into_bytes();
    if !head_only {
        bytes.extend(&response.body);
    }
    out.write_all(&bytes)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> io::Result<Option<(HttpRequest, bool)>> {
        read_request(&mut io::BufReader::new(bytes), &mut io::sink(), "key")
    }

    #[test]
    fn reads_bodies_by_length_and_in_chunks() {
        let (request, keep) =
            read(b"POST /key/v1/x?beta=1 HTTP/1.1\r\nContent-Length: 4\r\n\r\nbodymore").unwrap().unwrap();
        assert_eq!(
            (request.method.as_str(), request.path.as_str(), request.body.as_slice()),
            ("POST", "/v1/x", &b"body"[..])
        );
        assert!(keep);
        let chunked = b"POST /key HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n";
        let (request, keep) = read(chunked).unwrap().unwrap();
        assert_eq!((request.body.as_slice(), keep), (&b"abcde"[..], false));
    }

    #[test]
    fn neither_an_end_nor_nonsense_is_a_request() {
        assert!(read(b"").unwrap().is_none());
        assert!(read(b"GET / HTT").unwrap().is_none());
        assert!(read(b"\x00\x01 nonsense\r\n\r\n").is_err());
        assert!(read(b"POST /key HTTP/1.1\r\nContent-Length: 9\r\n\r\nshort").is_err());
    }

    #[test]
    fn keeps_a_connection_open() {
        let server = HttpServer::start(|request| {
            HttpResponse::json(200, &serde_json::json!({ "path": request.path }))
        })
        .unwrap();
        let mut stream = TcpStream::connect(server.address).unwrap();
        let secret = &server.secret;
        let asked =
            format!("HEAD /{secret}/a HTTP/1.1\r\n\r\nGET /{secret}/b HTTP/1.1\r\nconnection: close\r\n\r\n");
        stream.write_all(asked.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 2);
        assert!(text.ends_with("{\"path\":\"/b\"}") && !text.contains("/a"));
    }

    #[test]
    fn who_does_not_know_the_secret_gets_no_answer() {
        for head in ["POST /v1/x HTTP/1.1", "POST /keys/v1/x HTTP/1.1", "POST / HTTP/1.1", "GET key HTTP/1.1"]
        {
            let bytes = format!("{head}\r\nContent-Length: 4\r\n\r\nbody");
            assert!(read(bytes.as_bytes()).is_err(), "{head}");
        }
        let server = HttpServer::start(|_| HttpResponse::json(200, &serde_json::json!({}))).unwrap();
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(b"POST /v1/messages HTTP/1.1\r\nContent-Length: 9000\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert_eq!(text, "");
    }

    #[test]
    fn a_declared_length_takes_no_room() {
        // With as much memory as declared, this would be killed or refused.
        let declared = format!("POST /key HTTP/1.1\r\nContent-Length: {LIMIT}\r\n\r\nshort");
        assert!(read(declared.as_bytes()).is_err());
        let mut reader = io::BufReader::new(&b"short"[..]);
        assert_eq!(read_exactly(&mut reader, LIMIT).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        let beyond = format!("POST /key HTTP/1.1\r\nContent-Length: {}\r\n\r\nx", LIMIT + 1);
        assert!(read(beyond.as_bytes()).is_err());
        let chunk =
            format!("POST /key HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\nshort", usize::MAX);
        assert!(read(chunk.as_bytes()).is_err());
    }

    #[test]
    fn there_are_only_so_many_connections() {
        let server = HttpServer::start(|_| HttpResponse::json(200, &serde_json::json!({}))).unwrap();
        let open: Vec<TcpStream> =
            (0..CONNECTIONS + 8).map(|_| TcpStream::connect(server.address).unwrap()).collect();
        // Connections beyond the limit are closed immediately.
        let mut text = String::new();
        open.last().unwrap().read_to_string(&mut text).unwrap();
        assert!(server.connections.lock().unwrap().len() <= CONNECTIONS);
    }
}
