//! What the name finder finds, and what it ignores.

use super::*;

fn inventory() -> NameInventory {
    let name = |kind, local: &str| InventoryName {
        plugin: "p".into(),
        kind,
        local: local.into(),
        qualified: QualifiedName::new("p", local),
        alias: (local == "plan").then(|| "planning-folder".to_owned()),
        script: (kind == ComponentKind::Workflow).then(|| format!("workflows/{local}.js")),
    };
    let names = [
        name(ComponentKind::Agent, "review:checker"),
        name(ComponentKind::Skill, "plan"),
        name(ComponentKind::Agent, "plan-fixer"),
        name(ComponentKind::Command, "go"),
        name(ComponentKind::Workflow, "sweep"),
    ];
    let strings = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    NameInventory::new(
        &names,
        (&strings(&["Read", "TodoWrite"]), &strings(&["Read"]), &strings(&["mcp__plugin_p_sea__"])),
        (
            &strings(&["CLAUDE_PLUGIN_ROOT"]),
            &["p", "q"].map(|plugin| PluginOption {
                plugin: plugin.into(),
                variable: format!("user_config.of_{plugin}"),
            }),
        ),
        &strings(&["Explore", "general-purpose"]),
    )
}

fn found(text: &str) -> Vec<String> {
    let filled = FilledPlaceholders {
        arguments: vec!["issue".into()],
        includes: true,
        folders: vec!["CLAUDE_PLUGIN_ROOT".into()],
    };
    let references = inventory().find(text, Span::new(0, text.len()), "p", Some(&filled));
    references.into_iter().map(|reference| reference.span.slice(text).to_owned()).collect()
}

#[test]
fn a_name_ends_beside_letters_of_a_script_without_spaces() {
    for text in ["p:planを使う", "p:plan에게 위임", "调用p:plan技能", "p:plan:审查"] {
        assert_eq!(found(text), ["p:plan"], "{text}");
    }
    assert_eq!(found("/p:planを実行する。"), ["/p:plan"]);
    assert_eq!(found("使用TodoWrite工具, `plan-fixer`エージェント"), ["TodoWrite", "plan-fixer"]);
    // An English word is a tool only beside a word for one.
    assert_eq!(found("使用Read工具、Readツール、Read 도구"), ["Read", "Read", "Read"]);
    // A slash command was a name only behind a space.
    for text in ["使用/p:plan命令", "调用：/p:plan。", "（/p:planを使う）", "명령어/p:plan"] {
        assert_eq!(found(text), ["/p:plan"], "{text}");
    }
    for text in ["src/計画/p:plan", "https://例え.jp/計画/p:plan", "é/p:plan", "計画/p:plan/x.md"] {
        assert_eq!(found(text), [""; 0], "{text}");
    }
    for text in ["p:planés", "ép:plan", "src/計画p:plan", "https://例え.jp/計画p:plan", "p:plan計画/x.md"]
    {
        assert_eq!(found(text), [""; 0], "{text}");
    }
}

#[test]
fn finds_names_that_exist_where_they_are_names() {
    assert_eq!(found("Dispatch p:review:checker, then /p:plan."), ["p:review:checker", "/p:plan"]);
    assert_eq!(found("the `checker` agent and agent plan-fixer"), ["checker", "plan-fixer"]);
    assert_eq!(found("- `review:checker`\n- review:checker, always"), ["review:checker", "review:checker"]);
    assert_eq!(found("Read it. Then spawn\nplan-fixer, which mends."), ["plan-fixer"]);
    assert_eq!(found("run `/go now`, the `plan` skill"), ["/go", "plan"]);
    assert_eq!(found("p:planning-folder, /planning-folder"), ["p:planning-folder", "/planning-folder"]);
    assert_eq!(found("ask @agent-p:review:checker, @agent-checker"), ["p:review:checker", "checker"]);
    assert_eq!(found("the `sweep` workflow, workflow \"sweep\", p:sweep"), ["sweep", "sweep", "p:sweep"]);
    assert_eq!(
        found("the Workflow tool with name \"sweep\", Workflow({name: 'sweep'}), Workflow(\"sweep\")"),
        ["sweep", "sweep", "sweep"]
    );
    assert_eq!(
        found("`workflows/sweep.js`, ../workflows/sweep.js, ${CLAUDE_PLUGIN_ROOT}/workflows/sweep.js"),
        ["workflows/sweep.js", "workflows/sweep.js", "${CLAUDE_PLUGIN_ROOT}", "workflows/sweep.js"]
    );
    assert_eq!(
        found("Skill(skill=\"plan\"), the Skill tool with `plan`, the skill named 'plan'"),
        ["plan"; 3]
    );
    assert_eq!(found("load `planning-folder`, the planning-folder skill"), ["planning-folder"; 2]);
    assert_eq!(found("use the Read tool, `Read`, TodoWrite"), ["Read", "Read", "TodoWrite"]);
    assert_eq!(
        found("mcp__plugin_p_sea__level, x_mcp__plugin_p_sea__level, mcp__plugin_q_sea__level"),
        ["mcp__plugin_p_sea__"]
    );
}

#[test]
fn leaves_everything_else_alone() {
    for text in [
        "redis:cache:key and p:review:checkers and xp:plan",
        "https://e.org/p:plan and /etc/plan and a/plan.md and plan-go",
        "Read this plan. We plan to go.",
        "review:checkers and xreview:checker and q:review:checker",
        "p:review:checker.md and p:plan/x and q:plan",
        "mail me@plan.org",
        "me@agent-p:review:checker and @agent-p:plan",
        "sweep the floor, `sweep`, a workflow that may sweep, the sweep workflow",
        ".github/workflows/sweep.js, workflows/sweep.json, /workflows/sweep.js, a/workflows/sweep.js",
        "the Workflow tool, or a tool called `sweep`",
        "# Agents\nplan-fixer mends",
        "Spawn nothing. It is\nplan-fixer that mends",
        "It needs no agents.\nplan-fixer mends",
        "    Read(p []byte) (n int, err error)\n    Read(self): pass",
        "- [ ] Read(s) assigned",
    ] {
        assert_eq!(found(text), [""; 0], "{text}");
    }
}

#[test]
fn finds_placeholders_and_constructs() {
    assert_eq!(
        found("Do $ARGUMENTS[1] $ARGUMENTS $2 $issue $issues"),
        ["$ARGUMENTS[1]", "$ARGUMENTS", "$2", "$issue"]
    );
    assert_eq!(found("!`git status` X=!`no` and @docs/a.md but `@code.md`"), ["!`git status`", "@docs/a.md"]);
    assert_eq!(found("run \"${CLAUDE_PLUGIN_ROOT}/x\""), ["${CLAUDE_PLUGIN_ROOT}"]);
}

#[test]
fn an_agent_of_the_source_host_is_found_where_it_is_one() {
    for text in [
        "Task(subagent_type=\"Explore\")",
        "with `subagent_type: Explore`",
        "Launch the Explore agent.",
        "up to three Explore sub-agents",
        "the `Explore` agent",
        "agent \"Explore\"",
    ] {
        assert_eq!(found(text), ["Explore"], "{text}");
    }
    assert_eq!(found("a general-purpose agent, `general-purpose` subagents"), ["general-purpose"; 2]);
    for text in [
        "Explore agents that help.",
        "Look. Explore agent code",
        "- Explore agents",
        "1. **Explore** the code",
        "the agent: Explore the code",
        "the Explore phase of the agent",
        "a general-purpose tool",
    ] {
        assert_eq!(found(text), [""; 0], "{text}");
    }
}

/// A name of one word counts only beside the name of another agent.
#[test]
fn agents_of_a_list_are_found_and_asked_for_together() {
    let asked = |text: &str| {
        let references = inventory().find(text, Span::new(0, text.len()), "p", None);
        let asked = references.iter().filter(|reference| reference.asked);
        asked.map(|reference| reference.span.slice(text).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(asked("Dispatch the `checker` and `plan-fixer` agents."), ["checker", "plan-fixer"]);
    assert_eq!(asked("Launch these agents:\n\n- `plan-fixer`\n- `checker`\n"), ["plan-fixer", "checker"]);
    assert_eq!(
        asked("Use the agents p:plan-fixer and p:review:checker."),
        ["p:plan-fixer", "p:review:checker"]
    );
    assert!(asked("Never use p:plan-fixer and `checker`.").is_empty());
    assert_eq!(found("The `checker` of `plan-fixer` is a column."), ["plan-fixer"]);
}

#[test]
fn an_agent_is_found_by_its_name_in_capitals() {
    assert_eq!(found("Task tool with Checker agent, the **Checker** agent"), ["Checker"; 2]);
    assert_eq!(found("use the Plan Fixer agent, a PLAN-FIXER subagent"), ["Plan Fixer", "PLAN-FIXER"]);
    for text in
        ["Checker agents may help.", "1. Checker agent", "the Checker of agents", "the Checker", "Plan Fixer"]
    {
        assert_eq!(found(text), [""; 0], "{text}");
    }
}

#[test]
fn agents_of_one_word_are_found_in_a_list_that_is_dispatched() {
    let list = "1. checker - checks\n2. plan-fixer - mends\n";
    assert_eq!(found(&format!("{list}\nLaunch both agents above via Task.")), ["checker", "plan-fixer"]);
    assert_eq!(found(&format!("Run these agents:\n\n{list}")), ["checker", "plan-fixer"]);
    for text in
        ["Never launch these agents:\n\n", "Agents:\n\n", "Run these checks:\n\n", "Launch agents.\n\n"]
    {
        assert_eq!(found(&format!("{text}{list}")), ["plan-fixer"], "{text}");
    }
    assert_eq!(found("Run these agents:\n\n- checker and others\n- the checker"), [""; 0]);
}

#[test]
fn all_names_of_a_list_are_forbidden_together() {
    let forbidden = |text: &str| {
        let references = inventory().find(text, Span::new(0, text.len()), "p", None);
        let forbidden = references.iter().filter(|reference| reference.forbidden);
        forbidden.map(|reference| reference.span.slice(text).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(forbidden("Never use `Read` or TodoWrite and `p:plan`."), ["Read", "TodoWrite", "p:plan"]);
    assert_eq!(forbidden("Never use `Read`, `TodoWrite` or `p:plan`."), ["Read", "TodoWrite", "p:plan"]);
    assert_eq!(forbidden("Never use `Read`, use `TodoWrite`. Use `Read` later."), ["Read"]);
    assert_eq!(forbidden("Never use `Read` or `TodoWrite` for logs."), [""; 0]);
    assert_eq!(forbidden("No `Read` or TodoWrite."), ["Read", "TodoWrite"]);
    assert_eq!(forbidden("禁止使用 `Read`、`TodoWrite` 和 `p:plan`。"), ["Read", "TodoWrite", "p:plan"]);
}

#[test]
fn an_option_is_found_in_the_texts_of_its_plugin() {
    assert_eq!(found("${user_config.of_p}, ${user_config.of_q}"), ["${user_config.of_p}"]);
}

#[test]
fn an_include_of_a_file_of_the_plugin_is_found_in_code_too() {
    let include = "@${CLAUDE_PLUGIN_ROOT}/a/b.md";
    let both = [include, "${CLAUDE_PLUGIN_ROOT}"];
    assert_eq!(found("See\n@${CLAUDE_PLUGIN_ROOT}/a/b.md."), both);
    assert_eq!(found("```\n@${CLAUDE_PLUGIN_ROOT}/a/b.md\n```"), both);
    assert_eq!(found("`@${CLAUDE_PLUGIN_ROOT}/a/b.md`"), both[1..]);
    assert_eq!(found("@${OTHER}/a/b.md"), Vec::<String>::new());
}
