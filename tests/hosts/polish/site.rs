//! The project that is polished: a branch `show-cart` of a small site, whose server is a program of ours that ends by itself.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::runtime::fixture::{WORDS, environment, shell};

/// A site in a project.
pub struct Site {
    folder: PathBuf,
    /// Where its server listens.
    pub port: u16,
}

/// A base and a branch with a page and six more files; the remote is beside the project.
const SETUP: &str = r#"
rm -r .plugcast
put server.js 'setTimeout(() => process.exit(), 300000)' 'require("http").createServer((_, answer) => answer.end(require("fs").readFileSync("app/views/cart.html"))).listen(process.env.PORT, "127.0.0.1")'
put .claude/launch.json '{"configurations": [{"name": "web", "runtimeExecutable": "node", "runtimeArgs": ["server.js"], "port": '"$PORT"'}]}'
put src/price.py 'price = 1'
repo
git clone -q --bare . ../origin.git
git config url."$PWD/../origin.git".insteadOf https://github.com/owner/tool
git remote add origin https://github.com/owner/tool
git fetch -q origin
git switch -q -c show-cart
put app/views/cart.html '<!doctype html><title>Cart</title><p>hello from the cart</p><script>document.body.append("seen at " + location.href)</script>'
put src/price.py 'price = 2'
for name in a b c d e f; do put "app/views/$name.html" one; done
commit 'Show the cart'
"#;

/// A finished review of what is checked out, with a verdict.
const REVIEWED: &str = r#"
put .plugcast/runs/.gitignore '*'
reviewed() { put .plugcast/runs/review/20260101-000000-00000001/metadata.json '{"run_id":"20260101-000000-00000001","branch":"show-cart","head_sha":"'$(git rev-parse HEAD)'","verdict":"'"${1:-Ready to merge}"'","completed_at":"2026-01-01T00:00:00Z"}'; }
reviewed
"#;

/// A server of the user that listens on the port of a site; ended when it is dropped.
pub struct OwnServer(Child);

impl OwnServer {
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Whether it has not ended.
    pub fn is_alive(&mut self) -> bool {
        self.0.try_wait().is_ok_and(|ended| ended.is_none())
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port that is free now.
pub fn free_port() -> u16 {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    free.expect("a port is free").port()
}

/// What a model drafts of the change.
pub fn items() -> Value {
    let pages = ["a", "b", "c", "d", "e", "f"].map(|name| format!("app/views/{name}.html"));
    json!({ "items": [
        { "title": "Cart", "files": ["app/views/cart.html"], "surface": "view", "notes": "at /cart" },
        { "title": "All pages", "files": pages, "surface": "view" },
    ] })
}

impl Site {
    /// Makes it in a project's folder.
    pub fn begin(folder: &Path) -> Self {
        let site = Self { folder: folder.to_owned(), port: free_port() };
        site.run(SETUP);
        site
    }

    /// The same with a finished review, and with what a script makes of it.
    pub fn reviewed(folder: &Path, script: &str) -> Self {
        let site = Self::begin(folder);
        site.run(&format!("{REVIEWED}\n{script}"));
        site
    }

    /// Runs a script in it, as its user would.
    pub fn run(&self, script: &str) {
        let mut variables = environment(&self.folder, self.folder.parent().expect("it lies in a folder"));
        variables.insert("PORT".to_owned(), self.port.to_string());
        let ran = shell(&format!("{WORDS}\n{script}"), &self.folder, &variables);
        ran.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Starts a server of the user on its port, which shows the same page.
    pub fn own_server(&self) -> OwnServer {
        let program = "require('http').createServer((_, answer) => answer.end(require('fs').readFileSync('app/views/cart.html'))).listen(process.env.PORT, '127.0.0.1', () => console.log('ready'))";
        let mut server = Command::new("node")
            .args(["-e", program])
            .current_dir(&self.folder)
            .env("PORT", self.port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("`node` can be started");
        let mut first = String::new();
        let read = BufReader::new(server.stdout.take().expect("a pipe")).read_line(&mut first);
        assert!(read.is_ok() && first == "ready\n", "the user's server does not start");
        OwnServer(server)
    }

    /// The commit that is checked out, the branches, a merge under way and the changes of the working tree.
    pub fn snapshot(&self) -> String {
        let merge = std::fs::read_to_string(self.folder.join(".git/MERGE_HEAD")).unwrap_or_default();
        let branches = self.git(&["for-each-ref", "refs/heads"]);
        format!("{}{branches}{merge}{}", self.git(&["rev-parse", "HEAD"]), self.status())
    }

    /// What git answers in the project.
    pub fn git(&self, words: &[&str]) -> String {
        let done = Command::new("git").args(words).current_dir(&self.folder).output().expect("git");
        String::from_utf8_lossy(&done.stdout).into_owned()
    }

    /// The remote, a bare repository.
    pub fn remote(&self) -> PathBuf {
        self.folder.parent().expect("it lies in a folder").join("origin.git")
    }

    /// Whether its server answers with a page that holds these words.
    pub fn answers(&self, words: &str) -> bool {
        self.answers_on(self.port, words)
    }

    /// The same on another port.
    pub fn answers_on(&self, port: u16, words: &str) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
        let mut text = String::new();
        let asked = stream.write_all(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
        asked.and_then(|()| stream.read_to_string(&mut text)).is_ok() && text.contains(words)
    }

    /// Ends the process of its server, which is still the one that a run has on record.
    pub fn end(&self, pid: u64) {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        assert!(String::from_utf8_lossy(&command).contains("server.js"), "{pid} is the server");
        let ended = Command::new("kill").arg(pid.to_string()).status();
        assert!(ended.is_ok_and(|status| status.success()));
    }

    /// Gives a file another text.
    pub fn write(&self, path: &str, text: &str) {
        std::fs::write(self.folder.join(path), text).unwrap_or_else(|error| panic!("{path}: {error}"));
    }

    /// Edits a file: each text, which must stand there, becomes another one.
    pub fn edit(&self, path: &str, edits: &[(&str, &str)]) {
        let mut text = self.text(path);
        for (from, to) in edits {
            assert!(text.contains(from), "`{from}` is missing in {text}");
            text = text.replacen(from, to, 1);
        }
        self.write(path, &text);
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> String {
        let text = std::fs::read_to_string(self.folder.join(path));
        text.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// A file of JSON.
    pub fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Whether there is a file.
    pub fn has(&self, path: &str) -> bool {
        self.folder.join(path).exists()
    }

    /// What git says of the working tree.
    pub fn status(&self) -> String {
        self.git(&["status", "--porcelain"])
    }

    /// How many claims there are on working trees.
    pub fn claims(&self) -> usize {
        std::fs::read_dir(self.folder.join(".plugcast/local/locks")).into_iter().flatten().count()
    }

    fn folders(&self, workflow: &str) -> Vec<String> {
        let place = format!(".plugcast/runs/{workflow}");
        let entries = std::fs::read_dir(self.folder.join(&place)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| format!("{place}/{}", entry.file_name().to_string_lossy())).collect();
        names.sort();
        names
    }

    /// The folders of its polishes.
    pub fn runs(&self) -> Vec<String> {
        self.folders("polish")
    }

    /// The folder of its review.
    pub fn review(&self) -> String {
        let [review] = &self.folders("review")[..] else {
            panic!("one review: {:?}", self.folders("review"))
        };
        review.clone()
    }

    /// What its review came to.
    pub fn verdict(&self) -> String {
        let metadata = self.json(&format!("{}/metadata.json", self.review()));
        metadata["verdict"].as_str().unwrap_or_default().to_owned()
    }
}
