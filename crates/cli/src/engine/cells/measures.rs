//! What a sweep measures of runs in cells.
//!
//! All numbers cover the time after the warm-up. A run counts as saturated if one of these holds:
//!
//! - of what was offered then, more than 1.5 % was not delivered (lost, or more inside than
//!   before);
//! - the backlog grew all the time: of the four quarters, each has a higher mean of units inside
//!   than the one before, and from the first to the last it grew by more than 0.2 % of what was
//!   offered between them;
//! - nothing can move any more.

use backwater_kernel::{Rings, Stop, Time};
use backwater_net::Simulation;
use backwater_net::outcome::{DelayOutcome, FlowOutcome, LossCause, Outcome, SampleOutcome};
use backwater_net::probe::PathWaits;
use backwater_net::spec::NetworkSpec;
use backwater_results::run::flow_tables;
use backwater_results::sweep::{FlowColumn, Measure, Role};
use backwater_results::{Balance, note_broken_bounds};
use backwater_scenario::PacketScenario;

use super::super::values::{chosen, flag, number};
use super::super::{Pace, Point, must_stop};

/// Instants at which the backlog is looked at, in each quarter.
const LOOKS: u64 = 8;
const QUARTERS: u64 = 4;
/// More than this share of what was offered missing: saturated.
const MISSING: f64 = 0.015;
/// More than this share of what was offered joining the backlog, without pause: saturated.
const GROWTH: f64 = 0.002;
/// The first slice, in cell times.
const FIRST_SLICE_CELLS: u64 = 1000;

/// In the order of the values of a point.
pub const MEASURES: &[Measure] = &[
    number(
        "offered",
        "Mbps",
        "offered by all sources",
        Role::Offered,
        3,
    ),
    number(
        "accepted",
        "Mbps",
        "delivered to all destinations",
        Role::Accepted,
        3,
    ),
    number(
        "accepted share",
        "",
        "units delivered over units offered",
        Role::Other,
        4,
    ),
    number(
        "delay mean",
        "us",
        "mean time from the source's queue to delivery, over all units",
        Role::Latency,
        3,
    ),
    number(
        "delay p99",
        "us",
        "99th percentile of the slowest flow",
        Role::Other,
        3,
    ),
    number("delay max", "us", "largest", Role::Other, 3),
    number(
        "wait mean",
        "us",
        "mean time that units waited from end to end, their own transmissions excluded",
        Role::Other,
        3,
    ),
    number(
        "wait p99",
        "us",
        "99th percentile of the same, over all units",
        Role::Other,
        3,
    ),
    number(
        "backlog growth share",
        "",
        "units that joined the backlog from the first to the last quarter, over units offered",
        Role::Other,
        4,
    ),
    number(
        "lost",
        "units",
        "lost on the wire or dropped, whatever the cause",
        Role::Other,
        0,
    ),
    number(
        "dropped",
        "units",
        "the same without losses on the wire",
        Role::Other,
        0,
    ),
    number(
        "fill max",
        "units",
        "largest fill of any buffer",
        Role::Other,
        0,
    ),
    number(
        "data share max",
        "",
        "share of time that the busiest port sends data",
        Role::Other,
        4,
    ),
    number(
        "control share max",
        "",
        "largest share of time that any port sends control units",
        Role::Other,
        4,
    ),
    number(
        "saturated",
        "",
        "1 if the network can't carry what is offered, else 0",
        Role::Saturated,
        0,
    ),
    number(
        "stuck",
        "",
        "1 if units wait and nothing can move, else 0",
        Role::Other,
        0,
    ),
    number("broken promises", "", "of the whole run", Role::Broken, 0),
];

/// Runs the scenario; `None` if Ctrl-C ended that.
pub fn measure(scenario: &PacketScenario, columns: &[FlowColumn]) -> Result<Option<Point>, String> {
    let network = &scenario.network;
    let mut simulation = Simulation::<Rings, _>::with_probe(network, PathWaits::new(network))
        .map_err(|error| error.to_string())?;
    let mut pace = Pace::new(scenario.cell.ps().saturating_mul(FIRST_SLICE_CELLS));
    // The window starts with the instant that ends the warm-up.
    let start = Time(network.warm_up.ps().saturating_sub(1));
    if !run_to(&mut simulation, start, &mut pace) {
        return Ok(None);
    }
    let before = simulation.outcome();
    let mut looks = Vec::new();
    let span = u128::from(network.stop_at.ps().saturating_sub(start.ps()));
    for look in 1..=QUARTERS * LOOKS {
        let into = span * u128::from(look) / u128::from(QUARTERS * LOOKS);
        if !run_to(&mut simulation, Time(start.ps() + into as u64), &mut pace) {
            return Ok(None);
        }
        looks.push(Balance::of(&simulation.outcome()).inside);
    }
    let mut outcome = simulation.outcome();
    note_broken_bounds(network, &mut outcome);
    let waits = simulation.probe().total();
    let mut values = values(network, (&before, &outcome), &waits, &looks);
    let tables = |flow: &str| flow_tables(network, &outcome, scenario.cell, flow);
    values.extend(chosen(columns, tables));
    Ok(Some(Point {
        values,
        trace_hash: format!("{:016x}", outcome.trace_hash),
    }))
}

/// Runs on to `until`; false if Ctrl-C was pressed.
fn run_to(simulation: &mut Simulation<Rings, PathWaits>, until: Time, pace: &mut Pace) -> bool {
    let mut at = simulation.now();
    loop {
        if must_stop((0, 0)) {
            return false;
        }
        let slice = pace.events(&mut at, until, |until, events| {
            let more = simulation.run_some(until, events);
            more.ok_or_else(|| simulation.now())
        });
        if slice.is_some() && at == until {
            return true;
        }
    }
}

/// Units of the window, over all destinations, and the bits they are.
#[derive(Default)]
struct Window {
    offered: f64,
    delivered: f64,
    lost: f64,
    dropped: f64,
    offered_bits: f64,
    delivered_bits: f64,
}

impl Window {
    fn of(network: &NetworkSpec, before: &Outcome, after: &Outcome) -> Window {
        let mut window = Window::default();
        let flows = before.flows.iter().zip(&after.flows);
        for (spec, (before, after)) in network.flows.iter().zip(flows) {
            let bits = f64::from(spec.unit_bytes) * 8.0;
            let offered = after.offered_total.saturating_sub(before.offered_total) as f64;
            let delivered = after.delivered_total.saturating_sub(before.delivered_total) as f64;
            window.offered += offered;
            window.delivered += delivered;
            window.lost += after.lost_total.saturating_sub(before.lost_total) as f64;
            let dropped = |of: &FlowOutcome| of.drops.total() - of.drops.by(LossCause::Wire);
            window.dropped += dropped(after).saturating_sub(dropped(before)) as f64;
            window.offered_bits += offered * bits;
            window.delivered_bits += delivered * bits;
        }
        window
    }
}

/// In the order of [`MEASURES`].
fn values(
    network: &NetworkSpec,
    (before, after): (&Outcome, &Outcome),
    waits: &SampleOutcome,
    looks: &[u64],
) -> Vec<f64> {
    let window = Window::of(network, before, after);
    let seconds = after.ended_at.since(network.warm_up).seconds();
    let mbps = |bits: f64| {
        if seconds > 0.0 {
            bits / seconds / 1e6
        } else {
            f64::NAN
        }
    };
    let growth = Growth::of(looks, window.offered);
    let stuck = after.stop == Stop::Standstill;
    let missing = window.offered - window.delivered > MISSING * window.offered;
    let saturated = missing || growth.is_steady && growth.share > GROWTH || stuck;
    let delays = || {
        after
            .flows
            .iter()
            .map(|flow| &flow.delay)
            .filter(|delay| delay.count > 0)
    };
    let highest = |of: fn(&DelayOutcome) -> u64| {
        let highest = delays().map(of).max();
        highest.map_or(f64::NAN, |ps| ps as f64 / 1e6)
    };
    let wait_us = |ps: f64| match waits.count() {
        0 => f64::NAN,
        _ => ps / 1e6,
    };
    let channels = || after.channels.iter();
    let fills = after.legs.iter().map(|leg| leg.fill_max);
    vec![
        mbps(window.offered_bits),
        mbps(window.delivered_bits),
        window.delivered / window.offered,
        mean_delay_ps(delays()) / 1e6,
        highest(|delay| delay.percentiles_ps[2]),
        highest(|delay| delay.max_ps),
        wait_us(waits.mean()),
        wait_us(waits.percentile(99.0) as f64),
        growth.share,
        window.lost,
        window.dropped,
        f64::from(fills.max().unwrap_or(0)),
        channels()
            .map(|channel| channel.data_utilization)
            .fold(0.0, f64::max),
        channels()
            .map(|channel| channel.control_utilization)
            .fold(0.0, f64::max),
        flag(saturated),
        flag(stuck),
        after.violations.total() as f64,
    ]
}

fn mean_delay_ps<'a>(delays: impl Iterator<Item = &'a DelayOutcome>) -> f64 {
    let (mut sum_ps, mut count) = (0.0, 0.0);
    for delay in delays {
        sum_ps += delay.mean_ps * delay.count as f64;
        count += delay.count as f64;
    }
    sum_ps / count
}

/// How the backlog went.
struct Growth {
    /// Units from the first quarter's mean to the last's, over units offered between them.
    share: f64,
    /// Each quarter's mean is above the one before.
    is_steady: bool,
}

impl Growth {
    fn of(looks: &[u64], offered: f64) -> Growth {
        let quarters: Vec<f64> = looks
            .chunks(LOOKS as usize)
            .map(|looks| looks.iter().map(|inside| *inside as f64).sum::<f64>() / LOOKS as f64)
            .collect();
        let (first, last) = (quarters.first(), quarters.last());
        let grown = last.unwrap_or(&0.0) - first.unwrap_or(&0.0);
        // From the middle of the first quarter to the middle of the last.
        let between = offered * (QUARTERS - 1) as f64 / QUARTERS as f64;
        Growth {
            share: if between > 0.0 { grown / between } else { 0.0 },
            is_steady: quarters.windows(2).all(|pair| pair[1] > pair[0]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(means: [u64; 4]) -> Vec<u64> {
        means
            .iter()
            .flat_map(|mean| [*mean; LOOKS as usize])
            .collect()
    }

    #[test]
    fn growth_is_counted_between_the_middles_of_quarters() {
        let growth = Growth::of(&looks([10, 20, 30, 40]), 400.0);
        assert!(growth.is_steady);
        assert_eq!(growth.share, 0.1);
        let pause = Growth::of(&looks([10, 20, 20, 40]), 400.0);
        assert!(!pause.is_steady);
        assert_eq!(Growth::of(&looks([7; 4]), 400.0).share, 0.0);
        assert_eq!(Growth::of(&looks([1, 2, 3, 4]), 0.0).share, 0.0);
    }
}
