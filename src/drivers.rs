//! The real hosts: one driver a host, which starts the host's own binary in a fresh home with a
//! clean environment and a scripted model on loopback, and reports what the host shows.

pub mod anthropic_messages;
pub mod http;
pub mod model_server;
pub mod openai_chat;
pub mod openai_responses;
pub mod script;
