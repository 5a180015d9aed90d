//! What a sweep measures of runs in cells.
//!
//! All numbers cover the time after the warm-up. A run counts as saturated if one of these holds
//! for the flows that have a load of their own:
//!
//! - of what was offered then, more than 1.5 % was not delivered (lost, or more inside than
//!   before);
//! - the backlog grew all the time: of the four quarters, each has a higher mean of units inside
//!   than the one before, and from the first to the last it grew by more than 0.2 % of what was
//!   offered between them;
//! - nothing can move any more.
//!
//! What is greedy, or waits for answers, offers only what the network takes: what it has under way
//! swings with its windows and credits, and says nothing about saturation. The backlog is looked at
//! at instants that no period of the run fits.

use std::borrow::Cow;

use backwater_kernel::{DelayOutcome, Purpose, Rings, Samples, Stop, Stream, Time};
use backwater_net::Simulation;
use backwater_net::outcome::{ChannelOutcome, FlowOutcome, LossCause, Outcome};
use backwater_net::probe::PathWaits;
use backwater_net::spec::{NetworkSpec, TrafficSpec};
use backwater_results::sweep::{FlowColumn, Measure, Role};
use backwater_results::{Findings, note_broken_bounds, number};
use backwater_scenario::PacketScenario;

use super::super::events::Meter;
use super::super::values::{chosen, flag, measures};
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

measures! { run: &Seen<'_> =>
    "offered", "Mbps", Offered, 3, "offered by all sources",
        run.mbps(run.window.offered_bits);
    "accepted", "Mbps", Accepted, 3, "delivered to all destinations",
        run.mbps(run.window.delivered_bits);
    "accepted share", "", Other, 4, "units delivered over units offered",
        run.window.delivered / run.window.offered;
    "delay mean", "us", Latency, 3, "mean time from the source's queue to delivery, over all units",
        run.mean_delay_us();
    "delay p99", "us", Other, 3, "99th percentile of the slowest flow",
        run.highest_us(|delay| delay.percentiles[2]);
    "delay max", "us", Other, 3, "largest",
        run.highest_us(|delay| delay.max);
    "wait mean", "us", Other, 3,
        "mean time that units waited from end to end, their own transmissions excluded",
        run.wait_us(run.waits.mean());
    "wait p99", "us", Other, 3, "99th percentile of the same, over all units",
        run.wait_us(run.waits.percentile(99.0) as f64);
    "backlog growth share", "", Other, 4,
        "units that joined the backlog from the first to the last quarter, over units offered; of \
         flows with a load of their own",
        run.growth.share;
    "lost", "units", Other, 0, "lost on the wire or dropped, whatever the cause",
        run.window.lost;
    "dropped", "units", Other, 0, "the same without losses on the wire",
        run.window.dropped;
    "fill max", "units", Other, 0, "largest fill of any buffer",
        f64::from(run.fill_max());
    "data share max", "", Other, 4, "share of time that the busiest port sends data",
        run.busiest(|channel| channel.data_share);
    "control share max", "", Other, 4, "largest share of time that any port sends control units",
        run.busiest(|channel| channel.control_share);
    "unfinished", "requests", Unfinished, 0,
        "of clients: begun, and not answered when the run ended; their times are bounds from below",
        run.unanswered() as f64;
    "saturated", "", Saturated, 0, "1 if the network can't carry what is offered, else 0",
        flag(run.is_saturated());
    "stuck", "", Standstill, 0, "1 if units wait and nothing can move, else 0",
        flag(run.is_stuck());
    "broken promises", "", Broken, 0, "of the whole run",
        run.after.violations.total() as f64;
}

/// Runs the scenario; `None` if Ctrl-C ended that.
pub fn measure(scenario: &PacketScenario, columns: &[FlowColumn]) -> Result<Option<Point>, String> {
    let network = &scenario.network;
    let waits: Meter = (None, (None, Some(PathWaits::new(network))));
    let mut simulation =
        Simulation::<Rings, _>::with_probe(network, waits).map_err(|error| error.to_string())?;
    let mut pace = Pace::new(scenario.cell.ps().saturating_mul(FIRST_SLICE_CELLS));
    // The window starts with the instant that ends the warm-up.
    let start = Time(network.warm_up.ps().saturating_sub(1));
    if !run_to(&mut simulation, start, &mut pace) {
        return Ok(None);
    }
    let before = simulation.outcome();
    let mut looks = Vec::new();
    let span = u128::from(network.stop_at.ps().saturating_sub(start.ps()));
    for look in 0..QUARTERS * LOOKS {
        if !run_to(
            &mut simulation,
            Time(start.ps() + look_at(look, span)),
            &mut pace,
        ) {
            return Ok(None);
        }
        looks.push(backlog(network, &simulation.outcome()));
    }
    if !run_to(&mut simulation, Time(start.ps() + span as u64), &mut pace) {
        return Ok(None);
    }
    let mut run = Findings::new(network, simulation.outcome(), scenario.cell);
    note_broken_bounds(&mut run);
    let (_, (_, waits)) = simulation.probe();
    let waits = waits.as_ref().map(PathWaits::total).unwrap_or_default();
    let window = Window::of(network, &before, &run.outcome);
    let mut values = values(&Seen {
        seconds: run.seconds(),
        growth: Growth::of(&looks, window.loaded.0),
        window,
        after: &run.outcome,
        waits: &waits,
    });
    values.extend(chosen(columns, |flow| run.flow_tables(flow)));
    Ok(Some(Point {
        values,
        trace_hash: number::hash(run.outcome.trace_hash),
    }))
}

/// When to look, of a window of `span`: once in each of its equal parts, somewhere.
fn look_at(look: u64, span: u128) -> u64 {
    let within = Stream::new(0, look, Purpose::Pattern).below(1 << 32);
    let into = (u128::from(look) << 32) + u128::from(within);
    ((span * into / u128::from(QUARTERS * LOOKS)) >> 32) as u64
}

/// Does a source offer what it has whether the network takes it or not?
fn has_load(traffic: &TrafficSpec) -> bool {
    match traffic {
        TrafficSpec::Constant { .. }
        | TrafficSpec::Poisson { .. }
        | TrafficSpec::Trains { .. }
        | TrafficSpec::OnOff { .. }
        | TrafficSpec::Outside(_) => true,
        TrafficSpec::Silent
        | TrafficSpec::Greedy { .. }
        | TrafficSpec::Client(_)
        | TrafficSpec::Requests(_)
        | TrafficSpec::Server
        | TrafficSpec::Bottlenecked { .. }
        | TrafficSpec::Tcp(_)
        | TrafficSpec::TcpBack => false,
    }
}

/// Units inside of flows that have a load of their own.
fn backlog(network: &NetworkSpec, outcome: &Outcome) -> u64 {
    let flows = network.flows.iter().zip(&outcome.flows);
    let loaded = flows.filter(|(spec, _)| has_load(&spec.traffic));
    loaded.map(|(_, flow)| flow.balance().inside).sum()
}

/// Runs on to `until`; false if Ctrl-C was pressed.
fn run_to(simulation: &mut Simulation<Rings, Meter>, until: Time, pace: &mut Pace) -> bool {
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
    /// Offered and delivered of flows that have a load of their own.
    loaded: (f64, f64),
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
            if has_load(&spec.traffic) {
                window.loaded.0 += offered;
                window.loaded.1 += delivered;
            }
            window.lost += after.lost_total.saturating_sub(before.lost_total) as f64;
            let dropped = |of: &FlowOutcome| of.drops.total() - of.drops.by(LossCause::Wire);
            window.dropped += dropped(after).saturating_sub(dropped(before)) as f64;
            window.offered_bits += offered * bits;
            window.delivered_bits += delivered * bits;
        }
        window
    }
}

/// What was seen of a run.
struct Seen<'a> {
    window: Window,
    seconds: f64,
    growth: Growth,
    after: &'a Outcome,
    waits: &'a Samples,
}

impl Seen<'_> {
    fn mbps(&self, bits: f64) -> f64 {
        match self.seconds > 0.0 {
            true => bits / self.seconds / 1e6,
            false => f64::NAN,
        }
    }

    fn delays(&self) -> impl Iterator<Item = &DelayOutcome> {
        let delays = self.after.flows.iter().map(|flow| &flow.delay);
        delays.filter(|delay| delay.count > 0)
    }

    fn mean_delay_us(&self) -> f64 {
        let (mut sum_ps, mut count) = (0.0, 0.0);
        for delay in self.delays() {
            sum_ps += delay.mean * delay.count as f64;
            count += delay.count as f64;
        }
        sum_ps / count / 1e6
    }

    fn highest_us(&self, of: fn(&DelayOutcome) -> u64) -> f64 {
        let highest = self.delays().map(of).max();
        highest.map_or(f64::NAN, |ps| ps as f64 / 1e6)
    }

    fn wait_us(&self, ps: f64) -> f64 {
        match self.waits.count() {
            0 => f64::NAN,
            _ => ps / 1e6,
        }
    }

    fn unanswered(&self) -> u64 {
        let flows = self.after.flows.iter();
        flows.map(|flow| flow.responses.open()).sum()
    }

    fn fill_max(&self) -> u32 {
        let fills = self.after.legs.iter().map(|leg| leg.fill_max);
        fills.max().unwrap_or(0)
    }

    fn busiest(&self, of: fn(&ChannelOutcome) -> f64) -> f64 {
        self.after.channels.iter().map(of).fold(0.0, f64::max)
    }

    fn is_stuck(&self) -> bool {
        self.after.stop == Stop::Standstill
    }

    fn is_saturated(&self) -> bool {
        let (offered, delivered) = self.window.loaded;
        let is_growing = self.growth.is_steady && self.growth.share > GROWTH;
        offered - delivered > MISSING * offered || is_growing || self.is_stuck()
    }
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

    /// Whatever the period, the looks see all of it alike; evenly spaced ones don't.
    #[test]
    fn looks_don_t_keep_step_with_a_period() {
        let span = 1_u128 << 40;
        let even = |look: u64, span: u128| (span * u128::from(look + 1) / 32) as u64;
        let worst = |at: fn(u64, u128) -> u64| {
            let periods = (20..400_u64).map(|n| (span / u128::from(n)) as u64);
            let spread = periods.map(|period| {
                let late = (0..32).filter(|look| at(*look, span) % period >= period / 2);
                late.count().abs_diff(16)
            });
            spread.max().unwrap_or(16)
        };
        assert!(worst(look_at) <= 11, "{}", worst(look_at));
        assert_eq!(worst(even), 16);
        assert!((0..32).all(|look| look_at(look, span) / (1 << 35) == look));
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
