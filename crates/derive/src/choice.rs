//! An enum: the word of one key chooses the variant, and with it the other keys.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{DataEnum, DeriveInput, Error, Fields, Ident, Result, Type, Variant};

use crate::attributes::{
    Absent, By, GroupAttribute, TableAttributes, WordAttributes, groups, snake,
};
use crate::keys::{KeyField, absent, chosen_by_default, group, joined, joined_groups, peeled};
use crate::table::implemented;
use crate::word;

/// Keys under one or several words.
enum Part {
    /// Described by fields of variants.
    Field(Box<KeyField>, Vec<String>),
    /// All those of another table.
    Flat(Box<Type>, Vec<String>),
}

pub fn expand(
    input: &DeriveInput,
    table: &TableAttributes,
    data: &DataEnum,
) -> Result<TokenStream> {
    let Some(by) = &table.by else {
        let words = "say which key chooses: `by(kind, \"What it is.\")`";
        return Err(Error::new_spanned(&input.ident, words));
    };
    let about = table.about(&input.attrs, &input.ident)?;
    let variants: Vec<&Variant> = data.variants.iter().collect();
    let choices = variants
        .iter()
        .map(|v| word::choice(v))
        .collect::<Result<Vec<_>>>()?;
    let parts = parts(&variants)?;
    let keys = joined(&lists(&input.ident, by, &parts));
    let groups = all_groups(table, &variants, &parts)?;
    let (ident, key) = (&input.ident, by.key.unraw().to_string());
    let (arms, stand_in) = arms(by, &variants)?;
    let default = chosen_by_default(&by.absent);
    let section = quote! {
        about: #about,
        keys: #keys,
        selector: Some(crate::language::table::Selector { key: #key, default: #default }),
        groups: #groups,
    };
    let read = quote! {
        match record.chosen() {
            #(#arms,)*
            _ => #stand_in,
        }
    };
    let made = implemented(input, table, &section, &read);
    let shared = shared(&variants);
    Ok(quote! {
        #[allow(dead_code, reason = "what variants hold is not all asked for by name")]
        impl #ident {
            /// The words that choose a variant.
            pub(crate) const WORDS: &'static [crate::language::table::Choice] = &[#(#choices),*];
            #(#shared)*
        }

        #made
    })
}

/// A method for each name of a field, and for each table that is all of a variant: what the chosen
/// variant holds there, if it holds anything.
fn shared(variants: &[&Variant]) -> Vec<TokenStream> {
    let mut found: Vec<(Ident, Type, Vec<TokenStream>)> = Vec::new();
    for variant in variants {
        let at = &variant.ident;
        for field in &variant.fields {
            let (inner, is_optional) = peeled(&peeled(&field.ty, "Box").0, "Option");
            let (name, pattern) = match (&field.ident, &inner) {
                (Some(name), _) => (name.clone(), quote! { Self::#at { #name, .. } }),
                (None, Type::Path(path)) => {
                    let last = path.path.segments.last().map(|last| &last.ident);
                    let Some(name) = last.map(snake) else {
                        continue;
                    };
                    (name.clone(), quote! { Self::#at(#name) })
                }
                (None, _) => continue,
            };
            let held = match is_optional {
                true => quote! { #pattern => #name.as_ref() },
                false => quote! { #pattern => Some(#name) },
            };
            let known = found
                .iter_mut()
                .find(|(known, of, _)| *known == name && is_same(of, &inner));
            match known {
                Some((_, _, arms)) => arms.push(held),
                None => found.push((name, inner, vec![held])),
            }
        }
    }
    let method = |(name, inner, arms): (Ident, Type, Vec<TokenStream>)| {
        quote! {
            pub(crate) fn #name(&self) -> Option<&#inner> {
                match self {
                    #(#arms,)*
                    #[allow(unreachable_patterns)]
                    _ => None,
                }
            }
        }
    };
    // A name that holds different things in different variants stands for nothing.
    let names: Vec<Ident> = found.iter().map(|(name, ..)| name.clone()).collect();
    found.retain(|(name, ..)| names.iter().filter(|known| *known == name).count() == 1);
    found.into_iter().map(method).collect()
}

fn word_of(variant: &Variant) -> Result<String> {
    Ok(WordAttributes::of(&variant.attrs)?.word(&variant.ident))
}

/// The keys of all variants, each description once, in the order in which they first appear.
fn parts(variants: &[&Variant]) -> Result<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    for variant in variants {
        let word = WordAttributes::of(&variant.attrs)?;
        let cite = word.cite_of_keys();
        let word = word.word(&variant.ident);
        match &variant.fields {
            Fields::Unit => {}
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                add_flat(&mut parts, &fields.unnamed[0].ty, word);
            }
            Fields::Unnamed(_) => {
                return Err(Error::new_spanned(variant, "one table, or named fields"));
            }
            Fields::Named(fields) => {
                for field in &fields.named {
                    let field = KeyField::of(field, cite)?;
                    match field.attributes.is_flat {
                        true => add_flat(&mut parts, &field.inner, word.clone()),
                        false => add(&mut parts, field, &word)?,
                    }
                }
            }
        }
    }
    Ok(parts)
}

fn add_flat(parts: &mut Vec<Part>, flat: &Type, word: String) {
    let known = parts.iter_mut().find_map(|part| match part {
        Part::Flat(known, words) if is_same(known, flat) => Some(words),
        _ => None,
    });
    match known {
        Some(words) => words.push(word),
        None => parts.push(Part::Flat(Box::new(flat.clone()), vec![word])),
    }
}

fn is_same(one: &Type, other: &Type) -> bool {
    quote!(#one).to_string() == quote!(#other).to_string()
}

fn add(parts: &mut Vec<Part>, field: KeyField, word: &str) -> Result<()> {
    let known = parts.iter_mut().rev().find_map(|part| match part {
        Part::Field(known, words) if known.name == field.name => Some(words),
        _ => None,
    });
    match known {
        Some(words) if field.meaning.is_empty() => words.push(word.into()),
        _ => {
            field.check(false)?;
            parts.push(Part::Field(Box::new(field), vec![word.into()]));
        }
    }
    Ok(())
}

fn lists(ident: &Ident, by: &By, parts: &[Part]) -> Vec<TokenStream> {
    let (key, meaning) = (by.key.unraw().to_string(), &by.meaning);
    let default = absent(&by.absent);
    let mut lists = vec![quote! {
        &[crate::language::table::Key {
            name: #key,
            kind: &crate::language::kinds::Words(#ident::WORDS),
            default: #default,
            meaning: #meaning,
            cite: "",
            only: &[],
        }]
    }];
    for part in parts {
        lists.push(match part {
            Part::Field(field, words) => {
                let key = field.key(words);
                quote! { &[#key] }
            }
            Part::Flat(flat, words) => quote! { &crate::language::typed::limited::<
                { <#flat as crate::language::typed::Table>::TABLE.keys.len() },
            >(<#flat as crate::language::typed::Table>::TABLE.keys, &[#(#words),*]) },
        });
    }
    lists
}

/// Groups of single variants, each once with the words under which it holds.
fn groups_of(variants: &[&Variant]) -> Result<Vec<(GroupAttribute, Vec<String>)>> {
    let mut found: Vec<(GroupAttribute, Vec<String>)> = Vec::new();
    for variant in variants {
        let word = word_of(variant)?;
        for group in groups(&variant.attrs)? {
            match found.iter_mut().find(|(known, _)| *known == group) {
                Some((_, words)) => words.push(word.clone()),
                None => found.push((group, vec![word.clone()])),
            }
        }
    }
    Ok(found)
}

/// Groups of the whole table, of single variants, and of the tables flattened in them.
fn all_groups(
    table: &TableAttributes,
    variants: &[&Variant],
    parts: &[Part],
) -> Result<TokenStream> {
    let mut own: Vec<TokenStream> = table.groups.iter().map(|own| group(own, &[])).collect();
    own.extend(
        groups_of(variants)?
            .iter()
            .map(|(own, words)| group(own, words)),
    );
    let mut lists = vec![quote! { &[#(#own),*] }];
    lists.extend(parts.iter().filter_map(|part| match part {
        Part::Field(..) => None,
        Part::Flat(flat, words) => Some(quote! { &crate::language::typed::limited_groups::<
            { <#flat as crate::language::typed::Table>::TABLE.groups.len() },
        >(<#flat as crate::language::typed::Table>::TABLE.groups, &[#(#words),*]) }),
    }));
    Ok(joined_groups(&lists))
}

/// An arm for each word, and what stands for a word that was not read.
fn arms(by: &By, variants: &[&Variant]) -> Result<(Vec<TokenStream>, TokenStream)> {
    let mut arms = Vec::new();
    let mut stand_in = None;
    let mut described: Vec<KeyField> = Vec::new();
    for variant in variants {
        let word = word_of(variant)?;
        let value = value(variant, &mut described)?;
        let is_default = matches!(&by.absent, Absent::Is(toml) if toml.trim_matches('"') == word);
        if stand_in.is_none() || is_default {
            stand_in = Some(value.clone());
        }
        arms.push(quote! { #word => #value });
    }
    let none = || Error::new(by.key.span(), "an enum of no variants");
    Ok((arms, stand_in.ok_or_else(none)?))
}

/// The variant with its fields read; what has no description is of the kind last described.
fn value(variant: &Variant, described: &mut Vec<KeyField>) -> Result<TokenStream> {
    let ident = &variant.ident;
    let fields = match &variant.fields {
        Fields::Unit => return Ok(quote! { Self::#ident }),
        Fields::Unnamed(fields) => {
            let flat = fields.unnamed.first().map(|field| &field.ty);
            return Ok(quote! {
                Self::#ident(<#flat as crate::language::typed::Table>::read(record))
            });
        }
        Fields::Named(fields) => fields,
    };
    let mut reads = Vec::new();
    for field in &fields.named {
        let field = KeyField::of(field, "")?;
        let mut known = described.iter().rev();
        let repeats = field.meaning.is_empty() && !field.attributes.is_flat;
        let known = known.find(|known| known.name == field.name && repeats);
        reads.push(known.unwrap_or(&field).read());
        if known.is_none() {
            described.push(field);
        }
    }
    Ok(quote! { Self::#ident { #(#reads),* } })
}
