//! What the language says of itself: pages, schema, glossary, answers of `explain`.
//!
//! A line here reads the tables of `given` and never a scenario; it knows no key by name.
//! The next word of the field goes to `glossary.toml`, the next form of the same tables (for an
//! editor, a program) is a file of its own.

pub(crate) mod explain;
pub(crate) mod glossary;
pub(crate) mod pages;
pub(crate) mod profiles;
pub(crate) mod schema;
pub mod tables;
