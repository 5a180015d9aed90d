//! The flow back: made where a flow needs one and names none.
//!
//! An ABR circuit has two directions, each the other's partner. Requests and TCP need a flow for
//! what comes back; there only the asking flow names its partner, unless both are ABR.

use std::collections::BTreeSet;

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::flows::{Draft, FlowNames};
use crate::record::Record;

/// Puts the flow back behind each draft that needs one.
pub(crate) fn add_backs<'a>(drafts: Vec<Draft<'a>>, mistakes: &mut Diagnostics) -> Vec<Draft<'a>> {
    for draft in &drafts {
        check_back(draft, mistakes);
    }
    if !drafts.iter().any(|draft| needs_back(draft.record)) {
        return drafts;
    }
    let named: BTreeSet<String> = drafts
        .iter()
        .filter(|draft| draft.record.field("partner").is_some())
        .map(|draft| draft.expand(draft.record.text("partner")))
        .collect();
    let mut all = Vec::with_capacity(2 * drafts.len());
    for draft in drafts {
        let index = all.len() as u32;
        let lonely = needs_back(draft.record) && !named.contains(&draft.name);
        let back = (lonely && draft.to.len() == 1).then(|| Draft {
            name: format!("{} back", draft.name),
            source: draft.to[0],
            to: vec![draft.source],
            record: draft.record,
            number: draft.number,
            at: draft.at.clone(),
            back_of: Some(index),
        });
        all.push(draft);
        all.extend(back);
    }
    all
}

/// Has it no partner of its own, and does it need one that can be made?
fn needs_back(record: &Record) -> bool {
    record.field("partner").is_none() && (is_abr(record) || answer(record).is_some())
}

pub(crate) fn is_abr(record: &Record) -> bool {
    let control = record.record("source_control");
    control.is_some_and(|control| control.word("kind") == "abr")
}

/// The traffic that answers this flow's.
fn answer(record: &Record) -> Option<&'static str> {
    match record.record("traffic").map(|traffic| traffic.word("kind")) {
        Some("requests") => Some("server"),
        Some("tcp") => Some("tcp-back"),
        _ => None,
    }
}

/// `back` where nothing of it would be heard.
fn check_back(draft: &Draft<'_>, mistakes: &mut Diagnostics) {
    let record = draft.record;
    let control = record.record("source_control");
    if control.is_some_and(|control| !control.faulty.is_empty()) {
        // It may have been meant to be ABR.
        return;
    }
    let Some(back) = record.field("back").filter(|back| back.given) else {
        return;
    };
    let wrong = |why: String, help: &str| {
        Diagnostic::error("no-meaning", "`back` has no meaning here")
            .at(back.at.clone(), why)
            .help(help)
    };
    let kind = record.record("back").map_or("", |back| back.word("kind"));
    let closed = ["client", "server", "requests", "tcp", "tcp-back"];
    let diagnostic = if let Some(partner) = record.field("partner") {
        wrong(
            "the flow back is another one".into(),
            "give that flow its `traffic`, or leave `partner` out",
        )
        .at(partner.at.clone(), "named here")
    } else if let Some(answer) = answer(record) {
        let why = format!("the flow back is a `{answer}` already");
        wrong(why, "leave it out; other traffic takes another flow")
    } else if !is_abr(record) {
        wrong(
            "no flow back is made".into(),
            "use `source_control = { kind = \"abr\" }`, or a flow of its own for this traffic",
        )
        .aside_after(control.map(|control| control.at("kind")))
    } else if closed.contains(&kind) {
        wrong(
            format!("`{kind}` takes two flows of its own"),
            "make it the `traffic` of a flow from the other end",
        )
    } else {
        return;
    };
    mistakes.push(diagnostic);
}

/// The partner of each flow.
pub(crate) fn resolve(
    drafts: &[Draft<'_>],
    names: &FlowNames<'_>,
    mistakes: &mut Diagnostics,
) -> Vec<Option<u32>> {
    let mut partners: Vec<Option<u32>> = drafts
        .iter()
        .map(|draft| {
            let field = draft.record.field("partner")?;
            let name = draft.expand(draft.record.text("partner"));
            let found = names.find(&name, &field.at);
            found.map_err(|mistake| mistakes.push(*mistake)).ok()
        })
        .collect();
    for (index, draft) in drafts.iter().enumerate() {
        let is_own = partners[index] == Some(index as u32) && draft.back_of.is_none();
        if let Some(field) = draft.record.field("partner").filter(|_| is_own) {
            mistakes.push(
                Diagnostic::error(
                    "bad-partner",
                    format!("`{}` is its own partner", draft.name),
                )
                .at(field.at.clone(), "names the flow itself")
                .note("a partner carries the answers back, from where the flow ends")
                .help("name the flow that leads back, or leave `partner` out"),
            );
        }
        if let Some(forward) = draft.back_of {
            partners[forward as usize] = Some(index as u32);
        }
    }
    // An ABR flow that another names as its partner has that one for its own.
    for index in 0..drafts.len() {
        let Some(partner) = partners[index].map(|partner| partner as usize) else {
            continue;
        };
        if partners[partner].is_none() && is_abr(drafts[partner].record) {
            partners[partner] = Some(index as u32);
        }
    }
    partners
}
