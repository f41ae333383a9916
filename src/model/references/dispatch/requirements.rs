//! Negated sentences in languages other than English that ask for an agent: "nunca termines sin lanzar", or a ban before a
//! clause that asks by itself.

use super::other_languages::{breaks_off, is_negated};
use super::words;

/// The words of one language.
struct RequirementWords {
    /// Words that make a requirement of what follows, behind a negation.
    requiring: &'static [&'static str],
    /// What the verbs of a request begin with.
    verbs: &'static [&'static str],
}

/// German, Spanish, French, Portuguese, Italian and Russian.
const LANGUAGES: [RequirementWords; 6] = [
    RequirementWords {
        requiring: &["ohne", "bevor", "ehe", "bis"],
        verbs: &["start", "ruf", "nutz", "benutz", "verwend", "beauftrag"],
    },
    RequirementWords {
        requiring: &["sin", "hasta", "antes"],
        verbs: &["lanz", "lanc", "ejecut", "invoc", "invoqu", "utiliz", "usa", "uses", "llam"],
    },
    RequirementWords {
        requiring: &["sans", "avant", "jusqu'à"],
        verbs: &["lanc", "lanç", "utilis", "exécut", "appel", "invoqu"],
    },
    RequirementWords {
        requiring: &["sem", "até", "antes"],
        verbs: &["lanc", "lanç", "execut", "invoc", "invoqu", "utiliz", "usa", "use", "cham"],
    },
    RequirementWords {
        requiring: &["senza", "prima", "finché"],
        verbs: &["avvi", "esegu", "invoc", "usa", "chiam"],
    },
    RequirementWords {
        requiring: &["без", "пока", "до", "прежде"],
        verbs: &["запус", "запущ", "вызов", "вызыв", "использ"],
    },
];

/// Verbs of a request in languages that put no spaces between words.
const UNSPACED_VERBS: [&str; 14] = [
    "启动",
    "啟動",
    "调用",
    "使用",
    "运行",
    "执行",
    "派发",
    "委派",
    "起動",
    "実行",
    "呼び出",
    "실행",
    "호출",
    "사용",
];

/// What makes a requirement of the name before it in such languages, if a negation is in the sentence.
const UNSPACED_REQUIRING: [&str; 14] = [
    "せずに",
    "しないで",
    "する前に",
    "するまで",
    "しない限り",
    "之前",
    "以前",
    "前不",
    "前禁止",
    "前勿",
    "就不",
    "就别",
    "하지 않고",
    "하기 전",
];

/// How many letters may be between a name and one of them: a word for agents, a particle and a verb.
const REACH: usize = 16;

/// Marks between the clauses of a sentence.
const CLAUSE_MARKS: [char; 10] =
    [',', ';', ':', '\u{2014}', '\u{2013}', '\u{ff0c}', '\u{ff1b}', '\u{ff1a}', '\u{3001}', '\u{60c}'];

/// Whether a sentence with a negation asks for the agent at which it is split.
pub(super) fn is_asked(before: &str, after: &str) -> bool {
    let own = before.rsplit(CLAUSE_MARKS).next().unwrap_or_default();
    let rest = after.split(CLAUSE_MARKS).next().unwrap_or_default();
    is_required(before, own) || is_required_behind(before, after) || asks_by_itself(before, own, rest)
}

/// Whether the clause before a name has a word such as "sin", with a negation and no request before it.
fn is_required(before: &str, own: &str) -> bool {
    let above = &before[..before.len() - own.len()];
    let all: Vec<String> = words(own).map(|word| word.to_lowercase().replace('\u{2019}', "'")).collect();
    LANGUAGES.iter().any(|language| {
        let at = all.iter().position(|word| language.requiring.contains(&word.as_str()));
        at.is_some_and(|at| {
            let ahead = format!("{above} {}", all[..at].join(" "));
            is_negated(&ahead) && !words(&ahead).any(|word| language.has_verb(word))
        })
    })
}

impl RequirementWords {
    fn has_verb(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        self.verbs.iter().any(|verb| word.starts_with(verb))
    }
}

/// Whether a particle such as "せずに" follows a name, with a negation behind it or at the start of the sentence.
fn is_required_behind(before: &str, after: &str) -> bool {
    let near: String = after.chars().take(REACH).collect();
    UNSPACED_REQUIRING.iter().any(|particle| {
        let rest = near.find(particle).map(|at| &after[at + particle.len()..]);
        let own_negation = particle.ends_with(['不', '别', '勿', '止']);
        rest.is_some_and(|rest| own_negation || is_negated(rest) || is_negated(before))
    })
}

/// Whether the clause of a name has a request and no negation, and none of the clauses before it ends at one.
fn asks_by_itself(before: &str, own: &str, rest: &str) -> bool {
    let above = &before[..before.len() - own.len()];
    let clause = format!("{own} {rest}");
    !above.is_empty()
        && has_verb(&clause)
        && !is_negated(&clause)
        && !above.split(CLAUSE_MARKS).any(breaks_off)
}

/// Whether a text has a verb of a request.
pub(super) fn has_verb(text: &str) -> bool {
    words(text).any(|word| LANGUAGES.iter().any(|language| language.has_verb(word)))
        || UNSPACED_VERBS.iter().any(|verb| text.contains(verb))
}

#[cfg(test)]
mod tests {
    use super::super::tests::asked;

    #[test]
    fn a_negated_sentence_asks_for_what_it_requires() {
        for text in [
            "Keine Ausnahme: starte den Agenten `scout`.",
            "Beende nie, ohne den Agenten `scout` zu starten.",
            "Committe nicht, bevor du den Agenten `scout` gestartet hast.",
            "Nunca termines sin lanzar el agente `scout`.",
            "Ne termine jamais sans lancer l\u{2019}agent `scout`.",
            "Nunca finalize sem executar o agente `scout`.",
            "Non finire mai senza avviare l'agente `scout`.",
            "`scout` エージェントを起動せずに終了しないこと。",
            "禁止直接审查，必须启动 `scout` 代理。",
            "不要跳过。启动 `scout` 代理。",
            "启动 `scout` 代理之前，不要提交。",
            "Не завершай без запуска агента `scout`.",
            "Не завершай, пока не запустишь агента `scout`.",
            "`scout` 에이전트를 실행하지 않고 끝내지 마세요.",
        ] {
            assert!(asked(text), "{text}");
        }
    }

    #[test]
    fn a_ban_asks_for_nothing() {
        for text in [
            "Starte nie ohne Auftrag den Agenten `scout`.",
            "No lances sin permiso el agente `scout`.",
            "Nunca, sin excepción, lances el agente `scout`.",
            "Nie, unter keinen Umständen, starte den Agenten `scout`.",
            "Ne lance ni `check`, ni l'agent `scout`.",
            "Не запускай без причины агента `scout`.",
            "如果测试没有通过，不要启动 `scout` 代理。",
            "不要启动 `scout` 代理。",
            "`scout` エージェントを起動しないこと。",
        ] {
            assert!(!asked(text), "{text}");
        }
    }
}
