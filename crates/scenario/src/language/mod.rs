//! The machinery of the language: text to a tree that knows its places, values of each kind with
//! their units, mistakes and how they are told.
//!
//! A line here names no key, no table and no network: it may touch this room alone, and `given`
//! reaches it through what `derive` writes. The next kind of value goes to `kinds`, the next code
//! of a mistake to `errors.toml`.

pub(crate) mod diagnostics;
pub(crate) mod errors;
pub(crate) mod files;
pub(crate) mod instant;
pub mod kinds;
pub(crate) mod reader;
pub(crate) mod record;
pub(crate) mod resolved;
pub(crate) mod source;
pub(crate) mod suggest;
pub(crate) mod table;
pub(crate) mod tree;
pub(crate) mod typed;
pub(crate) mod units;
