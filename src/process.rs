//! The only owner of child processes.
