//! TOML documents from JSON values, written by the serializer so that nothing needs escaping here.

use serde_json::Value;

/// The text of `value`, an object.
///
/// # Errors
/// When it holds a null, which TOML cannot say.
pub fn to_string(value: &Value) -> Result<String, toml::ser::Error> {
    toml::to_string(value)
}
