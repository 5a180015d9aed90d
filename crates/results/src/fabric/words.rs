//! A run of the cycle engine in sentences.

use std::ops::Range;

use backwater_flit::outcome::{CyclesOutcome, FabricOutcome};
use backwater_flit::spec::{Injection, Shape, Switch, TraceEntry, WarmUp};
use backwater_kernel::{Balance, Stop};

use super::FabricFindings;
use super::network::shares;
use crate::number::{bound, fixed, grouped, percent};
use crate::stop;
use backwater_kernel::words::{agreed, capital, counted, with_article};

/// Unit of loads.
pub const LOAD: &str = "flits/cycle/terminal";

/// A load, alone.
pub fn load(load: f64) -> String {
    fixed(load, 4)
}

/// `0.3998 ± 0.0012`, or the load alone.
pub fn load_within(load: f64, half_width: Option<f64>) -> String {
    within(load, half_width, 4)
}

fn within(value: f64, half_width: Option<f64>, digits: u8) -> String {
    match half_width {
        Some(half) => format!("{} ± {}", fixed(value, digits), fixed(half, digits)),
        None => fixed(value, digits),
    }
}

/// Why means stand alone; empty where they do not.
pub fn without_interval(half_width: Option<f64>) -> &'static str {
    match half_width {
        Some(_) => "",
        None => ", too short for an interval",
    }
}

/// Why a mean latency has no interval. Where packets have not arrived the mean is a bound from
/// below, which has none however long the run.
pub fn latency_without_interval(cycles: &CyclesOutcome) -> &'static str {
    match cycles.open {
        0 => without_interval(cycles.half_width),
        _ => "",
    }
}

/// `48.3 ± 0.4`, or the mean alone; a dash where nothing was measured.
pub fn mean(cycles: &CyclesOutcome) -> String {
    match cycles.count {
        0 => "–".into(),
        _ => bound(cycles.open > 0, within(cycles.mean, cycles.half_width, 2)),
    }
}

/// Median, 99th and 99.9th percentile and the largest; a dash where too many have not arrived.
pub fn percentiles(cycles: &CyclesOutcome) -> [String; 4] {
    let is_bound = cycles.open > 0;
    let told =
        |steps: Option<u64>| steps.map_or("–".into(), |steps| bound(is_bound, grouped(steps)));
    let [p50, _, p99, p99_9] = cycles.told();
    [p50, p99, p99_9, Some(cycles.max)].map(told)
}

/// Why the run ended, as the rest of "the run ended: ...".
pub fn stop(outcome: &FabricOutcome) -> String {
    match outcome.stop {
        Stop::TimeReached => "the window is over and `run.drain` is 0".into(),
        Stop::DrainEnded => format!(
            "the drain is over, with {} created in the window still inside",
            counted(outcome.unfinished, "packet")
        ),
        Stop::Drained => "the trace was replayed to its end".into(),
        other => stop::sentence(other, || deadlocked(outcome)),
    }
}

/// What a run that ended before its trace left out.
pub fn not_played(run: &FabricFindings<'_>) -> Option<String> {
    let cycles = run.outcome.cycles;
    let traces = run
        .spec
        .classes
        .iter()
        .filter_map(|class| match &class.injection {
            Injection::Trace(list) => Some(list),
            _ => None,
        });
    let packets: Vec<&TraceEntry> = traces.flatten().collect();
    let left_out = packets.iter().filter(|packet| packet.cycle >= cycles);
    let first = left_out.clone().map(|packet| packet.cycle).min()?;
    Some(format!(
        "the trace was not played to its end: {} of its {} come after the run, which ended after \
         {}, the first in cycle {}; `run.measure` says how long it lasts",
        grouped(left_out.count() as u64),
        counted(packets.len(), "packet"),
        counted(cycles, "cycle"),
        grouped(first)
    ))
}

/// Since when, and how many packets it holds.
pub fn deadlocked(outcome: &FabricOutcome) -> String {
    match &outcome.standstill {
        Some(deadlock) if deadlock.others_move => format!(
            "deadlock: {} can't move and {} not since cycle {}, while others do",
            counted(outcome.stuck_packets, "packet"),
            agreed(outcome.stuck_packets, "has", "have"),
            grouped(deadlock.since)
        ),
        Some(deadlock) => format!(
            "deadlock: no flit has moved since cycle {}, {} can't move",
            grouped(deadlock.since),
            counted(outcome.stuck_packets, "packet")
        ),
        None => "deadlock: no flit can move".into(),
    }
}

/// Why the run ended, in two or three words.
pub fn stop_short(stop: Stop) -> &'static str {
    match stop {
        Stop::TimeReached => "window ended",
        Stop::Drained => "trace ended",
        other => stop::short(other, "deadlock"),
    }
}

/// `created 10 = delivered 8 + queued 1 + inside 1`, in flits.
pub fn conservation(balance: &Balance) -> String {
    format!(
        "created {} {} delivered {} + queued {} + inside {} flits",
        grouped(balance.offered),
        if balance.holds() { "=" } else { "≠" },
        grouped(balance.delivered),
        grouped(balance.queued),
        grouped(balance.inside)
    )
}

/// How the window came to begin where it does.
pub enum WarmUpEnd {
    /// There is no warm-up.
    None,
    /// The scenario says so.
    Given,
    /// Throughput and latency had settled.
    Detected,
    /// They had not by the limit.
    Limit,
}

/// What ended the warm-up of a run that got to its window.
pub fn warm_up_end(run: &FabricFindings<'_>) -> WarmUpEnd {
    match (run.outcome.warm_up_detected, run.spec.measure.warm_up) {
        (true, _) => WarmUpEnd::Detected,
        (false, WarmUp::Auto { .. }) => WarmUpEnd::Limit,
        (false, WarmUp::Cycles(0)) => WarmUpEnd::None,
        (false, WarmUp::Cycles(_)) => WarmUpEnd::Given,
    }
}

/// When was measured: `10,000 cycles from cycle 2,345 on (end of warm-up detected)`.
pub fn window(run: &FabricFindings<'_>) -> String {
    let outcome = &run.outcome;
    let how = match warm_up_end(run) {
        WarmUpEnd::Detected => "end of warm-up detected",
        WarmUpEnd::None => "no warm-up",
        WarmUpEnd::Given => "warm-up as given",
        WarmUpEnd::Limit => "not settled by `run.warm_up_limit`",
    };
    match outcome.window {
        0 => format!("not reached: {}", no_window(outcome)),
        window => format!(
            "{} from cycle {} on ({how})",
            counted(window, "cycle"),
            grouped(outcome.window_start)
        ),
    }
}

/// Why there is no window, and what to set for one.
pub fn no_window(outcome: &FabricOutcome) -> String {
    let cycles = counted(outcome.cycles, "cycle");
    let way = match outcome.stop {
        Stop::Interrupted => return format!("interrupted in the warm-up, after {cycles}"),
        Stop::Drained => "set `run.warm_up = 0` to measure the whole trace",
        Stop::Standstill => "set `run.warm_up = 0` to measure what came before",
        _ => "give `run.warm_up` fewer cycles; 0 measures from the start",
    };
    format!("the run ended in its warm-up, after {cycles}; {way}")
}

/// The busiest channel, and its share of busy cycles; where that is one of a terminal, the busiest
/// between routers after it.
pub fn busiest(run: &FabricFindings<'_>) -> Vec<(String, f64)> {
    let all = shares(&run.outcome);
    let busiest = |among: Range<usize>| {
        let larger = |best: usize, next: usize| if all[next] > all[best] { next } else { best };
        among.reduce(larger)
    };
    let between = busiest(0..run.spec.graph.channels.len().min(all.len()));
    let mut places: Vec<usize> = busiest(0..all.len()).into_iter().chain(between).collect();
    places.dedup();
    let names = run.names();
    let named = |one: usize| (names.channel(one as u32), all[one]);
    places.into_iter().map(named).collect()
}

/// `8 x 8 torus, 1 terminal at each router`.
pub fn shape(shape: &Shape) -> String {
    let sides_and = |sides: &[u32], what: &str, terminals: u32| {
        let sides: Vec<String> = sides.iter().map(u32::to_string).collect();
        let terminals = counted(terminals, "terminal");
        format!(
            "{} {what} with {terminals} at each router",
            sides.join(" x ")
        )
    };
    match shape {
        Shape::Fly { k, n } => format!("{k}-ary {n}-fly"),
        Shape::Mesh { sides, terminals } => sides_and(sides, "mesh", *terminals),
        Shape::Torus { sides, terminals } => sides_and(sides, "torus", *terminals),
        Shape::FatTree { k, n } => format!("{k}-ary {n}-tree"),
        Shape::Full { routers, terminals } => format!(
            "fully connected network of {} with {} at each",
            counted(*routers, "router"),
            counted(*terminals, "terminal")
        ),
        Shape::Crossbar => "crossbar".into(),
        Shape::Irregular => "network from a file".into(),
    }
}

/// The run in a few paragraphs.
pub fn paragraphs(run: &FabricFindings<'_>) -> String {
    let graph = &run.spec.graph;
    let router = &run.spec.router;
    let switch = match router.switch {
        Switch::Crossbar => "an input of the switch for each virtual channel",
        Switch::Multiplexed { .. } => {
            "one input of the switch for all virtual channels of a channel"
        }
    };
    let mut text = format!(
        "{}: {}, {} between them, {}. Packets go {}. Each channel has {} of {}; {switch}.",
        capital(&with_article(&shape(&graph.shape))),
        counted(graph.routers, "router"),
        counted(graph.channels.len(), "channel"),
        counted(graph.inject.len(), "terminal"),
        run.spec.routing.words(),
        counted(router.lanes, "virtual channel"),
        counted(router.depth, "flit"),
    );
    text.push_str("\n\n");
    text.push_str(&measured(run));
    text.push_str(&format!(" Why it ended: {}.", stop(&run.outcome)));
    let balance = run.outcome.balance();
    text.push_str(&format!(
        "\n\nOver the whole run, {}: {}.",
        conservation(&balance),
        if balance.holds() {
            "every flit is accounted for"
        } else {
            "flits are missing, which is a fault of the simulator"
        }
    ));
    let mut busiest = busiest(run).into_iter();
    if let Some((name, share)) = busiest.next() {
        text.push_str(&format!(
            " The busiest channel, {name}, carried a flit in {} of the window's cycles",
            percent(share)
        ));
        let between = busiest.map(|(name, share)| {
            format!(
                ", the busiest between routers, {name}, in {}",
                percent(share)
            )
        });
        text.extend(between);
        text.push('.');
    }
    text
}

fn measured(run: &FabricFindings<'_>) -> String {
    let outcome = &run.outcome;
    if outcome.window == 0 {
        return format!(
            "The run was still warming up when it ended after {}: nothing was measured.",
            counted(outcome.cycles, "cycle")
        );
    }
    let how = match warm_up_end(run) {
        WarmUpEnd::Detected => "the end of the warm-up was detected there",
        WarmUpEnd::None => "there is no warm-up",
        WarmUpEnd::Given => "the scenario gives the warm-up",
        WarmUpEnd::Limit => {
            "throughput and latency had not settled by then, which is `run.warm_up_limit`"
        }
    };
    format!(
        "Loads were counted over {} from cycle {} on ({how}); latencies are those of packets \
         created in this window.",
        counted(outcome.window, "cycle"),
        grouped(outcome.window_start)
    )
}
