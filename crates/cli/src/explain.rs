//! `backwater explain`, `list`, `schema`: what the program knows about its own language.

use crate::{SUCCESS, fail};

/// What to explain.
#[derive(clap::Args)]
pub struct Options {
    /// A key (`flow_control.n3`), scheme (`n23`), traffic, sink, topology, measure or claim
    what: String,
}

/// Explains one word.
pub fn explain(options: &Options) -> u8 {
    if let Some(text) = explain_claim(&options.what) {
        print!("{text}");
        return SUCCESS;
    }
    match scenario::explain(&options.what) {
        Ok(text) => {
            println!("{}", text.trim_end());
            SUCCESS
        }
        Err(message) => fail(message),
    }
}

fn explain_claim(id: &str) -> Option<String> {
    for paper in papers::papers() {
        let claims = papers::claim::parse(paper.claims_toml).ok()?;
        if let Some(claim) = claims.into_iter().find(|claim| claim.id == id) {
            let check = claim
                .check
                .map_or(String::new(), |check| format!("  holds if: {check}\n"));
            return Some(format!(
                "{id}: {}, {}\n  states: {}\n{check}  rerun it: backwater reproduce {id}\n",
                paper.title, claim.figure, claim.states
            ));
        }
    }
    None
}

/// Everything by group.
pub fn list() -> u8 {
    for (group, words) in scenario::list() {
        println!("{group}:");
        for (word, meaning) in words {
            println!("  {word:<20} {meaning}");
        }
        println!();
    }
    println!("papers:");
    for paper in papers::papers() {
        let claims = papers::claim::parse(paper.claims_toml).map_or(0, |claims| claims.len());
        println!("  {:<20} {} ({claims} claims)", paper.id, paper.title);
    }
    println!("\nMore on each: backwater explain WORD");
    SUCCESS
}

/// The JSON schema of scenarios.
pub fn schema() -> u8 {
    println!("{:#}", scenario::json_schema());
    SUCCESS
}

/// The reference of all keys.
pub fn reference() -> u8 {
    print!("{}", scenario::reference_markdown());
    SUCCESS
}
