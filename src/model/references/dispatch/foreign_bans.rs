//! Bans in languages other than English: the words of a ban stand directly beside the name, and its clause has no other
//! words, which might limit it.

/// Characters that end a clause.
const CLAUSE_ENDS: [char; 20] = [
    '.', ',', ';', ':', '!', '?', '\n', '(', '|', '\u{3002}', '\u{ff0c}', '\u{3001}', '\u{ff1b}', '\u{ff1a}',
    '\u{ff01}', '\u{ff1f}', '\u{ff08}', '\u{60c}', '\u{61b}', '\u{61f}',
];

/// Words of a ban before a name.
const AHEAD: [&str; 81] = [
    "禁止使用",
    "禁止调用",
    "禁止",
    "严禁使用",
    "严禁调用",
    "不要使用",
    "不要调用",
    "不要用",
    "请勿使用",
    "勿使用",
    "切勿使用",
    "不得使用",
    "不得调用",
    "不可使用",
    "不允许使用",
    "别用",
    "绝不使用",
    "嚴禁使用",
    "請勿使用",
    "不要調用",
    "no uses",
    "no use",
    "nunca uses",
    "nunca use",
    "no utilices",
    "nunca utilices",
    "no usar",
    "no invoques",
    "prohibido usar",
    "não use",
    "não utilize",
    "nunca utilize",
    "n'utilise pas",
    "n'utilise jamais",
    "n'utilisez pas",
    "n'utilisez jamais",
    "ne pas utiliser",
    "ne jamais utiliser",
    "verwende nie",
    "verwende niemals",
    "verwende kein",
    "verwende keine",
    "benutze nie",
    "benutze niemals",
    "nutze nie",
    "nutze niemals",
    "non usare",
    "non usare mai",
    "non utilizzare",
    "не используй",
    "не используйте",
    "не вызывай",
    "никогда не используй",
    "запрещено использовать",
    "нельзя использовать",
    "لا تستخدم",
    "kein",
    "keine",
    "keinen",
    "geen",
    "gebruik nooit",
    "gebruik geen",
    "gebruik niet",
    "roep nooit",
    "nie używaj",
    "nigdy nie używaj",
    "nie korzystaj z",
    "nie wywołuj",
    "không dùng",
    "không sử dụng",
    "không được dùng",
    "không được sử dụng",
    "không bao giờ dùng",
    "đừng dùng",
    "đừng sử dụng",
    "cấm dùng",
    "cấm sử dụng",
    "nada de",
    "pas de",
    "niente",
    "никакого",
];

/// Words that may stand before those of a ban.
const BEFORE: [&str; 14] = [
    "请",
    "绝对",
    "永远",
    "bitte",
    "por favor",
    "nunca",
    "jamás",
    "никогда",
    "决不",
    "決して",
    "絶対に",
    "절대",
    "절대로",
    "s'il te plaît",
];

/// What begins the words of a ban behind a name.
const BEHIND: [&str; 24] = [
    "を使わない",
    "は使わない",
    "を使用しない",
    "は使用しない",
    "を使ってはいけ",
    "は使ってはいけ",
    "を呼び出さない",
    "は禁止",
    "は使用禁止",
    "の使用は禁止",
    "を使用禁止",
    "를 사용하지 마",
    "을 사용하지 마",
    "는 사용하지 마",
    "은 사용하지 마",
    "를 쓰지 마",
    "을 쓰지 마",
    "사용 금지",
    "사용을 금지",
    "은 금지",
    "는 금지",
    "被禁止",
    "nicht verwenden",
    "nicht benutzen",
];

/// What forbids the name before it as the whole rest of its clause.
const WHOLE_BEHIND: [&str; 15] = [
    "禁止",
    "禁止です",
    "禁止使用",
    "禁止调用",
    "禁用",
    "不要使用",
    "不可使用",
    "ist verboten",
    "sind verboten",
    "está prohibido",
    "est interdit",
    "é proibido",
    "is verboden",
    "запрещён",
    "запрещено",
];

/// Words before and behind a name that forbid it together.
const AROUND: [(&str, &str); 8] = [
    ("benutze", "nicht"),
    ("benutzen sie", "nicht"),
    ("verwende", "nicht"),
    ("verwenden sie", "nicht"),
    ("nutze", "nicht"),
    ("nutzen sie", "nicht"),
    ("gebruik", "niet"),
    ("gebruikt", "niet"),
];

/// Words behind a name that only repeat the ban before it.
const REPEATING: [&str; 9] =
    ["nunca", "jamás", "nie", "niemals", "jamais", "nooit", "nigdy", "никогда", "mai"];

/// What the words of a label begin with that forbids what follows it.
const LABELS: [&str; 9] =
    ["запрещ", "verbot", "prohibid", "interdit", "proibid", "verboden", "zabron", "vietat", "cấm"];

/// What is in such a label where words have no spaces between them.
const UNSPACED_LABELS: [&str; 3] = ["禁止", "禁用", "금지"];

/// How many letters such a label has at most.
const LONGEST_LABEL: usize = 8;

/// Words for tools in such a label.
const OF_A_LABEL: [&str; 8] =
    ["tools", "werkzeuge", "herramientas", "outils", "ferramentas", "strumenti", "инструменты", "narzędzia"];

/// How many letters may follow them: the polite end of a verb.
const ENDING: usize = 6;

/// Words that may stand beside a name: words for tools and agents, and those that join names.
const BESIDE: [&str; 28] = [
    "tool",
    "tools",
    "agent",
    "工具",
    "代理",
    "ツール",
    "エージェント",
    "도구",
    "에이전트",
    "herramienta",
    "la",
    "el",
    "l'outil",
    "outil",
    "ferramenta",
    "a",
    "o",
    "das",
    "den",
    "die",
    "werkzeug",
    "инструмент",
    "агент",
    "أداة",
    "和",
    "或",
    "y",
    "oder",
];

/// Whether the words beside a name forbid it.
pub(super) fn is_ban(before: &str, after: &str) -> bool {
    let is_labelled = is_label(before);
    let before =
        before.rsplit(CLAUSE_ENDS).next().unwrap_or_default().to_lowercase().replace('\u{2019}', "'");
    let before = without_words_beside(
        before.trim_start_matches(['-', '*', '+', '>', ' ', '\t', '#']).trim_end_matches(MARKS),
    );
    let after = after.split(CLAUSE_ENDS).next().unwrap_or_default().to_lowercase();
    // Other names of a list stand in code.
    let after: String = after.strip_prefix('`').unwrap_or(&after).split('`').step_by(2).collect();
    let rest = |text: &str| BEFORE.contains(&text.trim_end_matches(MARKS)) || text.is_empty();
    let is_ahead = || {
        let behind = after.split_whitespace().map(|word| word.trim_matches(MARKS));
        let is_known = |word: &str| BESIDE.contains(&word) || REPEATING.contains(&word);
        let is_alone = behind.filter(|word| !word.is_empty()).all(is_known);
        let is_ban = || AHEAD.iter().any(|ban| before.strip_suffix(ban).is_some_and(rest));
        is_alone && (is_labelled && before.is_empty() || is_ban())
    };
    let is_behind = || {
        let after = without_leading_words_beside(after.trim_start_matches(MARKS));
        let ban = BEHIND.iter().find_map(|ban| after.strip_prefix(ban));
        let whole = after.trim_end_matches(MARKS);
        rest(&before)
            && (WHOLE_BEHIND.contains(&whole)
                || ban.is_some_and(|ending| ending.trim_end_matches(MARKS).chars().count() <= ENDING))
    };
    let is_around = || AROUND.contains(&(before.as_str(), after.trim_matches(MARKS)));
    is_ahead() || is_behind() || is_around()
}

/// Whether a text ends with a label that forbids what follows it: "Запрещено:".
fn is_label(text: &str) -> bool {
    let text = text.trim_end_matches(MARKS).to_lowercase();
    let Some(label) = text.strip_suffix([':', '\u{ff1a}']) else { return false };
    let label = label.rsplit(CLAUSE_ENDS).next().unwrap_or_default();
    let label = label.trim_matches(['-', '+', '>', '#', '*', ' ', '\t']);
    let bans = |word: &str| LABELS.iter().any(|stem| word.starts_with(stem));
    let mut words = label.split_whitespace();
    UNSPACED_LABELS.iter().any(|part| label.contains(part)) && label.chars().count() <= LONGEST_LABEL
        || label.split_whitespace().any(bans) && words.all(|word| bans(word) || OF_A_LABEL.contains(&word))
}

/// What marks a name, and white space.
const MARKS: [char; 5] = ['`', '*', '"', '\'', ' '];

/// A text without the words for tools at its end.
fn without_words_beside(text: &str) -> String {
    let mut text = text.trim_end_matches(MARKS);
    while let Some(rest) = BESIDE.iter().find_map(|word| text.strip_suffix(word)?.strip_suffix(' ')) {
        text = rest.trim_end_matches(MARKS);
    }
    text.to_owned()
}

/// A text without the words for tools at its start.
fn without_leading_words_beside(text: &str) -> &str {
    let rest = BESIDE.iter().find_map(|word| text.strip_prefix(word));
    rest.map_or(text, |rest| rest.trim_start_matches(MARKS))
}

#[cfg(test)]
mod tests {
    use super::super::tests::forbidden;

    #[test]
    fn a_ban_forbids_in_any_language() {
        for text in [
            "禁止使用 `WebFetch` 工具。",
            "请不要使用WebFetch。然后继续。",
            "先读文件，严禁调用 `WebFetch`。",
            "`WebFetch` を使わないでください。",
            "絶対に `WebFetch` ツールを使用しないこと。",
            "`WebFetch`는 사용하지 마세요.",
            "`WebFetch` 도구를 사용하지 마세요.",
            "No uses la herramienta `WebFetch`.",
            "- Nunca uses `WebFetch`\n",
            "Não use `WebFetch`.",
            "N\u{2019}utilise jamais l'outil `WebFetch`.",
            "Verwende niemals `WebFetch`.",
            "Bitte `WebFetch` nicht verwenden.",
            "Non usare mai `WebFetch`.",
            "Никогда не используй `WebFetch`.",
            "لا تستخدم `WebFetch`.",
            "不要用 `WebFetch` 和 `WebSearch`。",
            "Kein `WebFetch`.",
            "Benutze `WebFetch` nicht.",
            "No uses `WebFetch` nunca.",
            "Gebruik nooit `WebFetch`.",
            "Nie używaj `WebFetch`.",
            "Запрещено: `WebFetch`.",
            "Verbotene Werkzeuge: `WebFetch`",
            "禁止使用的工具：`WebFetch`",
            "`WebFetch`禁止。",
            "Đừng dùng `WebFetch`.",
        ] {
            assert!(forbidden(text), "{text}");
        }
    }

    #[test]
    fn a_limit_or_a_request_in_any_language_forbids_nothing() {
        for text in [
            "使用 `WebFetch` 工具。",
            "搜索时不要使用 `WebFetch`。",
            "不要使用 `WebFetch` 读取本地文件。",
            "禁止联网时使用 `WebFetch`。",
            "検索には `WebFetch` を使わない。",
            "`WebFetch` を使う。",
            "No uses `WebFetch` para buscar.",
            "Verwende niemals `WebFetch` ohne Grund.",
            "Für Suchen `WebFetch` nicht verwenden.",
            "Не используй `WebFetch` для поиска.",
            "`WebFetch` 도구를 사용하세요.",
            "Kein `WebFetch`? Frag.",
            "Es gibt kein `WebFetch`.",
            "Benutze `WebFetch` nicht für Suchen.",
            "`WebFetch`禁止联网时使用。",
            "Запрещено в ответах: `WebFetch`.",
            "Запрещено: `WebFetch` для поиска.",
        ] {
            assert!(!forbidden(text), "{text}");
        }
    }
}
