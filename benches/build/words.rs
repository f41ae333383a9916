//! Made-up prose for a made-up plugin: always the same, from a small generator of pseudo-random
//! numbers, with everything that real texts of plugins hold between their sentences.

const THINGS: [&str; 24] = [
    "release",
    "branch",
    "report",
    "checklist",
    "migration",
    "endpoint",
    "schema",
    "ticket",
    "summary",
    "draft",
    "screenshot",
    "changelog",
    "fixture",
    "module",
    "timeline",
    "dashboard",
    "interface",
    "dependency",
    "baseline",
    "review",
    "threshold",
    "worker",
    "deployment",
    "question",
];
const DEEDS: [&str; 16] = [
    "collect", "compare", "rename", "verify", "describe", "split", "measure", "rewrite", "sort", "archive",
    "explain", "restore", "trace", "count", "outline", "approve",
];
const MANNERS: [&str; 12] = [
    "before anything else",
    "one at a time",
    "without guessing",
    "as the team agreed",
    "in small steps",
    "with its reason",
    "and keep the order",
    "unless it is empty",
    "for every open item",
    "once more at the end",
    "so that nobody waits",
    "and say what is missing",
];

/// Pseudo-random numbers (an xorshift), so that every run makes the same plugin.
pub struct Dice(u64);

impl Dice {
    /// Starts at `seed`; different seeds give different texts.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    /// Bytes that are not text.
    pub fn noise(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|at| if at % 97 == 0 { 0 } else { self.below(256) as u8 }).collect()
    }

    /// One sentence.
    pub fn sentence(&mut self) -> String {
        let (deed, manner) = (self.pick(&DEEDS), self.pick(&MANNERS));
        let (one, other) = (self.pick(&THINGS), self.pick(&THINGS));
        match self.below(5) {
            0 => format!("Then {deed} the {one} and its {other} {manner}."),
            1 => format!("When a {one} has no {other}, {deed} what is there {manner}; otherwise go on."),
            2 => format!("The **{one}** names each {other}, so {deed} it {manner}."),
            3 => format!("Do not {deed} a {one} that still waits for its {other}, *even* {manner}."),
            _ => format!("A person reads the {one} first: {deed} the `{other}_list` {manner}."),
        }
    }

    /// A paragraph of a few sentences, broken into lines.
    pub fn paragraph(&mut self) -> String {
        let mut out = String::new();
        for at in 0..3 + self.below(4) {
            out.push_str(if at == 0 {
                ""
            } else if at % 2 == 0 {
                "\n"
            } else {
                " "
            });
            out.push_str(&self.sentence());
        }
        out + "\n\n"
    }

    /// A heading with a list, a table or a block of code below it.
    pub fn section(&mut self, title: usize) -> String {
        let mut out = format!("## {title}. {} the {}\n\n", self.pick(&DEEDS), self.pick(&THINGS));
        out.push_str(&self.paragraph());
        match self.below(4) {
            0 => {
                for at in 1..=3 + self.below(4) {
                    out.push_str(&format!("{at}. {}\n", self.sentence()));
                }
            }
            1 => {
                out.push_str("| what | where | how |\n|---|---|---|\n");
                for _ in 0..4 {
                    let (what, place, how) = (self.pick(&THINGS), self.pick(&THINGS), self.pick(&MANNERS));
                    out.push_str(&format!("| {what} | `docs/{place}.txt` | {how} |\n"));
                }
            }
            2 => {
                let (thing, other) = (self.pick(&THINGS), self.pick(&THINGS));
                out.push_str(&format!(
                    "```bash\n# {thing}\nfor item in $(ls {thing}s); do\n  wc -l \"$item\" >> {other}.txt\ndone\nsort {other}.txt\n```\n"
                ));
            }
            _ => {
                for _ in 0..4 + self.below(3) {
                    out.push_str(&format!("- [ ] {}\n", self.sentence()));
                }
            }
        }
        out + "\n"
    }
}
