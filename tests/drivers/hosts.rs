//! Tests of the drivers in the real hosts.

use std::path::Path;

use plugcast::drivers::installation::Search;
use plugcast::drivers::observation::Installation;
use plugcast::drivers::script::{Conversation, ModelRequest, Reply, Script, Step};
use plugcast::drivers::session::{Opening, Session, Transcript};
use plugcast::drivers::{driver, run};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::plugin::{AGENTS, CHECKER, COMMANDS, GREETING, PLAN, SKILLS, demo};
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::run::{Finished, Plugcast};
use crate::support::tree::Tree;

const HOSTS: [&str; 3] = ["claude-code", "codex", "opencode"];

/// `HOST=PATH` for every host.
fn binaries(hosts: &Hosts) -> Vec<String> {
    let rg = hosts.ripgrep.join("rg");
    [("claude-code", &hosts.claude_code), ("codex", &hosts.codex), ("opencode", &hosts.opencode), ("rg", &rg)]
        .map(|(name, path)| format!("{name}={}", path.display()))
        .into()
}

fn verify(hosts: &Hosts, folder: &Path, more: &[&str]) -> Finished {
    let mut arguments = vec!["verify".to_owned(), folder.display().to_string(), "--all".to_owned()];
    for binary in binaries(hosts) {
        arguments.extend(["--host-bin".to_owned(), binary]);
    }
    arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
    Plugcast::new(folder, &arguments).run()
}

/// The plugin built for every host.
fn built() -> TempDir {
    let (source, out) = (demo().temporary(), Tree::new().temporary());
    let dist = out.path().display().to_string();
    Plugcast::new(source.path(), &["build", "--to", "all", "--out", &dist]).run().expect_code(0);
    out
}

#[test]
fn every_host_shows_every_name_and_body() {
    let hosts = real_hosts!();
    let source = demo().temporary();
    let finished = verify(&hosts, source.path(), &["--to", "all", "--format", "json"]).expect_code(0);
    let shown: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    let found: Vec<&str> =
        shown["hosts"].as_array().unwrap().iter().filter_map(|host| host["host"].as_str()).collect();
    assert_eq!(found, HOSTS);
    for host in shown["hosts"].as_array().unwrap() {
        let bodies = SKILLS.len() + COMMANDS.len();
        assert_eq!((&host["invoked"], &host["total"]), (&json!(bodies), &json!(bodies)), "{host}");
        let observed = &host["plugins"][0]["observed"];
        assert_eq!(observed["skills"], json!(SKILLS), "{host}");
        assert_eq!(observed["agents"], json!(AGENTS), "{host}");
        assert_eq!(observed["commands"], json!(COMMANDS), "{host}");
        assert_eq!(host["plugins"][0]["method"]["skills"], "listed", "{host}");
    }
}

#[test]
fn a_proof_stays_only_while_the_host_shows_everything() {
    let hosts = real_hosts!();
    let dist = built();
    let bundle = dist.path().join("codex");
    let proof = bundle.join(".plugcast/verified.json");
    verify(&hosts, &bundle, &[]).expect_code(0);
    assert!(proof.is_file());
    let skill = bundle.join("plugins/demo/skills/plan/SKILL.md");
    let text = std::fs::read_to_string(&skill).unwrap();
    std::fs::write(&skill, format!("\u{feff}{text}")).unwrap();
    let finished = verify(&hosts, &bundle, &[]).expect_code(1);
    for said in ["missing skill `demo:plan`", "plugins/demo/skills/plan/SKILL.md: missing YAML frontmatter"] {
        assert!(finished.stdout.contains(said), "{said}\n{}", finished.stdout);
    }
    assert!(!proof.exists());
}

/// How a host's model runs a command and dispatches the agent.
struct Tools {
    shell: fn(&str) -> Reply,
    dispatch: fn(&str) -> Reply,
    /// Waits for the agent, where dispatching does not; made from the result of dispatching.
    wait: Option<fn(&Value) -> Reply>,
    allowed: &'static [&'static str],
}

fn tools(host: &str) -> Tools {
    match host {
        "claude-code" => Tools {
            shell: |command| Reply::call("Bash", json!({ "command": command, "description": "run" })),
            dispatch: |task| {
                Reply::call(
                    "Agent",
                    json!({ "description": "check", "prompt": task, "subagent_type": AGENTS[0], "run_in_background": false }),
                )
            },
            wait: None,
            allowed: &["Bash", "Agent"],
        },
        "codex" => Tools {
            shell: |command| Reply::call("exec_command", json!({ "cmd": command })),
            dispatch: |task| {
                Reply::call_in(
                    "multi_agent_v1",
                    "spawn_agent",
                    json!({ "agent_type": AGENTS[0], "message": task }),
                )
            },
            wait: Some(|spawned| {
                Reply::call_in(
                    "multi_agent_v1",
                    "wait_agent",
                    json!({ "targets": [spawned["agent_id"]], "timeout_ms": 60_000 }),
                )
            }),
            allowed: &[],
        },
        _ => Tools {
            shell: |command| Reply::call("bash", json!({ "command": command, "description": "run" })),
            dispatch: |task| {
                Reply::call(
                    "task",
                    json!({ "description": "check", "prompt": task, "subagent_type": AGENTS[0] }),
                )
            },
            wait: None,
            allowed: &[],
        },
    }
}

const TASK: &str = "look at the tests";
const ANSWER: &str = "satisfactory";

/// The script's absolute path, made of what the model was told: the path in the body, and where the
/// skill stands if that path is relative.
fn script_path(request: &ModelRequest) -> Result<String, String> {
    let told = request.latest();
    let path =
        told.split('`').find(|code| code.ends_with("scripts/greet.sh")).ok_or("the body names no script")?;
    if path.starts_with('/') {
        return Ok(path.to_owned());
    }
    let skill = told.split("<path>").nth(1).and_then(|rest| rest.split("/SKILL.md</path>").next());
    Ok(format!("{}/{path}", skill.ok_or("the host does not say where the skill stands")?))
}

fn plan_with(host: &'static str, tools: &Tools) -> Script {
    let (shell, dispatch) = (tools.shell, tools.dispatch);
    let is_child =
        |request: &ModelRequest| request.user_text().contains(TASK) && !request.everything().contains(PLAN);
    let child = Step::reply(Reply::text(ANSWER)).expects([CHECKER]);
    // Codex substitutes nothing: the block in the body says what stands for the arguments.
    let told = if host == "codex" { "Plan for $ARGUMENTS." } else { "Plan for the \"old house\"." };
    let call_script = Step::compute(move |request| Ok(shell(&format!("'{}' you", script_path(request)?))));
    let mut main = Conversation::new("main", move |request| !request.tools.is_empty() && !is_child(request))
        .then(call_script.expects([PLAN, told]))
        .then(Step::reply(dispatch(TASK)).expects([format!("{GREETING} you")]));
    if let Some(wait) = tools.wait {
        main = main.then(Step::compute(move |request| {
            let spawned = request.tool_results.last().ok_or("dispatching has no result")?;
            serde_json::from_str(&spawned.text)
                .map(|spawned| wait(&spawned))
                .map_err(|error| error.to_string())
        }));
    }
    let main = main.then(Step::reply(Reply::text("done")).expects([ANSWER]));
    Script::default().with(Conversation::new("child", is_child).then(child)).with(main)
}

fn installation(hosts: &Hosts, host: &str) -> Installation {
    let named = binaries(hosts)
        .iter()
        .filter_map(|binary| binary.split_once('=').map(|(name, path)| (name.to_owned(), path.into())))
        .collect();
    let search = Search { named, search_path: "/usr/bin:/bin".to_owned() };
    search.installation(driver(host).expect("a driver")).expect("a binary")
}

fn session(hosts: &Hosts, host: &str, dist: &Path, script: Script, allowed: &[&str]) -> Transcript {
    let project = Tree::new().file("notes.txt", "nothing\n").temporary();
    let opening = Opening::Invoke { name: SKILLS[2].to_owned(), arguments: "the \"old house\"".to_owned() };
    let mut session = Session::of_bundle(&dist.join(host), project.path(), opening, script);
    session.allowed_tools = allowed.iter().map(|tool| (*tool).to_owned()).collect();
    run(host, session, &installation(hosts, host)).expect("the host starts")
}

#[test]
fn a_person_starts_a_skill_that_runs_its_script_and_dispatches_its_agent() {
    let hosts = real_hosts!();
    let dist = built();
    for host in HOSTS {
        let tools = tools(host);
        let transcript = session(&hosts, host, dist.path(), plan_with(host, &tools), tools.allowed);
        assert_eq!(transcript.faults(), Vec::<String>::new(), "{host}: {}", transcript.stderr);
        assert_eq!((transcript.code, transcript.requests("child").count()), (Some(0), 1), "{host}");
    }
}

#[test]
fn a_request_that_was_not_scripted_is_rejected_and_kept() {
    let hosts = real_hosts!();
    let dist = built();
    for host in HOSTS {
        let transcript = session(&hosts, host, dist.path(), Script::default(), &[]);
        assert!(
            !transcript.exchange.rejected.is_empty() && !transcript.exchange.received.is_empty(),
            "{host}"
        );
    }
}
