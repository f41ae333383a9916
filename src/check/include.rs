//! The files of the plugin that a command includes with `@`.

use camino::Utf8PathBuf;

use super::context::{PluginText, RuleContext};
use super::mention::PathForm;
use super::paths::PathTarget;
use crate::model::component::Component;
use crate::source::{SourceFile, Span};

/// One include.
#[derive(Debug)]
pub struct TextInclude<'a> {
    /// The span, including `@`.
    pub span: Span,
    /// The file, or the path where it should be, relative to SRC.
    pub file: Result<&'a SourceFile, Utf8PathBuf>,
}

/// The includes of the main file of `component`, if it is a command.
pub fn find<'a>(
    context: &RuleContext<'a>,
    component: &Component,
    text: &PluginText<'_>,
) -> Vec<TextInclude<'a>> {
    if !component.is_command() {
        return Vec::new();
    }
    let included = text.mentions(context).iter().filter(|mention| {
        let before = &text.text[..mention.span.start];
        let word = before
            .strip_suffix('@')
            .is_some_and(|before| before.is_empty() || before.ends_with(char::is_whitespace));
        mention.form == PathForm::Root && word
    });
    let found = included.filter_map(|mention| {
        let file = match mention.target(context, text) {
            PathTarget::Inside { path, .. } => Ok(context.file(path)?),
            PathTarget::Missing(path) => Err(path.clone()),
            _ => return None,
        };
        Some(TextInclude { span: Span::new(mention.span.start - 1, mention.span.end), file })
    });
    found.collect()
}
