//! The keys that the fields of a struct or of a variant are.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Error, Field, GenericArgument, Ident, PathArguments, Result, Type};

use crate::attributes::{Absent, GroupAttribute, KeyAttributes, docs};

/// A field, as far as it is known where it stands.
pub struct KeyField {
    pub ident: Ident,
    pub name: String,
    pub attributes: KeyAttributes,
    pub meaning: String,
    /// The type without `Placed` and `Option`.
    pub inner: Type,
    pub is_placed: bool,
    pub is_optional: bool,
}

impl KeyField {
    /// It cites `cite` where it does not say.
    pub fn of(field: &Field, cite: &str) -> Result<Self> {
        let Some(ident) = field.ident.clone() else {
            return Err(Error::new_spanned(field, "a field needs a name"));
        };
        let mut attributes = KeyAttributes::of(&field.attrs)?;
        attributes.cite.get_or_insert_with(|| cite.into());
        let name = attributes.name.clone();
        let (within, is_placed) = peeled(&field.ty, "Placed");
        let (inner, is_optional) = peeled(&within, "Option");
        Ok(Self {
            name: name.unwrap_or_else(|| ident.unraw().to_string()),
            meaning: docs(&field.attrs),
            ident,
            attributes,
            inner,
            is_placed,
            is_optional,
        })
    }

    /// Refuses what would be silently wrong.
    pub fn check(&self, is_layered: bool) -> Result<()> {
        let fault = |words: &str| Err(Error::new(self.ident.span(), words));
        if self.attributes.is_flat {
            return Ok(());
        }
        if self.meaning.is_empty() {
            return fault("say in a doc comment what it is");
        }
        match (&self.attributes.absent, self.is_optional, is_layered) {
            (Absent::Otherwise(_), false, _) if !is_list(&self.inner) => {
                fault("what may be absent is an `Option` or a list, or has a `default`")
            }
            (Absent::Required | Absent::Is(_), true, false) => {
                fault("say with `otherwise` what holds where it is absent")
            }
            (_, false, true) => fault("a layered table leaves each key open: make it an `Option`"),
            _ => Ok(()),
        }
    }

    /// What its value may be.
    fn kind(&self) -> TokenStream {
        let inner = &self.inner;
        let span = inner.span();
        match (&self.attributes.is, &self.attributes.short) {
            (Some(kind), _) => quote! { { use crate::language::kinds::*; #kind } },
            (_, Some(short)) => quote_spanned! {span=>
                crate::language::kinds::Short(
                    <#inner as crate::language::typed::Table>::TABLE,
                    #short,
                )
            },
            _ => quote_spanned! {span=> <#inner as crate::language::kinds::Usual>::KIND },
        }
    }

    /// The key, as described; `variants` holds the words of the variants that have it.
    pub fn key(&self, variants: &[String]) -> TokenStream {
        let only = match variants {
            [] => &self.attributes.only,
            _ => variants,
        };
        let (name, meaning) = (&self.name, &self.meaning);
        let cite = self.attributes.cite.as_deref().unwrap_or_default();
        let kind = self.kind();
        let default = absent(&self.attributes.absent);
        quote! {
            crate::language::table::Key {
                name: #name,
                kind: &#kind,
                default: #default,
                meaning: #meaning,
                cite: #cite,
                only: &[#(#only),*],
            }
        }
    }

    /// How it takes its value from `record`.
    pub fn read(&self) -> TokenStream {
        let ident = &self.ident;
        if self.attributes.is_flat {
            let inner = &self.inner;
            return quote! { #ident: <#inner as crate::language::typed::Table>::read(record) };
        }
        let (name, inner) = (&self.name, &self.inner);
        let kind = self.kind();
        let method = match (self.is_placed, self.is_optional) {
            (false, false) => quote! { value },
            (false, true) => quote! { optional },
            (true, false) => quote! { placed },
            (true, true) => quote! { placed_optional },
        };
        quote_spanned! {inner.span()=> #ident: record.#method::<_, #inner>(#name, &#kind) }
    }
}

/// What holds where a key is absent.
pub fn absent(absent: &Absent) -> TokenStream {
    match absent {
        Absent::Required => quote! { crate::language::table::Default::Required },
        Absent::Is(toml) => quote! { crate::language::table::Default::Is(#toml) },
        Absent::Otherwise(words) => {
            let words = words_with_values(words);
            quote! { crate::language::table::Default::Derived(#words) }
        }
    }
}

/// The words, with what the constants named in braces are written as.
fn words_with_values(words: &str) -> TokenStream {
    let mut parts = Vec::new();
    let mut rest = words;
    while let Some((before, name, after)) = first_constant(rest) {
        let name = Ident::new(name, Span::call_site());
        parts.push(quote! { #before.as_bytes(), #name.text.as_bytes(), });
        rest = after;
    }
    if parts.is_empty() {
        return quote! { #words };
    }
    quote! {
        {
            const PARTS: &[&[u8]] = &[#(#parts)* #rest.as_bytes()];
            const TEXT: [u8; crate::language::typed::total(PARTS)] =
                crate::language::typed::joined(0, PARTS);
            crate::given::usual::text(&TEXT)
        }
    }
}

/// What stands before the first constant in braces, its name, and what follows.
fn first_constant(words: &str) -> Option<(&str, &str, &str)> {
    words.match_indices('{').find_map(|(at, _)| {
        let (name, after) = words[at + 1..].split_once('}')?;
        is_constant(name).then_some((&words[..at], name, after))
    })
}

/// `DEPTH`, `TDF_2`; not a table such as `{ mean = .. }`.
fn is_constant(name: &str) -> bool {
    let of_a_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(of_a_name)
}

/// The word that holds where the key that chooses is absent.
pub fn chosen_by_default(absent: &Absent) -> TokenStream {
    match absent {
        Absent::Is(toml) => {
            let word = toml.trim_matches('"');
            quote! { Some(#word) }
        }
        Absent::Required | Absent::Otherwise(_) => quote! { None },
    }
}

pub fn group(group: &GroupAttribute, only: &[String]) -> TokenStream {
    let keys = group.keys.iter().map(|key| key.unraw().to_string());
    let required = group.is_required;
    quote! {
        crate::language::table::Group {
            keys: &[#(#keys),*],
            required: #required,
            only: &[#(#only),*],
        }
    }
}

/// Keys one after another: those described here, and those of flattened tables.
pub fn joined(lists: &[TokenStream]) -> TokenStream {
    all(lists, &quote! { crate::language::table::Key })
}

/// The same of groups.
pub fn joined_groups(lists: &[TokenStream]) -> TokenStream {
    all(lists, &quote! { crate::language::table::Group })
}

fn all(lists: &[TokenStream], of: &TokenStream) -> TokenStream {
    quote! {
        {
            const LISTS: &[&[#of]] = &[#(#lists),*];
            const ALL: [#of; crate::language::typed::total(LISTS)] =
                crate::language::typed::joined(#of::FILLER, LISTS);
            &ALL
        }
    }
}

fn is_list(inner: &Type) -> bool {
    peeled(inner, "Vec").1
}

/// The type in `Wrapper<..>`, and whether it was in one.
pub fn peeled(whole: &Type, wrapper: &str) -> (Type, bool) {
    if let Type::Path(path) = whole
        && let Some(last) = path.path.segments.last()
        && last.ident == wrapper
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(inner)) = arguments.args.first()
    {
        return (inner.clone(), true);
    }
    (whole.clone(), false)
}
