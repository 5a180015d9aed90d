//! Links of circuits that are asked to carry more than they can, though what they are asked for is
//! under control: the rest waits at its source. What nothing holds back is told of elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use backwater_net::spec::{FlowSpec, TrafficSpec};

use crate::circuits::checks::{arriving, before, uncontrolled};
use crate::circuits::reserve;
use crate::circuits::service_checks::{Whole, rates_apart};
use crate::circuits::traffic::{self, Line};
use crate::prelude::*;

/// A share above the rate of a link that is none.
const FULL: f64 = 1.000_001;

/// What flows ask of one link, bits a second.
#[derive(Clone, Default)]
struct Sum {
    /// By the link before it on the way, bits.
    all: Vec<(Option<u32>, f64)>,
    /// Of those that nothing holds back.
    free: Vec<(Option<u32>, f64)>,
    /// The last of them.
    last: usize,
}

/// Hosts first; then of the links behind them those that are asked for too much by what hosts can
/// send.
pub(crate) fn check(whole: &Whole<'_>, mistakes: &mut Diagnostics) {
    let (mut first, mut behind) = (BTreeMap::new(), BTreeMap::new());
    for (index, flow) in whole.specs.iter().enumerate() {
        let Some(bits) = asked(whole, flow) else {
            continue;
        };
        for leg in &flow.legs {
            let sums = match leg.parent {
                None => &mut first,
                Some(_) => &mut behind,
            };
            let sum: &mut Sum = sums.entry(leg.channel).or_default();
            let offer = (before(flow, leg), bits);
            sum.all.push(offer);
            sum.free.extend(uncontrolled(flow).then_some(offer));
            sum.last = index;
        }
    }
    let mut told = BTreeSet::new();
    for (channel, sum) in first {
        if let Some(found) = host(whole, channel, &sum) {
            told.insert(sum.last);
            mistakes.push(found);
        }
    }
    for (channel, sum) in behind {
        // What a host can't send does not come to others either.
        if !told.contains(&sum.last) {
            mistakes.extend(link(whole, channel, &sum));
        }
    }
}

/// What a flow asks for, on average; nothing where it takes what it gets.
fn asked(whole: &Whole<'_>, flow: &FlowSpec) -> Option<f64> {
    let rate = whole.graph.channel_spec(flow.legs.first()?.channel).rate;
    let line = Line::new(rate, &flow.sizes, flow.unit_bytes);
    let has_load = !matches!(flow.traffic, TrafficSpec::Greedy { .. }) && flow.session.is_none();
    let units = traffic::offered_per_second(&flow.traffic, line).filter(|_| has_load)?;
    let held = [flow.envelope, flow.policer].into_iter().flatten();
    let held = held.map(|own| reserve::envelope_per_second(&own, line.mean_bytes()));
    Some(held.fold(units, f64::min) * 8.0 * line.mean_bytes())
}

/// The warning, if it is too much; in words of its own.
fn told(
    whole: &Whole<'_>,
    (channel, sum): (u32, &Sum),
    message: String,
    does: &str,
) -> Option<Diagnostic> {
    let rate = whole.graph.channel_spec(channel).rate.0 as f64;
    let most = rate * FULL;
    let draft = whole.drafts.get(sum.last)?;
    let [all, free] = [&sum.all, &sum.free].map(|offers| arriving(whole.graph, offers));
    let [asked, carried] = rates_apart([all, rate], 1);
    let name = whole.graph.channel_name(channel);
    let warning = Diagnostic::warning("overload", message)
        .at(
            &draft.settings.traffic.at,
            format!("with `{}`, {asked} {does} `{name}`", draft.name),
        )
        .note(format!(
            "it carries {carried}; the rest waits at its source, and takes longer the later it \
             comes"
        ))
        .help("lower the load, or make the traffic `greedy` to find the most");
    (all > most && free <= most).then_some(warning)
}

fn host(whole: &Whole<'_>, channel: u32, sum: &Sum) -> Option<Diagnostic> {
    let message = "a host is asked to send more than its link carries".into();
    told(whole, (channel, sum), message, "for")
}

fn link(whole: &Whole<'_>, channel: u32, sum: &Sum) -> Option<Diagnostic> {
    let name = whole.graph.channel_name(channel);
    let message = format!("`{name}` is asked to carry more than it can");
    told(whole, (channel, sum), message, "are to cross")
}
