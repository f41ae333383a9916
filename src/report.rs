//! Results as text for people and as JSON for machines. Everything here returns text; `cli` writes it.

pub mod check;
pub mod diff;
pub mod doctor;
pub mod eval;
pub mod frame;
pub mod human;
pub mod json;
pub mod promote;
pub mod release;
pub mod sarif;
pub mod screen;
pub mod verify;
pub mod wrap;
