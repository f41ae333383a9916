//! The project that is polished: a branch `show-cart` of a small site, whose server is a program of ours that ends by itself.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::runtime::scene::{WORDS, environment, shell};

/// A site in a project.
pub struct Site {
    folder: PathBuf,
    /// Where its server listens.
    pub port: u16,
}

/// A base and a branch with a page and six more files; the remote lies beside the project.
const SCENE: &str = r#"
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
put app/views/cart.html 'hello from the cart'
put src/price.py 'price = 2'
for name in a b c d e f; do put "app/views/$name.html" one; done
commit 'Show the cart'
"#;

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
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = free.expect("a port is free").port();
        let mut variables = environment(folder, folder.parent().expect("it lies in a folder"));
        variables.insert("PORT".to_owned(), port.to_string());
        shell(&format!("{WORDS}\n{SCENE}"), folder, &variables).unwrap_or_else(|error| panic!("{error}"));
        Self { folder: folder.to_owned(), port }
    }

    /// Whether its server answers with a page that holds these words.
    pub fn answers(&self, words: &str) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
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
        let mut git = Command::new("git");
        let done = git.args(["status", "--porcelain"]).current_dir(&self.folder).output().expect("git");
        String::from_utf8_lossy(&done.stdout).into_owned()
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
