//! Real development servers, each with a small site of ours: Vite, Next and Astro, two runners of a Procfile, and a stand-in
//! for the `bin/dev` of Rails. The helper writes down how each is started, starts it on a free port, asks it, and ends it with
//! all that it started; a real browser sees its page. What `references/servers.md` of the skill says of a server is measured
//! here.

mod site;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use self::site::Site;
use crate::support::git::write;
use crate::support::{browser, tools};

/// From nothing that says how it is started to a page in a browser, and back.
fn served(name: &str, kind: &str, default: u16, programs: Vec<PathBuf>, told: &str) -> Site {
    let mut site = Site::begin(name, programs);
    assert_eq!(site.call(&["launch", "read"], 0)["status"], "none");
    let project = site.call(&["repo", "project"], 0);
    assert_eq!((&project["status"], &project["hits"][0]["type"]), (&json!("single"), &json!(kind)));
    assert_eq!(site.call(&["repo", "port"], 0)["port"], default);
    assert_eq!(site.call(&["launch", "write", "--type", kind], 0)["status"], "written");
    let read = site.call(&["launch", "read"], 0);
    assert_eq!((&read["status"], &read["config"]["port"]), (&json!("ok"), &json!(default)));

    let server = started(&site, &["server", "start"], told);
    let page = browser::page(server["url"].as_str().expect("an address"));
    assert!(page.contains(&format!("hello from {name}")), "{page}\n{}", site.log());
    site.stop();
    assert_eq!(site.status(), "?? .claude/launch.json\n", "nothing else has changed");
    site
}

/// The server of a call that starts one, seen from all sides; `told` is the end of its command line.
fn started(site: &Site, call: &[&str], told: &str) -> Value {
    let port = site.port.to_string();
    let words = [call, &["--run", &site.run, "--port", &port, "--wait", "120"]].concat();
    let answer = site.call(&words, 0);
    assert_eq!((&answer["status"], &answer["http_status"]), (&json!("started"), &json!(200)), "{answer}");
    assert_eq!(answer["warnings"], json!([]), "it listens on this machine alone");
    let argv = answer["server"]["argv"].as_array().expect("words");
    let argv: Vec<&str> = argv.iter().filter_map(Value::as_str).collect();
    assert!(argv.join(" ").ends_with(&told.replace("PORT", &port)), "{argv:?}");
    assert_eq!(site.call(&["server", "probe", "--port", &port], 0)["status"], "reachable");
    let owner = site.call(&["server", "owner", "--port", &port], 0)["owner"].clone();
    assert_eq!(owner["cwd"], json!(std::fs::canonicalize(site.path()).expect("it is there")), "{owner}");
    let status = site.call(&["server", "status", "--run", &site.run], 0);
    assert_eq!(status["status"], "running");
    answer["server"].clone()
}

#[test]
fn vite_is_started_and_ended() {
    served("vite", "vite", 5173, Vec::new(), "/npm run dev -- --port PORT");
}

#[test]
fn next_is_started_on_this_machine_alone_and_ended() {
    let mut site = served("next", "next", 3000, Vec::new(), "/npm run dev -- -H 127.0.0.1");
    // Left to itself it listens on all addresses, which the helper tells.
    let port = site.port.to_string();
    let start = ["server", "start", "--run", &site.run, "--port", &port, "--wait", "120"];
    let answer = site.call(&[&start[..], &["--allow-public-host"]].concat(), 0);
    assert!(answer["warnings"][0].as_str().is_some_and(|text| text.contains("all addresses")), "{answer}");
    site.stop();
}

#[test]
fn astro_is_started_and_ended() {
    served("astro", "astro", 4321, Vec::new(), "/npm run dev -- --port PORT");
}

/// A site without Ruby: `bin/dev` is a script of ours.
#[test]
fn a_stand_in_for_the_script_of_rails_is_started_and_ended() {
    served("rails", "rails", 3000, Vec::new(), "/bin/dev");
}

#[test]
fn foreman_runs_a_procfile_and_is_ended() {
    let foreman = tools::foreman().unwrap_or_else(|missing| panic!("{missing}"));
    let site = served("procfile", "procfile", 3000, vec![foreman], "/foreman start -f Procfile.dev");
    let second = format!("the second line has {}", site.port + 100);
    assert!(site.log().contains(&second), "{}", site.log());
}

/// `.claude/launch.json` absent, invalid, and with several configurations, of which one is the runner from npm.
#[test]
fn the_runner_of_npm_is_one_of_several_configurations() {
    let mut site = Site::begin("procfile", Vec::new());
    let port = site.port.to_string();
    let run = site.run.clone();
    let start = |more: &[&'static str]| {
        let words = ["server", "start", "--run", &run, "--port", &port].map(str::to_owned);
        words.into_iter().chain(more.iter().map(|word| (*word).to_owned())).collect::<Vec<_>>()
    };
    let call = |site: &Site, words: Vec<String>, code| {
        site.call(&words.iter().map(String::as_str).collect::<Vec<_>>(), code)
    };
    let absent = call(&site, start(&[]), 5);
    assert_eq!(absent["error"]["code"], "no_command");
    write(site.path(), ".claude/launch.json", "{\n  \"configurations\": [,]\n}\n");
    let invalid = call(&site, start(&[]), 4)["error"].clone();
    assert_eq!((&invalid["file"], &invalid["line"]), (&json!(".claude/launch.json"), &json!(2)), "{invalid}");
    let one = |name: &str, words: &[&str]| json!({ "name": name, "runtimeExecutable": "npm", "runtimeArgs": words });
    let several = json!({ "configurations": [one("web", &["run", "dev"]), one("worker", &["run", "work"])] });
    write(site.path(), ".claude/launch.json", &several.to_string());
    assert_eq!(site.call(&["launch", "read"], 0)["names"], json!(["web", "worker"]));
    assert_eq!(call(&site, start(&[]), 2)["error"]["code"], "several_configs");
    assert!(!Path::new(&site.run).join("server.json").exists(), "nothing was started");
    assert_eq!(site.processes(), [""; 0]);

    let server = started(&site, &["server", "start", "web"], "/npm run dev");
    let page = browser::page(server["url"].as_str().expect("an address"));
    assert!(page.contains("hello from procfile"), "{page}");
    assert!(site.log().contains(&format!("the second line has {}", site.port + 100)), "{}", site.log());
    site.stop();
    assert_eq!(site.status(), "?? .claude/launch.json\n");
}

/// Where a server says that it listens, with a port and an address in its variables.
fn listens(site: &Site, program: &str, words: &[&str]) -> String {
    let mut command = site.program(program);
    let variables =
        [("PORT", site.port.to_string().as_str()), ("HOST", "127.0.0.1"), ("HOSTNAME", "127.0.0.1")]
            .map(|(name, value)| (name, value.to_owned()));
    let mut child = command.args(words).envs(variables).stdout(Stdio::piped()).spawn().expect("it starts");
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let address =
        |line: String| line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned);
    let found = { lines }.find_map(address);
    let _ = child.kill();
    let _ = child.wait();
    found.unwrap_or_else(|| panic!("`{program}` names no address"))
}

/// Why the helper passes options to scripts: these servers do not read the variables.
#[test]
fn vite_and_astro_do_not_read_the_port_of_the_environment() {
    for (name, words) in [("vite", &[][..]), ("astro", &["dev"])] {
        let site = Site::begin(name, Vec::new());
        let address = listens(&site, name, words);
        assert!(address.starts_with("http://localhost:"), "{name}: {address}");
        assert!(!address.contains(&site.port.to_string()), "{name} reads `PORT` now: {address}");
    }
}
