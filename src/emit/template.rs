//! Lines of prose from the templates of a target. The one place that knows the template engine.

use serde_json::Value;
use tera::{Context, Tera};

/// A template of a target that cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a template of the target cannot be rendered: {0}")]
pub struct TemplateError(pub String);

/// Fills `template` with the fields of `values`, an object.
///
/// # Errors
/// When the template does not parse or names something that is not there.
pub fn render(template: &str, values: &Value) -> Result<String, TemplateError> {
    let context = Context::from_serialize(values).map_err(|error| TemplateError(error.to_string()))?;
    Tera::one_off(template, &context, false)
        .map_err(|error| TemplateError(format!("{error} in `{template}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_values_never_templates() {
        let values = serde_json::json!({ "body": "{{ secret }} & <b>" });
        assert_eq!(render("<{{ body }}>", &values).unwrap(), "<{{ secret }} & <b>>");
        assert!(render("{{ absent }}", &values).is_err());
    }
}
