//! Values to bytes, one file per format. JSON, TOML and YAML come from serializers; only prose comes from templates,
//! and a body is always a value of a template, never a template.

pub mod json;
pub mod markdown;
pub mod template;
pub mod toml;
pub mod yaml;
