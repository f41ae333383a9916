//! The model of a source, independent of any host: plugins with their components, every name resolved, every field with
//! its span.

pub mod component;
pub mod config;
pub mod credentials;
pub mod files;
pub mod hook;
pub mod manifest;
pub mod marketplace;
pub mod names;
pub mod overrides;
pub mod paths;
pub mod plugin;
mod plugin_texts;
pub mod project;
pub mod qualified_name;
pub mod references;
pub mod runtime;
pub mod secret;
pub mod server;
pub mod similar_names;
