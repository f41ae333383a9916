//! `dispatch`: who repairs what the user decided to have repaired.

pub mod plan;
