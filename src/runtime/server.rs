//! `server`: the development server that a user looks at.

pub mod owner;
pub mod probe;
pub mod stop;
