//! One fuzz target; what it holds the reader to stands in `bodies.rs`.
#![no_main]

#[path = "../bodies.rs"]
#[allow(dead_code, reason = "every target uses one of the bodies")]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::spliced(bytes));
