//! The flow back: made where a flow needs one and names none.
//!
//! An ABR circuit has two directions, each the other's partner. Requests and TCP need a flow for
//! what comes back; there only the asking flow names its partner, unless both are ABR.

use std::collections::BTreeSet;

use crate::circuits::cell_tcp;
use crate::circuits::flows::{Draft, FlowNames};
use crate::given::circuits::flows::FlowSettings;
use crate::given::circuits::source::SourceControl;
use crate::given::circuits::traffic::Traffic;
use crate::prelude::*;

/// Puts the flow back behind each draft that needs one.
pub(crate) fn add_backs<'a>(drafts: Vec<Draft<'a>>, mistakes: &mut Diagnostics) -> Vec<Draft<'a>> {
    mistakes.extend(drafts.iter().filter_map(check_back));
    if !drafts.iter().any(|draft| needs_back(draft.settings)) {
        return drafts;
    }
    let named: BTreeSet<String> = drafts
        .iter()
        .filter_map(|draft| Some(draft.expand(draft.settings.partner.as_ref()?)))
        .collect();
    let mut all = Vec::with_capacity(2 * drafts.len());
    for draft in drafts {
        let index = all.len() as u32;
        let lonely = needs_back(draft.settings) && !named.contains(&draft.name);
        let back = (lonely && draft.to.len() == 1).then(|| Draft {
            name: format!("{} back", draft.name),
            source: draft.to[0],
            to: vec![draft.source],
            own: None,
            at: draft.at.clone(),
            back_of: Some(index),
            ..draft
        });
        all.push(draft);
        all.extend(back);
    }
    all
}

/// Has it no partner of its own, and does it need one that can be made?
fn needs_back(flow: &FlowSettings) -> bool {
    flow.partner.is_none() && (is_abr(flow) || answer(flow).is_some())
}

fn is_abr(flow: &FlowSettings) -> bool {
    matches!(**flow.source_control, SourceControl::Abr { .. })
}

/// The traffic that answers another's.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    Server,
    TcpBack,
}

/// The traffic that answers this flow's.
pub(crate) fn answer(flow: &FlowSettings) -> Option<Answer> {
    if cell_tcp::is_tcp(flow) {
        return Some(Answer::TcpBack);
    }
    let is_loop = matches!(**flow.traffic, Traffic::Requests { .. });
    is_loop.then_some(Answer::Server)
}

/// Does it take two flows of its own?
fn is_closed(traffic: &Traffic) -> bool {
    matches!(
        traffic,
        Traffic::Client { .. } | Traffic::Server | Traffic::Requests { .. }
    )
}

/// `back` where nothing of it would be heard.
fn check_back(draft: &Draft<'_>) -> Option<Diagnostic> {
    let flow = draft.settings;
    let back = flow.back.as_ref().filter(|_| flow.back.is_given)?;
    // It may have been meant to be ABR.
    flow.source_control.value.sure()?;
    let wrong = |why: String, help: &str| {
        Diagnostic::no_meaning("back", "here")
            .at(&flow.back.at, why)
            .help(help)
    };
    Some(if flow.partner.is_some() {
        wrong(
            "the flow back is another one".into(),
            "give that flow its `traffic`, or leave `partner` out",
        )
        .at(&flow.partner.at, "named here")
    } else if let Some(answer) = answer(flow) {
        let why = match answer {
            Answer::Server => "the flow back is a `server` already",
            Answer::TcpBack => "the flow back is the other side of the connection already",
        };
        wrong(why.into(), "leave it out; other traffic takes another flow")
    } else if !is_abr(flow) {
        wrong(
            "no flow back is made".into(),
            "use `source_control = { kind = \"abr\" }`, or a flow of its own for this traffic",
        )
        .aside_after(Some(draft.settings.source_control.value.at.clone()))
    } else if back.sure().is_some_and(is_closed) {
        wrong(
            format!("`{}` takes two flows of its own", back.word),
            "make it the `traffic` of a flow from the other end",
        )
    } else {
        return None;
    })
}

/// Says that a partner sends otherwise than the flow needs that names it at this place.
pub(crate) fn no_answers(name: &str, at: &At, wanted: &str, theirs: &FlowSettings) -> Diagnostic {
    Diagnostic::error("bad-partner", format!("`{name}` can't carry the answers"))
        .at(at, format!("its traffic is not `{wanted}`"))
        .at(&theirs.traffic.at, "the partner's traffic")
        .help(format!("give it `traffic = {{ kind = \"{wanted}\" }}`"))
}

/// Says that a partner is not the reverse path of the flow that names it at this place.
pub(crate) fn astray(name: &str, at: &At, flow: &str) -> Diagnostic {
    Diagnostic::error("partner-astray", format!("`{name}` does not lead back"))
        .at(at, format!("not the reverse path of `{flow}`"))
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
            let partner = &draft.settings.partner;
            let found = names.find(&draft.expand(partner.as_ref()?), &partner.at);
            mistakes.kept(found)
        })
        .collect();
    for (index, draft) in drafts.iter().enumerate() {
        let is_own = partners[index] == Some(index as u32) && draft.back_of.is_none();
        if is_own {
            Diagnostic::error(
                "bad-partner",
                format!("`{}` is its own partner", draft.name),
            )
            .at(&draft.settings.partner.at, "names the flow itself")
            .note("a partner carries the answers back, from where the flow ends")
            .help("name the flow that leads back, or leave `partner` out")
            .tell(mistakes);
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
        if partners[partner].is_none() && is_abr(drafts[partner].settings) {
            partners[partner] = Some(index as u32);
        }
    }
    partners
}
