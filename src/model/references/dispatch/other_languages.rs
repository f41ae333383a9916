//! Requests in languages other than English: their verbs are not listed, so the qualified name of an agent, which only
//! the host can understand, and a name beside a word for agents count as a request unless their sentence negates it.

use super::{is_listed, is_one_of, requirements, section, words};

/// Words of nearly every English sentence.
const ENGLISH: [&str; 34] = [
    "the", "of", "to", "is", "are", "and", "or", "with", "for", "on", "by", "it", "its", "this", "that",
    "be", "from", "at", "see", "you", "your", "if", "when", "not", "use", "uses", "used", "run", "each",
    "all", "any", "then", "via", "which",
];

/// Frequent words of other languages that are not English.
const FOREIGN: [&str; 61] = [
    "el", "la", "los", "las", "del", "al", "con", "para", "por", "que", "una", "un", "agente", "agentes",
    "usa", "lanza", "ejecuta", "invoca", "der", "die", "das", "den", "dem", "mit", "und", "ein", "eine",
    "einen", "agenten", "starte", "nutze", "rufe", "le", "les", "des", "du", "une", "avec", "pour", "et",
    "lance", "utilise", "os", "um", "uma", "com", "e", "il", "lo", "gli", "di", "per", "avvia", "usare", "y",
    "jamais", "nunca", "sans", "sem", "nie", "senza",
];

/// Negations of other languages.
const DENYING: [&str; 32] = [
    "no",
    "ni",
    "nem",
    "keinem",
    "nunca",
    "jamás",
    "sin",
    "nicht",
    "nie",
    "niemals",
    "kein",
    "keine",
    "keinen",
    "ohne",
    "ne",
    "pas",
    "jamais",
    "não",
    "sem",
    "non",
    "mai",
    "не",
    "ни",
    "никогда",
    "нельзя",
    "без",
    "لا",
    "لم",
    "لن",
    "بدون",
    "دون",
    "أبدا",
];

/// Parts of a text that negate it in languages whose words are not listed.
const DENYING_PARTS: [&str; 12] =
    ["ない", "ません", "せず", "禁止", "不", "勿", "别", "마세요", "지 말", "않", "절대", "запрещ"];

/// What words for agents begin with, behind a name.
const AGENTS_BEHIND: [&str; 14] = [
    "agent",
    "subagent",
    "sub-agent",
    "агент",
    "субагент",
    "エージェント",
    "サブエージェント",
    "代理",
    "子代理",
    "智能体",
    "子智能体",
    "에이전트",
    "서브에이전트",
    "وكيل",
];

/// What words for agents end with, before a name.
const AGENTS_AHEAD: [&str; 20] = [
    "agent",
    "agente",
    "agenten",
    "agents",
    "agentes",
    "agenti",
    "агент",
    "агента",
    "агенту",
    "агентом",
    "エージェント",
    "エージェントの",
    "代理",
    "代理人",
    "智能体",
    "智能體",
    "에이전트",
    "에이전트인",
    "الوكيل",
    "وكيل",
];

/// Marks that end a sentence without white space behind them.
const SENTENCE_ENDS: [char; 3] = ['\u{3002}', '\u{ff01}', '\u{ff1f}'];

/// More letters of other scripts than this are a sentence in another language.
const FEW_LETTERS: usize = 3;

/// Whether a sentence in another language, split at the qualified name, asks for the agent; for an item of a list, the
/// sentence that leads to the list. The name's line begins at `line`.
pub(super) fn is_asked(text: &str, (before, after): (&str, &str), line: usize) -> bool {
    let rest = text[line..].lines().next().unwrap_or_default();
    if rest.starts_with('#') || rest.trim_start().starts_with('|') {
        return false;
    }
    if is_listed(rest) {
        let mut leads = section(text, line)
            .filter(|sentence| sentence.trim_end().ends_with([':', '：']) && !sentence.starts_with('#'));
        return leads.any(|sentence| is_foreign(&sentence) && !is_negated(&sentence));
    }
    let before = before.rsplit(SENTENCE_ENDS).next().unwrap_or_default();
    let after = after.split(SENTENCE_ENDS).next().unwrap_or_default();
    let whole = format!("{before} {after}");
    is_foreign(&whole) && (!is_negated(&whole) || requirements::is_asked(before, after))
}

/// Whether a word for agents stands directly before or behind a name, perhaps joined to it by a hyphen.
pub(in crate::model::references) fn has_agent_beside(before: &str, after: &str) -> bool {
    const MARKS: [char; 6] = ['`', '*', '"', '\'', ' ', ':'];
    let ahead = before.trim_end_matches(MARKS);
    let behind = after.trim_start_matches(['`', '*', '"', '\'', ' ', '-']);
    let ends = |word: &&str| {
        let tail = ahead.len().checked_sub(word.len()).and_then(|at| ahead.get(at..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(word))
    };
    let starts = |word: &&str| behind.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    let is_near = |gap: usize| (1..=3).contains(&gap);
    is_near(before.len() - ahead.len()) && AGENTS_AHEAD.iter().any(ends)
        || after.len() - behind.len() <= 3 && AGENTS_BEHIND.iter().any(starts)
}

/// Whether a sentence has words of another language, and none of English.
fn is_foreign(sentence: &str) -> bool {
    let is_of_other_script = |c: &char| matches!(*c, '\u{400}'..='\u{52f}' | '\u{600}'..='\u{6ff}' | '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
    if sentence.chars().filter(is_of_other_script).count() > FEW_LETTERS {
        return true;
    }
    let mut has_foreign = false;
    for word in words(sentence) {
        if is_one_of(word, &ENGLISH) {
            return false;
        }
        has_foreign |= is_one_of(word, &FOREIGN);
    }
    has_foreign
}

pub(super) fn is_negated(sentence: &str) -> bool {
    super::is_negated(sentence)
        || words(sentence).any(|word| DENYING.contains(&&*word.to_lowercase()))
        || DENYING_PARTS.iter().any(|part| sentence.contains(part))
}

/// Whether a heading or sentence in another language asks to run agents.
pub(super) fn asks_for_agents(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    AGENTS_BEHIND.iter().any(|word| lower.contains(word))
        && is_foreign(sentence)
        && requirements::has_verb(sentence)
        && !is_negated(sentence)
}

/// Whether a clause ends with a negation, so that its verb is in a clause behind it.
pub(super) fn breaks_off(clause: &str) -> bool {
    words(clause).last().is_some_and(|word| {
        let bare = word.trim_end_matches(['\u{8981}', '\u{5f97}', '\u{53ef}', '\u{80fd}']);
        DENYING.contains(&&*word.to_lowercase()) || DENYING_PARTS.iter().any(|part| bare.ends_with(part))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{AgentMentions, is_asked};
    use crate::source::Span;

    fn asked(text: &str) -> bool {
        let at = text.find("kit:scout").unwrap();
        is_asked(text, Span::new(at, at + "kit:scout".len()), &AgentMentions::default())
    }

    #[test]
    fn a_qualified_name_asks_in_any_language() {
        for text in [
            "Lanza el agente `kit:scout` con la ruta del archivo.",
            "Starte den Agenten `kit:scout` mit dem Pfad.",
            "Lance l'agent `kit:scout` avec le chemin.",
            "パスを渡して `kit:scout` を起動する。",
            "Lanza estos agentes en paralelo, con la ruta:\n\n- `kit:scout`\n- `kit:other`\n",
            "Paso 2: subagent_type=`kit:scout`",
            "استخدم الوكيل kit:scout.",
        ] {
            assert!(asked(text), "{text}");
        }
    }

    #[test]
    fn a_name_beside_a_word_for_agents_asks() {
        for text in [
            "Verwende den `scout`-Agenten mit dem Pfad.",
            "Starte den Agenten `scout`.",
            "Lance l'agent `scout`.",
            "Запусти агента `scout`.",
            "`scout` エージェントを起動する。",
            "使用 `scout` 代理审查代码。",
            "`scout` 에이전트를 실행하세요.",
            "Usa l'agente `scout`.",
        ] {
            assert!(super::super::tests::asked(text), "{text}");
        }
        for text in [
            "Verwende niemals den `scout`-Agenten.",
            "Никогда не запускай агента `scout`.",
            "절대 `scout` 에이전트를 실행하면 안 됩니다.",
            "`scout` を使う。",
            "| `scout` 代理 | 审查代码 |",
        ] {
            assert!(!super::super::tests::asked(text), "{text}");
        }
    }

    #[test]
    fn a_remark_or_a_ban_does_not_ask() {
        for text in [
            "Никогда не запускай `kit:scout`.",
            "Starte niemals `kit:scout` mit dem Pfad.",
            "No lances nunca `kit:scout`.",
            "决不启动 `kit:scout` 这个代理。",
            "절대 `kit:scout`를 실행하면 안 됩니다.",
            "No lances el agente `kit:scout` con la ruta.",
            "Den Agenten `kit:scout` nicht mit dem Pfad starten.",
            "`kit:scout` は起動しないこと。",
            "The findings come from `kit:scout` in most cases.",
            "لا تستخدم الوكيل kit:scout.",
            "| `kit:scout` | para la ruta |",
            "## El agente `kit:scout`",
        ] {
            assert!(!asked(text), "{text}");
        }
    }
}
