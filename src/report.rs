//! Results as text: pure functions from a result to what is printed.

pub mod verify;
