//! Replaces plain-text credentials in hooks and servers: each becomes the name of a variable before anything reads the
//! entry, and is reported as a warning.

use super::plugin::Declaration;
use super::secret;
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::read::pointer::JsonPointer;
use crate::read::tree::{Node, Value};
use crate::source::Span;

/// The maximum number of credentials searched for in one text.
const MOST: usize = 16;

/// A plain-text credential.
#[derive(Debug, Clone)]
pub struct Secret {
    /// The JSON pointer of the value.
    pub pointer: JsonPointer,
    /// The bytes of the value.
    pub span: Span,
    /// Its holder: a variable, a header, or the field.
    pub name: String,
    /// The variable that takes its place.
    pub variable: String,
}

/// The owner of credentials.
#[derive(Debug, Clone, Copy)]
pub struct CredentialOwner<'a> {
    /// In a sentence: ``the server `shop` ``.
    pub title: &'a str,
    /// The prefix of variable names.
    pub prefix: &'a str,
    /// Whether a shell reads the command.
    pub shell: bool,
}

/// Replaces credentials in the entry `node` at `pointer` with variables.
pub fn replace(
    owner: CredentialOwner<'_>,
    node: &mut Node,
    pointer: &JsonPointer,
    place: &Declaration<'_>,
    found: &mut Vec<Diagnostic>,
) -> Vec<Secret> {
    let mut taken = ReplacedSecrets { owner, place, found, secrets: Vec::new() };
    let Value::Map(fields) = &mut node.value else { return Vec::new() };
    for field in fields {
        let pointer = pointer.key(&field.key);
        match (field.key.as_str(), &mut field.node.value) {
            ("env" | "headers", Value::Map(entries)) => {
                for entry in entries {
                    let pointer = pointer.key(&entry.key);
                    taken.named_value(&entry.key, &mut entry.node, pointer, field.key == "headers");
                }
            }
            ("command" | "url", Value::String(_)) => {
                let shell = owner.shell && field.key == "command";
                taken.within_text(&field.key, &mut field.node, pointer, None, shell);
            }
            ("args", Value::List(items)) => {
                let mut before: Option<String> = None;
                for (at, item) in items.iter_mut().enumerate() {
                    let own = item.as_str().map(str::to_owned);
                    taken.within_text(&field.key, item, pointer.item(at), before.as_deref(), false);
                    before = own;
                }
            }
            _ => {}
        }
    }
    taken.secrets
}

struct ReplacedSecrets<'a, 'b> {
    owner: CredentialOwner<'a>,
    place: &'a Declaration<'a>,
    found: &'b mut Vec<Diagnostic>,
    secrets: Vec<Secret>,
}

impl ReplacedSecrets<'_, '_> {
    /// The value of a variable or a header.
    fn named_value(&mut self, key: &str, node: &mut Node, pointer: JsonPointer, header: bool) {
        let Value::String(value) = &node.value else { return };
        let Some(part) = secret::plain_credential(key, value, header) else { return };
        let variable = secret::variable(self.owner.prefix, key, header);
        let text = value.replace(part, &format!("${{{variable}}}"));
        self.note(key, node, pointer, variable, text);
    }

    /// A longer text; `before` is the argument before it.
    fn within_text(
        &mut self,
        key: &str,
        node: &mut Node,
        pointer: JsonPointer,
        before: Option<&str>,
        shell: bool,
    ) {
        // One text may hold several; a replacement never looks like a credential.
        for _ in 0..MOST {
            let found = node.as_str().and_then(|text| secret::find_credential(text, before));
            let Some((range, name)) = found else { return };
            let text = node.as_str().unwrap_or_default();
            let variable = secret::variable(self.owner.prefix, name.as_deref().unwrap_or("token"), true);
            let quoted = shell && secret::in_single_quotes(&text[..range.start]);
            let word = if quoted { format!("'\"${{{variable}}}\"'") } else { format!("${{{variable}}}") };
            let text = format!("{}{word}{}", &text[..range.start], &text[range.end..]);
            self.note(key, node, pointer.clone(), variable, text);
        }
    }

    fn note(&mut self, key: &str, node: &mut Node, pointer: JsonPointer, variable: String, text: String) {
        let message = format!("`{key}` of {} contains a credential in plain text", self.owner.title);
        let help = format!("write `${{{variable}}}` and set the variable in the environment");
        let finding = Diagnostic::in_file(
            self.place.file,
            node.span,
            Severity::Warning,
            RuleId::SECRET_IN_CONFIG,
            message,
        );
        self.found.push(finding.help(help));
        self.secrets.push(Secret { pointer, span: node.span, name: key.to_owned(), variable });
        node.value = Value::String(text);
    }
}
