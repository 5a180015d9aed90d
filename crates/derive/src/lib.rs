//! `#[derive(Table)]` and `#[derive(Word)]`: a struct or an enum with doc comments is a table of
//! the scenario language.
//!
//! From one declaration come the description that reader, diagnostics, schema, reference and
//! `explain` work from (`Table::TABLE`), and the typed value that builders use (`Table::read`).
//!
//! ```ignore
//! /// What a switch does about a stop that does not end.
//! #[derive(Table)]
//! #[table("[watchdog]")]
//! pub(crate) struct Watchdog {
//!     /// A class stopped with frames waiting and without a start for so long trips it.
//!     #[key(is = Clock { min_ps: 1 }, default = "\"200 ms\"")]
//!     pub detect: Duration,
//!     /// What it does until then.
//!     #[key(default = "\"drop\"")]
//!     pub action: WatchdogAction,
//! }
//!
//! /// A word of `action`.
//! #[derive(Word)]
//! pub(crate) enum WatchdogAction {
//!     /// Drops what waits and what comes for that class of the port.
//!     Drop,
//!     /// Sends in spite of the stop.
//!     Forward,
//! }
//!
//! /// Which unit leaves a port next.
//! #[derive(Table)]
//! #[table("[scheduler]", by(kind, "Discipline.", default = "\"round-robin\""))]
//! pub(crate) enum Scheduler {
//!     /// One unit of each flow that has one, in turn.
//!     RoundRobin,
//!     /// Deficit round robin.
//!     #[word(cite = "Shreedhar, Varghese 1995")]
//!     Drr {
//!         /// Bytes a turn.
//!         #[key(is = Size { min: 1, max: 1 << 20 }, otherwise = "the largest unit of any flow")]
//!         quantum: Placed<Option<u32>>,
//!     },
//!     /// Its settings stand in a table of their own.
//!     VirtualClock(VirtualClock),
//! }
//! ```
//!
//! # Attributes
//!
//! Of a table: its name, or `part` where its keys stand in other tables alone; `by(key, "meaning",
//! default = "..")` names the key whose word chooses the variant of an enum, with what holds where
//! it is absent (`default`, TOML, or `otherwise`, words; else it must be given); `at_most_one(a,
//! b)` and `exactly_one(a, b)` name keys that say the same in different ways, and on a variant they
//! hold there alone; `layered`, of a struct whose fields are all optional, makes `over`, which
//! takes from the table below what this one leaves open, and `given`, the keys given in it whose
//! places are kept; `cite`, for all its keys that do not say (`""` says that one cites nothing);
//! `selected_by(field)` names the field whose word decides where keys with
//! `only(..)` have a meaning, for layered tables whose kind another table may say.
//!
//! Of a field, in `#[key(..)]`: `is`, what its value may be (a kind of `crate::kinds`; left out
//! where the type has one that goes without saying); `default`, as TOML; `otherwise`, in words,
//! what holds where an optional key is absent: `{NAME}` in it is how the constant `NAME`, made by
//! `usual!`, is written, so that a value that builders use too stands in one place;
//! `cite`; `only("a", "b")`, with `selected_by`; `name`, where it isn't the field's; `short =
//! "key"`, a table of which one key may stand alone;
//! `flatten`, the keys of another table stand in this one, with `as_above` each of them repeating
//! a table above.
//!
//! A field is of a type `T` that holds the kind's values (`kinds::Of`), `Option<T>` where it may be
//! absent (a list is then empty), and in `Placed<..>` where its place in the file is needed. A
//! table that is an enum may be in `Chosen<..>`, flattened or not: it knows whether a word was
//! read, which one, and where. A key that several variants share is described in the first of
//! them; a variant that describes it again has a key of its own by that name, with its own
//! default.
//!
//! Of a word or variant, in `#[word(..)]`: `name`, where it is not the identifier in kebab case;
//! `cite`, or `cite_all` where its keys cite the same.
//!
//! Of an enum of words, in `#[word(..)]`: `of`, the type of an engine whose variants its words
//! stand for, which makes `From`; with `of` on a word, where the variant has another name.

mod attributes;
mod choice;
mod keys;
mod table;
mod word;

use proc_macro::TokenStream;
use syn::{Data, DeriveInput, Error, parse_macro_input};

/// Makes a struct, or an enum whose variant one key chooses, a table of the language.
#[proc_macro_derive(Table, attributes(table, key, word))]
pub fn derive_table(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let tokens = match &input.data {
        Data::Struct(data) => table::expand(&input, data),
        Data::Enum(data) => choice::expand(&input, data),
        Data::Union(_) => Err(Error::new_spanned(&input.ident, "a table is no union")),
    };
    tokens.unwrap_or_else(Error::into_compile_error).into()
}

/// Makes an enum of unit variants the words that a key may hold.
#[proc_macro_derive(Word, attributes(word))]
pub fn derive_word(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let tokens = word::expand(&input);
    tokens.unwrap_or_else(Error::into_compile_error).into()
}
