//! What stands in `#[table(..)]`, `#[key(..)]`, `#[word(..)]` and in doc comments.

use syn::meta::ParseNestedMeta;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, Ident, Lit, LitStr, Meta, Path, Result, Token, parenthesized};

/// What `#[table(..)]` says.
#[derive(Default)]
pub struct TableAttributes {
    /// Empty where its keys stand in other tables alone.
    pub name: String,
    pub by: Option<By>,
    pub groups: Vec<GroupAttribute>,
    pub is_layered: bool,
    /// The field whose word decides which of the others have a meaning.
    pub selected_by: Option<Ident>,
    /// What its keys cite that do not say.
    pub cite: String,
}

/// The key whose word chooses the variant.
pub struct By {
    pub key: Ident,
    pub meaning: String,
    pub absent: Absent,
}

/// Keys that say the same in different ways.
#[derive(PartialEq)]
pub struct GroupAttribute {
    pub keys: Vec<Ident>,
    pub is_required: bool,
}

/// What holds where a key is absent.
#[derive(Clone, Default)]
pub enum Absent {
    #[default]
    Required,
    Is(String),
    Otherwise(String),
}

/// What `#[key(..)]` says.
#[derive(Default)]
pub struct KeyAttributes {
    pub name: Option<String>,
    pub is: Option<Expr>,
    pub short: Option<String>,
    pub absent: Absent,
    pub cite: Option<String>,
    /// The words under which it has a meaning; empty is all.
    pub only: Vec<String>,
    pub is_flat: bool,
    pub repeats: bool,
}

/// What `#[word(..)]` says.
#[derive(Default)]
pub struct WordAttributes {
    pub name: Option<String>,
    pub cite: String,
    /// The keys that it brings cite the same where they do not say.
    pub is_cited_by_keys: bool,
    /// Of an enum, the type of the engine whose variants its words stand for; of a word, the
    /// variant, where that has another name.
    pub of: Option<Path>,
}

impl TableAttributes {
    /// What it is for: it must be said where it is a table of its own.
    pub fn about(&self, attributes: &[Attribute], at: &Ident) -> Result<String> {
        match self.name.is_empty() {
            true => Ok(String::new()),
            false => required_docs(attributes, at),
        }
    }
}

impl Parse for TableAttributes {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut found = Self::default();
        if input.peek(LitStr) {
            found.name = input.parse::<LitStr>()?.value();
        } else if input.parse::<Ident>()? != "part" {
            return Err(input.error("its name in quotes, or `part` where it stands in others"));
        }
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            let word: Ident = input.parse()?;
            match word.to_string().as_str() {
                "layered" => found.is_layered = true,
                "cite" => {
                    input.parse::<Token![=]>()?;
                    found.cite = input.parse::<LitStr>()?.value();
                }
                "selected_by" => found.selected_by = Some(in_parentheses(input)?),
                "by" => found.by = Some(by(input)?),
                "at_most_one" => found.groups.push(group(input, false)?),
                "exactly_one" => found.groups.push(group(input, true)?),
                _ => return Err(Error::new(word.span(), "not an attribute of a table")),
            }
        }
        Ok(found)
    }
}

fn in_parentheses(input: ParseStream<'_>) -> Result<Ident> {
    let inside;
    parenthesized!(inside in input);
    inside.parse()
}

fn by(input: ParseStream<'_>) -> Result<By> {
    let inside;
    parenthesized!(inside in input);
    let key = inside.parse()?;
    inside.parse::<Token![,]>()?;
    let meaning = inside.parse::<LitStr>()?.value();
    let mut absent = Absent::Required;
    if inside.parse::<Option<Token![,]>>()?.is_some() {
        let word: Ident = inside.parse()?;
        inside.parse::<Token![=]>()?;
        let text = inside.parse::<LitStr>()?.value();
        absent = match word.to_string().as_str() {
            "default" => Absent::Is(text),
            "otherwise" => Absent::Otherwise(text),
            _ => return Err(Error::new(word.span(), "`default` or `otherwise`")),
        };
    }
    Ok(By {
        key,
        meaning,
        absent,
    })
}

fn group(input: ParseStream<'_>, is_required: bool) -> Result<GroupAttribute> {
    let inside;
    parenthesized!(inside in input);
    let keys = inside.parse_terminated(Ident::parse, Token![,])?;
    Ok(GroupAttribute {
        keys: keys.into_iter().collect(),
        is_required,
    })
}

/// The groups that `#[table(at_most_one(..))]` on a variant names.
pub fn groups(attributes: &[Attribute]) -> Result<Vec<GroupAttribute>> {
    let mut found = Vec::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("table")) {
        attribute.parse_args_with(|input: ParseStream<'_>| {
            let word: Ident = input.parse()?;
            found.push(group(input, word == "exactly_one")?);
            Ok(())
        })?;
    }
    Ok(found)
}

impl KeyAttributes {
    pub fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut found = Self::default();
        for attribute in attributes.iter().filter(|a| a.path().is_ident("key")) {
            attribute.parse_nested_meta(|meta| found.take(&meta))?;
        }
        Ok(found)
    }

    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let word = meta.path.require_ident()?.to_string();
        match word.as_str() {
            "name" => self.name = Some(text(meta)?),
            "is" => self.is = Some(meta.value()?.parse()?),
            "short" => self.short = Some(text(meta)?),
            "default" => self.absent = Absent::Is(text(meta)?),
            "otherwise" => self.absent = Absent::Otherwise(text(meta)?),
            "cite" => self.cite = Some(text(meta)?),
            "only" => {
                let inside;
                parenthesized!(inside in meta.input);
                let words = inside.parse_terminated(<LitStr as Parse>::parse, Token![,])?;
                self.only = words.iter().map(LitStr::value).collect();
            }
            "flatten" => self.is_flat = true,
            "as_above" => self.repeats = true,
            _ => return Err(meta.error("not an attribute of a key")),
        }
        Ok(())
    }
}

impl WordAttributes {
    pub fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut found = Self::default();
        for attribute in attributes.iter().filter(|a| a.path().is_ident("word")) {
            attribute.parse_nested_meta(|meta| found.take(&meta))?;
        }
        Ok(found)
    }

    pub fn take(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        match meta.path.require_ident()?.to_string().as_str() {
            "name" => self.name = Some(text(meta)?),
            "cite" => self.cite = text(meta)?,
            "cite_all" => {
                self.cite = text(meta)?;
                self.is_cited_by_keys = true;
            }
            "of" => self.of = Some(meta.value()?.parse()?),
            _ => return Err(meta.error("not an attribute of a word")),
        }
        Ok(())
    }

    /// What its keys cite that do not say.
    pub fn cite_of_keys(&self) -> &str {
        match self.is_cited_by_keys {
            true => &self.cite,
            false => "",
        }
    }

    /// The word of this variant.
    pub fn word(&self, variant: &Ident) -> String {
        self.name.clone().unwrap_or_else(|| kebab(variant))
    }
}

fn text(meta: &ParseNestedMeta<'_>) -> Result<String> {
    Ok(meta.value()?.parse::<LitStr>()?.value())
}

/// `StrictPriority` as `strict-priority`.
fn kebab(ident: &Ident) -> String {
    let mut word = String::new();
    for letter in ident.to_string().chars() {
        if letter.is_ascii_uppercase() && !word.is_empty() {
            word.push('-');
        }
        word.push(letter.to_ascii_lowercase());
    }
    word
}

/// `FlowControl` as `flow_control`.
pub fn snake(ident: &Ident) -> Ident {
    Ident::new(&kebab(ident).replace('-', "_"), ident.span())
}

/// The first paragraph of a doc comment, on one line; empty where there is none.
pub fn docs(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| {
        let Meta::NameValue(pair) = &attribute.meta else {
            return None;
        };
        let Expr::Lit(literal) = &pair.value else {
            return None;
        };
        match (&literal.lit, pair.path.is_ident("doc")) {
            (Lit::Str(text), true) => Some(text.value().trim().to_string()),
            _ => None,
        }
    });
    let paragraph: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    paragraph.join(" ")
}

/// The same, which must be there.
pub fn required_docs(attributes: &[Attribute], at: &impl Spanned) -> Result<String> {
    let docs = docs(attributes);
    match docs.is_empty() {
        true => Err(Error::new(at.span(), "say in a doc comment what it is")),
        false => Ok(docs),
    }
}
