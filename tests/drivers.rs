//! The drivers: one small plugin is built, shown to every real host by `plugcast verify`, and used in
//! a session of each, as a person and a model would use it.

mod hosts;
mod plugin;
