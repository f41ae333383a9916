//! Lines of prose from the templates of a target. The one place that knows the template engine.

use std::collections::BTreeSet;

use serde_json::Value;
use tera::{Context, Tera};

/// A template of a target that cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot render a template of the target: {0}")]
pub struct TemplateError(pub String);

/// Templates that were filled before, ready to be filled again.
pub struct Templates {
    parsed: Tera,
    known: BTreeSet<String>,
}

impl Default for Templates {
    fn default() -> Self {
        let mut parsed = Tera::default();
        parsed.autoescape_on([""; 0]);
        Self { parsed, known: BTreeSet::new() }
    }
}

impl Templates {
    /// Fills `template` with the fields of `values`, an object.
    ///
    /// # Errors
    /// When the template does not parse or names something that is not there.
    pub fn render(&mut self, template: &str, values: &Value) -> Result<String, TemplateError> {
        let fail =
            |error: tera::Error| TemplateError(error.to_string().trim_start_matches("error: ").to_owned());
        // A template is known by its own text.
        if !self.known.contains(template) {
            self.parsed.add_raw_template(template, template).map_err(fail)?;
            self.known.insert(template.to_owned());
        }
        let context = Context::from_serialize(values).map_err(|error| TemplateError(error.to_string()))?;
        self.parsed.render(template, &context).map_err(fail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_values_never_templates() {
        let values = serde_json::json!({ "body": "{{ secret }} & <b>" });
        let mut templates = Templates::default();
        for _ in 0..2 {
            assert_eq!(templates.render("<{{ body }}>", &values).unwrap(), "<{{ secret }} & <b>>");
        }
        assert!(templates.render("{{ absent }}", &values).is_err());
    }
}
