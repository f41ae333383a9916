//! Renders lines of prose from the templates of a target. Only this file uses the template engine.

use std::collections::BTreeMap;

use serde_json::Value;
use tera::{Context, Tera};

/// How many rendered lines are cached per template.
const MOST_KEPT: usize = 8;

/// A template of a target that cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot render a template of the target: {0}")]
pub struct TemplateError(pub String);

/// Parsed templates and the lines rendered from them.
pub struct TemplateCache {
    parsed: Tera,
    /// The first lines rendered from each template, by its text: most blocks repeat the lines of another.
    cache: BTreeMap<String, Vec<(Value, String)>>,
}

impl Default for TemplateCache {
    fn default() -> Self {
        let mut parsed = Tera::default();
        parsed.autoescape_on([""; 0]);
        Self { parsed, cache: BTreeMap::new() }
    }
}

impl TemplateCache {
    /// Renders `template` with the fields of `values`, an object.
    ///
    /// # Errors
    /// When the template does not parse, or uses an unknown name.
    pub fn render(&mut self, template: &str, values: &Value) -> Result<String, TemplateError> {
        let fail =
            |error: tera::Error| TemplateError(error.to_string().trim_start_matches("error: ").to_owned());
        let filled = match self.cache.get_mut(template) {
            Some(filled) => filled,
            None => {
                self.parsed.add_raw_template(template, template).map_err(fail)?;
                self.cache.entry(template.to_owned()).or_default()
            }
        };
        if let Some((_, line)) = filled.iter().find(|(with, _)| with == values) {
            return Ok(line.clone());
        }
        let context = Context::from_serialize(values).map_err(|error| TemplateError(error.to_string()))?;
        let line = self.parsed.render(template, &context).map_err(fail)?;
        if filled.len() < MOST_KEPT {
            filled.push((values.clone(), line.clone()));
        }
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_values_never_templates() {
        let values = serde_json::json!({ "body": "{{ secret }} & <b>" });
        let mut templates = TemplateCache::default();
        for _ in 0..2 {
            assert_eq!(templates.render("<{{ body }}>", &values).unwrap(), "<{{ secret }} & <b>>");
        }
        assert!(templates.render("{{ absent }}", &values).is_err());
    }
}
