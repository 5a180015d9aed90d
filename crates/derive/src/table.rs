//! A struct: every field is a key.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataStruct, DeriveInput, Error, Fields, Result};

use crate::attributes::TableAttributes;
use crate::keys::{KeyField, chosen_by_default, group, joined, joined_groups};

pub fn expand(
    input: &DeriveInput,
    table: &TableAttributes,
    data: &DataStruct,
) -> Result<TokenStream> {
    let Fields::Named(named) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, "a table has named fields"));
    };
    if table.by.is_some() {
        return Err(Error::new_spanned(&input.ident, "`by` is for an enum"));
    }
    let about = table.about(&input.attrs, &input.ident)?;
    let fields: Vec<KeyField> = named
        .named
        .iter()
        .map(|field| KeyField::of(field, &table.cite))
        .collect::<Result<_>>()?;
    for field in &fields {
        field.check(table.is_layered)?;
    }
    let keys = joined(&lists(&fields));
    let selectors = selectors(table, &fields)?;
    let groups = all_groups(table, &fields);
    let reads = fields.iter().map(KeyField::read);
    let over = table.is_layered.then(|| over(input, table, &fields));
    let section = quote! {
        about: #about,
        keys: #keys,
        selector: crate::language::typed::only_selector(&[#(#selectors),*]),
        groups: #groups,
    };
    let made = implemented(input, table, &section, &quote! { Self { #(#reads),* } });
    Ok(quote! { #made #over })
}

/// The table, of what stands in its section and how it is read from `record`.
pub fn implemented(
    input: &DeriveInput,
    table: &TableAttributes,
    section: &TokenStream,
    read: &TokenStream,
) -> TokenStream {
    let (ident, name, optional) = (&input.ident, &table.name, table.is_layered);
    quote! {
        impl crate::language::typed::Table for #ident {
            const TABLE: &'static crate::language::table::Section = {
                static TABLE: crate::language::table::Section = crate::language::table::Section {
                    name: #name,
                    #section
                };
                &TABLE
            };
            const IS_LAYERED: bool = #optional;

            fn read(record: &crate::language::record::Record) -> Self {
                #read
            }
        }

        impl crate::language::kinds::Usual for #ident {
            type Kind = crate::language::kinds::Table;
            const KIND: Self::Kind =
                crate::language::kinds::Table(<Self as crate::language::typed::Table>::TABLE);
        }
    }
}

/// What may choose: an own field, or what a flattened table has.
fn selectors(table: &TableAttributes, fields: &[KeyField]) -> Result<Vec<TokenStream>> {
    let mut found = Vec::new();
    for field in fields.iter().filter(|field| field.attributes.is_flat) {
        let inner = &field.inner;
        let selector = quote! { <#inner as crate::language::typed::Table>::TABLE.selector };
        found.push(match field.attributes.repeats {
            false => selector,
            true => quote! { crate::language::typed::undecided(#selector) },
        });
    }
    let Some(by) = &table.selected_by else {
        return Ok(found);
    };
    let Some(field) = fields.iter().find(|field| field.ident == *by) else {
        return Err(Error::new(by.span(), "no such field"));
    };
    let (name, inner) = (&field.name, &field.inner);
    let default = chosen_by_default(&field.attributes.absent);
    let only = fields.iter().flat_map(|field| &field.attributes.only);
    found.push(quote! {
        {
            const { crate::language::typed::assert_words::<#inner>(&[#(#only),*]) };
            Some(crate::language::table::Selector { key: #name, default: #default })
        }
    });
    Ok(found)
}

/// Own keys and those of flattened tables, in the order of the fields.
fn lists(fields: &[KeyField]) -> Vec<TokenStream> {
    let list = |field: &KeyField| {
        let inner = &field.inner;
        match (field.attributes.is_flat, field.attributes.repeats) {
            (false, _) => {
                let key = field.key(&[]);
                quote! { &[#key] }
            }
            (true, false) => quote! { <#inner as crate::language::typed::Table>::TABLE.keys },
            (true, true) => quote! { &crate::language::typed::repeated::<
                #inner,
                { <#inner as crate::language::typed::Table>::TABLE.keys.len() },
            >() },
        }
    };
    fields.iter().map(list).collect()
}

/// Groups of this table, and of those flattened in it.
fn all_groups(table: &TableAttributes, fields: &[KeyField]) -> TokenStream {
    let own = table.groups.iter().map(|own| group(own, &[]));
    let flat = fields.iter().filter(|f| f.attributes.is_flat).map(|field| {
        let inner = &field.inner;
        quote! { <#inner as crate::language::typed::Table>::TABLE.groups }
    });
    let lists: Vec<TokenStream> = [quote! { &[#(#own),*] }].into_iter().chain(flat).collect();
    joined_groups(&lists)
}

/// What this table leaves open is taken from the one below, but for keys that say the same as
/// one of its own.
fn over(input: &DeriveInput, table: &TableAttributes, fields: &[KeyField]) -> TokenStream {
    let ident = &input.ident;
    let merged = fields.iter().map(|field| {
        let name = &field.ident;
        if field.attributes.is_flat {
            return quote! { #name: self.#name.over(&below.#name) };
        }
        let groups = table
            .groups
            .iter()
            .filter(|group| group.keys.contains(name));
        let rivals = groups.flat_map(|group| &group.keys);
        quote! {
            #name: if self.#name.is_some() #(|| self.#rivals.is_some())* {
                self.#name.clone()
            } else {
                below.#name.clone()
            }
        }
    });
    let placed = fields.iter().filter(|field| field.is_placed);
    let given = placed.map(|field| {
        let (ident, name) = (&field.ident, &field.name);
        quote! {
            if self.#ident.is_given {
                let key = <Self as crate::language::typed::Table>::TABLE.key(#name);
                found.extend(key.map(|key| (key, &self.#ident.at)));
            }
        }
    });
    quote! {
        impl crate::language::typed::Layered for #ident {
            fn given(
                &self,
            ) -> Vec<(&'static crate::language::table::Key, &crate::language::source::At)> {
                let mut found = Vec::new();
                #(#given)*
                found
            }
        }

        impl #ident {
            /// Its own settings, and from `below` what it leaves open.
            pub(crate) fn over(&self, below: &Self) -> Self {
                Self { #(#merged),* }
            }
        }
    }
}
