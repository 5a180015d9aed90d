//! `#[table(..)]` and `#[word]`: a struct or an enum with doc comments is a table of
//! the scenario language.
//!
//! From one declaration come the description that reader, diagnostics, schema, reference and
//! `explain` work from (`Table::TABLE`), and the typed value that builders use (`Table::read`).
//!
//! ```ignore
//! /// What a switch does about a stop that does not end.
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
//! #[word]
//! pub(crate) enum WatchdogAction {
//!     /// Drops what waits and what comes for that class of the port.
//!     Drop,
//!     /// Sends in spite of the stop.
//!     Forward,
//! }
//!
//! /// Which unit leaves a port next.
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
//! Of a field, in `#[key(..)]`: `is`, what its value may be (a kind of `crate::language::kinds`;
//! left out where the type has one that goes without saying); `default`, as TOML; `otherwise`, in
//! words, what holds where an optional key is absent: `{NAME}` in it is how the constant `NAME`,
//! made by `usual!`, is written, so that a value that builders use too stands in one place; `cite`;
//! `only("a", "b")`, with `selected_by`; `name`, where it isn't the field's; `short = "key"`, a
//! table of which one key may stand alone; `flatten`, the keys of another table stand in this one,
//! with `as_above` each of them repeating a table above.
//!
//! A field is of a type `T` that holds the kind's values (`kinds::Of`), `Option<T>` where it may be
//! absent (a list is then empty), and in `Placed<..>` where its place in the file is needed. A
//! table that is an enum may be in `Chosen<..>`, flattened or not: it knows whether a word was
//! read, which one, and where. A key that several variants share is described in the first of
//! them; a variant that describes it again has a key of its own by that name, with its own
//! default. For each name that means the same in all variants that have it there is a method of
//! that name, which gives what the chosen variant holds; a table that is all of a variant goes by
//! the name of its type.
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
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Error, Result, meta, parse_macro_input};

use attributes::{TableAttributes, WordAttributes};

/// Makes a struct, or an enum whose variant one key chooses, a table of the language.
#[proc_macro_attribute]
pub fn table(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let own = parse_macro_input!(arguments as TableAttributes);
    let input = parse_macro_input!(item as DeriveInput);
    let made = match &input.data {
        Data::Struct(data) => table::expand(&input, &own, data),
        Data::Enum(data) => choice::expand(&input, &own, data),
        Data::Union(_) => Err(Error::new_spanned(&input.ident, "a table is no union")),
    };
    declared(input, &quote! { Clone, Debug }, made)
}

/// Makes an enum of unit variants the words that a key may hold.
#[proc_macro_attribute]
pub fn word(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut own = WordAttributes::default();
    let parser = meta::parser(|meta| own.take(&meta));
    parse_macro_input!(arguments with parser);
    let input = parse_macro_input!(item as DeriveInput);
    let made = word::expand(&input, &own);
    declared(input, &quote! { Clone, Copy, PartialEq, Eq, Debug }, made)
}

/// The item without what it says to these macros, with what each of its kind has, and with what
/// was made of it.
fn declared(mut input: DeriveInput, traits: &Tokens, made: Result<Tokens>) -> TokenStream {
    let made = made.unwrap_or_else(Error::into_compile_error);
    match &mut input.data {
        Data::Struct(data) => data.fields.iter_mut().for_each(|f| leave_out(&mut f.attrs)),
        Data::Enum(data) => data.variants.iter_mut().for_each(|variant| {
            leave_out(&mut variant.attrs);
            variant
                .fields
                .iter_mut()
                .for_each(|f| leave_out(&mut f.attrs));
        }),
        Data::Union(_) => {}
    }
    quote! { #[derive(#traits)] #input #made }.into()
}

fn leave_out(attributes: &mut Vec<Attribute>) {
    let said_here = ["table", "key", "word"];
    attributes.retain(|one| !said_here.iter().any(|name| one.path().is_ident(name)));
}
