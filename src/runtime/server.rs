//! `server`: the development server that the user tries out.

mod adopt;
mod ending;
pub mod owner;
pub mod probe;
pub mod record;
pub mod start;
pub mod status;
pub mod stop;
mod wait;
