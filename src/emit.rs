//! Serializes values, one file per format. JSON, TOML and YAML come from serializers; only prose comes from templates,
//! and a body is only ever a template's value, never a template itself.

pub mod json;
pub mod markdown;
pub mod template;
pub mod toml;
pub mod yaml;
