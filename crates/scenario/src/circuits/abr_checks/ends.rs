//! Who is at the other end, and what applications want.

use backwater_net::spec::{ABR_CELL_MAX_BYTES, FlowSpec, SourceControlSpec, TrafficSpec};

use super::Circuit;
use crate::circuits::flows::Draft;
use crate::circuits::partners;
use crate::circuits::service_checks::Whole;
use crate::given::circuits::traffic::Traffic;
use crate::prelude::*;

/// What a flow does that makes it need another.
#[derive(Clone, Copy)]
struct Need<'a> {
    /// "an ABR circuit".
    what: &'static str,
    /// Where that is said.
    at: &'a At,
    /// What its partner has to send; `None`: anything.
    traffic: Option<&'static str>,
    is_abr: bool,
}

fn need<'a>(draft: &Draft<'a>, flow: &FlowSpec) -> Option<Need<'a>> {
    let (sent, control) = (
        &draft.settings.traffic.at,
        &draft.settings.source_control.at,
    );
    let is_abr = matches!(flow.source_control, SourceControlSpec::Abr(_));
    let (what, at, traffic) = match flow.traffic {
        TrafficSpec::Requests(_) => ("a closed loop of requests", sent, Some("server")),
        TrafficSpec::Tcp(_) => ("a TCP connection", sent, Some("silent")),
        _ if is_abr => ("an ABR circuit", control, None),
        _ => return None,
    };
    Some(Need {
        what,
        at,
        traffic,
        is_abr,
    })
}

/// The flow back: one, along the same links where it carries RM cells.
pub(super) fn partner(
    whole: &Whole<'_>,
    draft: &Draft<'_>,
    flow: &FlowSpec,
    mistakes: &mut Diagnostics,
) {
    let Some(need) = need(draft, flow) else {
        return;
    };
    if draft.to.len() > 1 {
        Diagnostic::error("bad-partner", format!("{} has one destination", need.what))
            .at(need.at, "on a multicast flow")
            .note("what comes back from several destinations has no meaning to it")
            .help("make it one flow to each")
            .tell(mistakes);
        return;
    }
    if need.traffic.is_some() && !need.is_abr && flow.source_control != SourceControlSpec::None {
        Diagnostic::error(
            "bad-partner",
            format!("{} has no window of cells", need.what),
        )
        .at(
            &draft.settings.source_control.at,
            "its answers are already waited for",
        )
        .help("leave `source_control` out, or use `source_control.kind = \"abr\"`")
        .tell(mistakes);
        return;
    }
    let Some(partner) = flow.partner.map(|partner| partner as usize) else {
        return;
    };
    if draft.back_of.is_some() || whole.drafts[partner].back_of.is_some() {
        return;
    }
    let (other, theirs) = (&whole.specs[partner], whole.drafts[partner].settings);
    let answers = match other.traffic {
        TrafficSpec::Server => "server",
        TrafficSpec::TcpBack => "silent",
        _ => "other",
    };
    let at = &draft.settings.partner.at;
    if let Some(wanted) = need.traffic.filter(|wanted| *wanted != answers) {
        partners::no_answers(&other.name, at, wanted, theirs)
            .help("or leave `partner` out: the flow back is then made")
            .tell(mistakes);
    }
    if need.is_abr {
        both_abr(whole, draft, (flow, other), partner, mistakes);
    } else if other.source != draft.to[0] || whole.drafts[partner].to != [draft.source] {
        mistakes.push(astray(whole, at, (flow, other)));
    }
}

fn both_abr(
    whole: &Whole<'_>,
    draft: &Draft<'_>,
    (flow, other): (&FlowSpec, &FlowSpec),
    partner: usize,
    mistakes: &mut Diagnostics,
) {
    let at = &draft.settings.partner.at;
    let theirs = whole.drafts[partner].settings;
    let names = (&flow.name, &other.name);
    if !matches!(other.source_control, SourceControlSpec::Abr(_)) {
        Diagnostic::error("bad-partner", format!("`{}` is not ABR", names.1))
            .at(at, format!("it has to carry the RM cells of `{}`", names.0))
            .at(&theirs.source_control.at, "the partner's")
            .help("give both `source_control = { kind = \"abr\" }`")
            .help("or leave `partner` out: the flow back is then made")
            .tell(mistakes);
        return;
    }
    let back = other
        .partner
        .map(|id| whole.specs[id as usize].name.as_str());
    if back != Some(flow.name.as_str()) {
        Diagnostic::error(
            "bad-partner",
            format!(
                "`{}` and `{}` are not each other's partners",
                names.0, names.1
            ),
        )
        .at(at, "takes this path")
        .at(&theirs.partner.at, format!("and `{}` that one", names.1))
        .note("the two directions of an ABR circuit carry each other's RM cells")
        .help("let them name each other, or leave `partner` out: the flow back is then made")
        .tell(mistakes);
        return;
    }
    // One of the two is enough to say it.
    if other.partner > Some(partner as u32) {
        return;
    }
    let ours = flow.legs.iter().map(|leg| leg.channel ^ 1);
    let same = ours.eq(other.legs.iter().rev().map(|leg| leg.channel));
    if !same {
        mistakes.push(astray(whole, at, (flow, other)));
    } else if flow.unit_bytes != other.unit_bytes {
        Diagnostic::error(
            "bad-partner",
            format!(
                "the cells of `{}` and `{}` differ in size",
                names.0, names.1
            ),
        )
        .at(
            at,
            format!("{} and {} bytes", flow.unit_bytes, other.unit_bytes),
        )
        .help("give both the same `unit_bytes`")
        .tell(mistakes);
    }
}

fn astray(whole: &Whole<'_>, at: &At, (flow, other): (&FlowSpec, &FlowSpec)) -> Diagnostic {
    partners::astray(&other.name, at, &flow.name)
        .note(format!("`{}` crosses {}", flow.name, whole.way(flow)))
        .note(format!("`{}` crosses {}", other.name, whole.way(other)))
        .help("leave `partner` out: the flow back is then made, over the same links")
}

/// Limits of a bottlenecked application.
pub(super) fn limits(draft: &Draft<'_>, mistakes: &mut Diagnostics) {
    let Some(Traffic::Bottlenecked { limits, .. }) = draft.traffic() else {
        return;
    };
    if limits.is_empty() {
        Diagnostic::error("bad-limits", "nothing limits this application")
            .at(&limits.at, "an empty list")
            .help("without limits it is `greedy`")
            .help("write it like this: `limits = [{ from = \"0 s\", rate = \"10 Mbps\" }]`")
            .tell(mistakes);
    }
    for pair in limits.windows(2) {
        let (before, after) = (&pair[0].from, &pair[1].from);
        if after.value <= before.value {
            Diagnostic::error("bad-limits", "the limits are not in order of time")
                .at(&after.at, "not later than the one before")
                .at(&before.at, "the one before")
                .help("sort them by `from`, each at an instant of its own")
                .tell(mistakes);
        }
    }
}

/// A rate in cells per second needs cells of one size.
pub(super) fn sizes(circuit: &Circuit<'_>) -> Option<Diagnostic> {
    let bytes = circuit.flow.unit_bytes;
    if bytes > ABR_CELL_MAX_BYTES {
        let settings = circuit.draft.settings;
        let at = settings.unit_bytes.place();
        let at = at.unwrap_or(&settings.source_control.at);
        let message = "the cells of an ABR circuit are too large";
        return Diagnostic::error("out-of-range", message)
            .at(at, format!("{bytes} B each"))
            .note(format!("at most {ABR_CELL_MAX_BYTES} B"))
            .help("lower `unit_bytes` of the flow, or `bytes` of `[unit]`")
            .into();
    }
    if circuit.flow.sizes.is_empty() {
        return None;
    }
    Diagnostic::error(
        "bad-sizes",
        "the cells of an ABR circuit are all of one size",
    )
    .at(&circuit.draft.settings.sizes.at, "several sizes")
    .note("an allowed rate is so many cells per second")
    .help("use `unit_bytes`")
    .into()
}
