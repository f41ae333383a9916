//! `dispatch`: which agent repairs what the user chose to repair.

pub mod plan;
