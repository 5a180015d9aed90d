//! An enum of words.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result, Variant};

use crate::attributes::{WordAttributes, required_docs};

pub fn expand(input: &DeriveInput, own: &WordAttributes) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "words are an enum"));
    };
    let name = &input.ident;
    let mut choices = Vec::new();
    let mut words = Vec::new();
    let mut variants = Vec::new();
    let mut of_variants = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(variant, "a word has no fields"));
        }
        choices.push(choice(variant)?);
        let attributes = WordAttributes::of(&variant.attrs)?;
        words.push(attributes.word(&variant.ident));
        variants.push(&variant.ident);
        of_variants.push(
            attributes
                .of
                .unwrap_or_else(|| variant.ident.clone().into()),
        );
    }
    let into = own.of.as_ref().map(|of| {
        quote! {
            impl From<#name> for #of {
                fn from(word: #name) -> Self {
                    match word {
                        #(#name::#variants => #of::#of_variants,)*
                    }
                }
            }
        }
    });
    Ok(quote! {
        impl crate::language::typed::Word for #name {
            const ALL: &'static [Self] = &[#(Self::#variants),*];
            const WORDS: &'static [crate::language::table::Choice] = &[#(#choices),*];

            fn word(&self) -> &'static str {
                match self {
                    #(Self::#variants => #words,)*
                }
            }
        }

        impl crate::language::kinds::Usual for #name {
            type Kind = crate::language::kinds::Words;
            const KIND: Self::Kind =
                crate::language::kinds::Words(<Self as crate::language::typed::Word>::WORDS);
        }

        #into
    })
}

/// What a variant stands for.
pub fn choice(variant: &Variant) -> Result<TokenStream> {
    let attributes = WordAttributes::of(&variant.attrs)?;
    let (name, cite) = (attributes.word(&variant.ident), &attributes.cite);
    let meaning = required_docs(&variant.attrs, &variant.ident)?;
    Ok(quote! {
        crate::language::table::Choice { name: #name, meaning: #meaning, cite: #cite }
    })
}
