//! `backwater explain`, `list`, `schema`, `reference`: what the program knows about its own
//! language.

use backwater_kernel::words::counted;
use backwater_papers::{Claim, Paper};

use crate::claims::near;
use crate::{SUCCESS, example, fail};

/// What to explain.
#[derive(clap::Args)]
pub struct Options {
    /// A key (`flow_control.n3`), scheme (`n23`), traffic, sink, topology, measure, term (`vc`,
    /// `xoff`, `incast`), column of a table (`delay_p99_us`), code of an error (`headroom`), paper
    /// (`kung1993`) or claim (`kung1993.fig12.burst`)
    #[arg(required = true)]
    what: Vec<String>,
}

/// Which page to print.
#[derive(clap::Args)]
pub struct PageOptions {
    /// The page
    #[arg(default_value = "keys")]
    page: Page,
}

/// Pages of the documents that are printed from tables.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Page {
    /// How scenarios are written, and where their keys are
    Keys,
    /// All keys of scenarios of circuits
    Circuits,
    /// All keys of scenarios of switched Ethernet
    Ethernet,
    /// All keys of scenarios of flits
    Flits,
    /// All keys of comparisons
    Comparison,
    /// Terms of the field, and the words used here
    Glossary,
    /// Codes of errors and warnings
    Errors,
}

/// What to list.
#[derive(clap::Args)]
pub struct ListOptions {
    /// List only these
    what: Option<Group>,
}

/// What can be listed by itself.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Group {
    /// The words used in scenarios: schemes, traffic, sinks, topologies, measures
    Words,
    /// The papers that can be reproduced
    Papers,
    /// Their claims
    Claims,
    /// The scenarios that are shipped with the program
    Scenarios,
}

/// Explains one word.
pub fn explain(options: &Options) -> u8 {
    match text(&options.what.join(" ")) {
        Ok(text) => {
            println!("{text}");
            SUCCESS
        }
        Err(message) => fail(message),
    }
}

/// What a key, a word, a term, the code of an error, a paper or a claim is.
///
/// # Errors
/// If nothing has this name: what was meant.
pub fn text(what: &str) -> Result<String, String> {
    let what = what.trim();
    let of_papers = explain_paper(what).or_else(|| explain_claim(what));
    match of_papers.map_or_else(|| explain_word(what), Ok) {
        Ok(text) => Ok(text.trim_end().into()),
        Err(message) => Err(about_claims(what).unwrap_or(message)),
    }
}

/// A word of scenarios or of the field, the kind of mistake that has this code, and the column or
/// the key of results that is called so.
fn explain_word(what: &str) -> Result<String, String> {
    let code = what
        .rsplit('[')
        .next()
        .unwrap_or(what)
        .trim_end_matches(']');
    let word = backwater_scenario::explain(what);
    let mistake = backwater_scenario::explain_error(code, mistake(code));
    let result = backwater_results::names::explain(&what.to_lowercase());
    let message = word.as_ref().err().cloned();
    let parts: Vec<String> = [word.ok(), mistake, result].into_iter().flatten().collect();
    match message.filter(|_| parts.is_empty()) {
        Some(message) => Err(message),
        None => Ok(parts.join("\n")),
    }
}

fn mistake(code: &str) -> Option<&'static str> {
    let known = backwater_shipped::MISTAKES
        .iter()
        .find(|(known, _)| *known == code);
    known.map(|(_, text)| *text)
}

fn claims_of(paper: &Paper) -> Vec<Claim> {
    // A test of that crate reads them all.
    backwater_papers::claim::parse(paper.claims_toml).unwrap_or_default()
}

fn explain_paper(id: &str) -> Option<String> {
    let paper = backwater_papers::papers()
        .into_iter()
        .find(|paper| paper.id == id)?;
    let claims = claims_of(&paper);
    let mut text = format!(
        "{id}: {}\n  {}:\n",
        paper.title,
        counted(claims.len(), "claim")
    );
    for claim in &claims {
        text += &format!("    {}: {}\n", claim.id, claim.states);
    }
    text += &format!("  {}:\n", counted(paper.scenarios.len(), "scenario"));
    for (path, _) in paper.scenarios {
        text += &format!("    backwater example {}\n", path.trim_end_matches(".toml"));
    }
    Some(format!("{text}  rerun it: backwater reproduce {id}\n"))
}

fn explain_claim(id: &str) -> Option<String> {
    let papers = backwater_papers::papers().into_iter();
    let mut claims = papers.filter_map(|paper| {
        let claim = claims_of(&paper).into_iter().find(|claim| claim.id == id)?;
        Some((paper, claim))
    });
    let (paper, claim) = claims.next()?;
    let line = |label: &str, text: &Option<String>| match text {
        Some(text) => format!("  {label}: {text}\n"),
        None => String::new(),
    };
    Some(format!(
        "{id}: {}, {}\n  states: {}\n{}{}{}  rerun it: backwater reproduce {id}\n",
        paper.title,
        claim.figure,
        claim.states,
        line("holds if", &claim.check),
        line("differs", &claim.known_difference),
        line("reading", &claim.reading),
    ))
}

/// What there is instead of a claim that is not there; `None` for the name of something else.
fn about_claims(wanted: &str) -> Option<String> {
    let (id, _) = wanted.split_once('.')?;
    let mut papers = backwater_papers::papers().into_iter();
    let paper = papers.find(|known| known.id == id)?;
    let claims = claims_of(&paper).into_iter();
    let ids: Vec<String> = claims.map(|claim| claim.id).collect();
    let hint = near(wanted, &ids);
    Some(format!("there is no claim `{wanted}`; {hint}"))
}

/// Everything by group, or one group.
pub fn list(options: &ListOptions) -> u8 {
    let is_wanted = |group| options.what.is_none_or(|what| what == group);
    if is_wanted(Group::Words) {
        for (group, words) in backwater_scenario::list() {
            println!("{group}:");
            for (word, meaning) in words {
                println!("  {word:<20} {meaning}");
            }
            println!();
        }
    }
    if is_wanted(Group::Papers) {
        println!("papers:");
        for paper in backwater_papers::papers() {
            let claims = counted(claims_of(&paper).len(), "claim");
            println!("  {:<20} {} ({claims})", paper.id, paper.title);
        }
        println!();
    }
    if is_wanted(Group::Claims) {
        for paper in backwater_papers::papers() {
            println!("claims of {}:", paper.title);
            for claim in claims_of(&paper) {
                println!("  {}: {}", claim.id, claim.states);
            }
            println!();
        }
    }
    if options.what == Some(Group::Scenarios) {
        example::print_all();
    } else {
        println!("More on each: backwater explain WORD");
        println!("Scenarios to start from: backwater example --list");
    }
    SUCCESS
}

/// The JSON schema of scenarios.
pub fn schema() -> u8 {
    println!("{:#}", backwater_scenario::json_schema());
    SUCCESS
}

/// A page of the documents.
pub fn reference(options: &PageOptions) -> u8 {
    let page = match options.page {
        Page::Glossary => backwater_scenario::glossary_markdown(),
        Page::Errors => backwater_scenario::errors_markdown(&mistake),
        keys => {
            let name = clap::ValueEnum::to_possible_value(&keys);
            let name = name
                .as_ref()
                .map_or("keys", clap::builder::PossibleValue::get_name);
            backwater_scenario::reference_page(name).unwrap_or_default()
        }
    };
    print!("{page}");
    SUCCESS
}
