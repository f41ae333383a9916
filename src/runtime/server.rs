//! `server`: the development server that a user looks at.

mod adopt;
mod ending;
pub mod owner;
pub mod probe;
pub mod record;
pub mod start;
pub mod status;
pub mod stop;
