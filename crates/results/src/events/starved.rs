//! Flows that got next to nothing, and what stood in their way: less than one in a hundred of what
//! a flow offered or, where it always has more to send, less than one in a hundred of its max-min
//! share among equals. (A share that knows of priorities is nothing for those behind a flow that
//! fills the link, and would warn of nobody.)

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::words::counted;
use backwater_kernel::{Duration, Time};

use super::drops::fate;
use super::{Findings, Network, line_rates};
use crate::number::{grouped, percent, rate, span};
use crate::starved::{NAMED, got_nothing, told};

/// Files that a window must have room for, one after another, before their rate says anything.
const FILES: f64 = 10.0;

/// What a network says of flows that got next to nothing.
pub trait Starving: Sized {
    /// What a flow sends, if that has no end and nothing of its own holds it back.
    fn endless(&self, flow: u32) -> Option<Endless>;
    /// The window or the credit that holds a flow back, if one does.
    fn limit(run: &Findings<'_, Self>, flow: usize) -> Option<Limited>;
    /// What stood in the way of a flow that got next to nothing, of which little was dropped;
    /// `waits` says how much of it waits.
    fn held_up(run: &Findings<'_, Self>, flow: usize, waits: String) -> String;
}

/// What a source sends that never ends.
#[derive(Clone, Copy, Debug)]
pub struct Endless {
    /// From here on.
    pub start: Time,
    /// Bytes of a file, and the mean time before the next one; `None` without a pause.
    pub file: Option<(u64, Duration)>,
}

impl Endless {
    /// What it would send in so many seconds if it had this share, bps; `None` if too little to
    /// say.
    fn rate(&self, share: f64, seconds: f64) -> Option<f64> {
        let Some((bytes, think)) = self.file else {
            return Some(share);
        };
        let bits = bytes as f64 * 8.0;
        let each = think.seconds() + bits / share;
        (seconds / each >= FILES).then_some(bits / each)
    }
}

/// A limit of a flow's own that holds it back: a window, or credit.
#[derive(Clone, Debug)]
pub struct Limited {
    /// The rate that it allows, bps.
    pub allowed: f64,
    /// What it is, in words.
    pub words: String,
}

/// What one flow may have under way at once, in bits, as words and over what about the least round
/// trip allows (twice the least delay of its data; acknowledgements are smaller, and faster);
/// nothing where the flow got less than that, so that something else holds it back, or more.
pub(crate) fn window(what: &str, bits: f64, round_trip_ps: f64, got: f64) -> Option<Limited> {
    let allowed = bits / round_trip_ps * 1e12;
    let binds = round_trip_ps > 0.0 && got * 2.0 > allowed && got < 1.5 * allowed;
    binds.then(|| Limited {
        allowed,
        words: format!(
            "{what} over a round trip of {} allows about {}",
            span(round_trip_ps),
            rate(allowed)
        ),
    })
}

/// What stands in a flow's way for that share of the time is what binds it.
pub(crate) const MOSTLY: f64 = 0.5;

/// A port that is on the wire for more of the time has no room to speak of.
const BUSY: f64 = 0.9;

/// Has a port no room to speak of?
pub(crate) fn is_busy<N: Network>(run: &Findings<'_, N>, channel: u32) -> bool {
    let port = run.outcome.channels.get(channel as usize);
    port.is_some_and(|port| port.data_share + port.control_share > BUSY)
}

/// Credit for so many units on a link, which was missing for that share of the time, so that no
/// more than `got` came through.
pub(crate) fn missing(link: &str, zones: &str, share: f64, got: f64) -> Limited {
    Limited {
        allowed: got,
        words: format!(
            "credit on {link} (N2 + N3 = {zones}) was missing {} of the time",
            percent(share)
        ),
    }
}

/// A sentence for each of the first of them, and for each of the first that a limit of their own
/// holds far below their shares.
pub fn sentences<N: Network>(run: &Findings<'_, N>) -> Vec<String> {
    let mut all = told(run.starved(), |one| sentence(run, *one));
    let held = held_back(run);
    all.extend(held.iter().take(NAMED).map(|(flow, rates, limit)| {
        let rates = rates.map_or_else(|| of_offered(run, *flow), of_share);
        format!("{}: {rates}: {}", run.flow(*flow), limit.words)
    }));
    if let more @ 1.. = held.len().saturating_sub(NAMED) {
        let more = counted(more, "flow");
        all.push(format!(
            "{more} more got less than half of that for such a reason"
        ));
    }
    all
}

/// A flow; what it got and what its share is, bps, if it always has more; and what holds it back.
type Held = (u32, Option<(f64, f64)>, Limited);

/// Flows that always have more to send and got less than half of their share, or of which less than
/// half came through of what they offered, because of a window or credit that allows no more.
fn held_back<N: Network>(run: &Findings<'_, N>) -> Vec<Held> {
    let starved: BTreeSet<u32> = run.starved().iter().map(|own| own.0).collect();
    let below = below_share(run, |got, share| got * 2.0 < share);
    let flows = (0..).zip(&run.outcome.flows);
    let flows = flows.filter(|(flow, _)| !starved.contains(flow));
    let held = flows.filter_map(|(flow, outcome)| {
        let rates = below.get(&flow).copied();
        let waits = outcome.inside_total > outcome.delivered_total + outcome.lost_total;
        if rates.is_none() && !(waits && run.network.endless(flow).is_none()) {
            return None;
        }
        let limit = N::limit(run, flow as usize)?;
        let binds = rates.is_none_or(|(_, share)| limit.allowed < share);
        binds.then_some((flow, rates, limit))
    });
    held.collect()
}

/// What a flow offered, and what came through.
fn of_offered<N: Network>(run: &Findings<'_, N>, flow: u32) -> String {
    let outcome = &run.outcome.flows[flow as usize];
    format!(
        "{} {} offered, {} delivered",
        grouped(outcome.offered_total),
        N::UNITS,
        grouped(outcome.delivered_total)
    )
}

/// What a flow got, and what its share is.
fn of_share((got, share): (f64, f64)) -> String {
    format!(
        "{} of a max-min share of {} without priorities",
        rate(got),
        rate(share)
    )
}

/// All of them by name.
pub fn all<N: Network>(run: &Findings<'_, N>) -> Vec<String> {
    let starved = run.starved().iter();
    starved.map(|(flow, _)| run.flow(*flow)).collect()
}

/// A flow; what it got and what its share is, bps, where that is why it is named.
pub(crate) type Starved = (u32, Option<(f64, f64)>);

/// Which flows got next to nothing.
pub(crate) fn starved<N: Network>(run: &Findings<'_, N>) -> Vec<Starved> {
    let below = below_share(run, is_far_below);
    let starved = (0..).zip(&run.outcome.flows).filter_map(|(flow, found)| {
        match got_nothing(found.offered_total, found.delivered_total) {
            true => Some((flow, None)),
            false => Some((flow, Some(*below.get(&flow)?))),
        }
    });
    starved.collect()
}

/// Less than one in a hundred of a share.
fn is_far_below(got: f64, share: f64) -> bool {
    got * 100.0 < share
}

/// Flows that always have more to send and are so far below their share: what they got, and what
/// it is over the time that was measured, bps.
fn below_share<N: Network>(
    run: &Findings<'_, N>,
    is_below: impl Fn(f64, f64) -> bool,
) -> BTreeMap<u32, (f64, f64)> {
    let fastest = line_rates(run.network).fold(0.0, f64::max);
    let few = (0..).zip(N::rates(run)).filter_map(|(flow, got)| {
        let endless = run.network.endless(flow)?;
        is_below(got, fastest).then_some((flow, got, endless))
    });
    let few: Vec<(u32, f64, Endless)> = few.collect();
    let window = run.seconds();
    if few.is_empty() || window <= 0.0 {
        return BTreeMap::new();
    }
    let shares = run.among_equals();
    let below = few.into_iter().filter_map(|(flow, got, endless)| {
        let start = run.network.warm_up().max(endless.start);
        let active = run.outcome.ended_at.since(start);
        let share = endless.rate(shares[flow as usize]?, active.seconds())?;
        let share = share * active.seconds() / window;
        is_below(got, share).then_some((flow, (got, share)))
    });
    below.collect()
}

fn sentence<N: Network>(run: &Findings<'_, N>, (flow, rates): Starved) -> String {
    let flow_outcome = &run.outcome.flows[flow as usize];
    let got = rates.map_or_else(|| of_offered(run, flow), of_share);
    let why = match flow_outcome.lost_total > flow_outcome.inside_total {
        true => {
            let causes = N::CAUSES
                .iter()
                .filter(|by| flow_outcome.drops.by(**by) > 0);
            let most = causes.max_by_key(|by| flow_outcome.drops.by(**by));
            let fate = most.map_or("were dropped", |by| fate(*by));
            format!("{} {fate}", grouped(flow_outcome.lost_total))
        }
        false => {
            let waits = format!(
                "{} are waiting or in transit",
                grouped(flow_outcome.inside_total)
            );
            N::held_up(run, flow as usize, waits)
        }
    };
    format!("{}: {got}: {why}", run.flow(flow))
}
