//! `backwater bench`: what an event costs on the standard set.
//!
//! User CPU of one thread; the least of several runs, since everything else on a machine only
//! ever adds to it.

mod ethernet;
mod fabric;
mod stamps;

use backwater_kernel::{Rings, Time};
use backwater_net::Simulation;
use backwater_net::spec::{NetworkSpec, TrafficSpec};
use backwater_scenario::{Engine, PacketScenario, Source};

use crate::{FAILED, SUCCESS, fail, machine};

/// What to measure.
#[derive(clap::Args)]
pub struct Options {
    /// Only the workloads whose name contains this
    filter: Option<String>,
    /// Runs of each; the fastest counts
    #[arg(long, default_value_t = 3, value_name = "N")]
    runs: u32,
}

/// A scenario of the standard set.
struct Workload {
    name: &'static str,
    file: &'static str,
    text: &'static str,
    sets: &'static [(&'static str, &'static str)],
}

const SET: &[Workload] = &[
    Workload {
        name: "(a) Figure 17",
        file: "scenarios/kung1993/fig17-two-switches.toml",
        text: include_str!("../../../scenarios/kung1993/fig17-two-switches.toml"),
        sets: &[("run.duration", "2000000 cells")],
    },
    Workload {
        name: "(b) 200 greedy, 5 switches",
        file: "scenarios/bench/greedy-200.toml",
        text: include_str!("../../../scenarios/bench/greedy-200.toml"),
        sets: &[],
    },
    Workload {
        name: "(c) 10,000 mixed, 64 switches",
        file: "scenarios/bench/mixed-10000.toml",
        text: include_str!("../../../scenarios/bench/mixed-10000.toml"),
        sets: &[],
    },
    Workload {
        name: "ABR, Figure 5",
        file: "scenarios/bench/abr-five.toml",
        text: include_str!("../../../scenarios/bench/abr-five.toml"),
        sets: &[("run.duration", "4 s")],
    },
    Workload {
        name: "ABR, 200 circuits",
        file: "scenarios/bench/abr-200.toml",
        text: include_str!("../../../scenarios/bench/abr-200.toml"),
        sets: &[],
    },
    Workload {
        name: "Test One, VirtualClock",
        file: "scenarios/zhang1991/test-one.toml",
        text: include_str!("../../../scenarios/zhang1991/test-one.toml"),
        sets: &[],
    },
];

/// Name of the part about idle circuits.
const IDLE_NAME: &str = "idle circuits";

/// Idle circuits added to Figure 17 to show that they cost nothing.
const IDLE: [usize; 3] = [0, 1_000, 100_000];

/// Cost of one run.
struct Cost {
    seconds: f64,
    hops: u64,
    events: u64,
    hash: u64,
}

/// Measures and prints.
pub fn bench(options: &Options) -> u8 {
    let wanted = |name: &str| {
        options
            .filter
            .as_ref()
            .is_none_or(|filter| name.contains(filter.as_str()))
    };
    let packet = SET.iter().map(|workload| workload.name).chain([IDLE_NAME]);
    let names: Vec<&str> = packet
        .clone()
        .chain([stamps::NAME])
        .chain(ethernet::names())
        .chain(fabric::names())
        .collect();
    if !names.iter().any(|name| wanted(name)) {
        let names = names.join("`, `");
        return fail(format!("there is no such workload; there are `{names}`"));
    }
    if machine::user_seconds().is_none() {
        eprintln!("note: this system does not report user CPU time; wall time is used");
    }
    if packet.clone().any(wanted) {
        println!(
            "{:32} {:>12} {:>9} {:>12} {:>11}",
            "packet engine", "M hops/s", "ns/hop", "events/hop", "hops"
        );
    }
    for workload in SET.iter().filter(|workload| wanted(workload.name)) {
        let scenario = match load(workload) {
            Ok(scenario) => scenario,
            Err(message) => return fail(message),
        };
        match least(&scenario.network, options.runs) {
            Ok(cost) => print_cost(workload.name, &cost),
            Err(message) => {
                eprintln!("error: {}: {message}", workload.name);
                return FAILED;
            }
        }
    }
    if wanted(IDLE_NAME)
        && let Err(message) = idle(options.runs).and_then(|()| idle_abr(options.runs))
    {
        return fail(message);
    }
    if wanted(stamps::NAME) {
        stamps::bench(options.runs);
    }
    let done = ethernet::bench(options, &wanted).and_then(|()| fabric::bench(options, &wanted));
    match done {
        Ok(()) => SUCCESS,
        Err(message) => fail(message),
    }
}

fn load(workload: &Workload) -> Result<PacketScenario, String> {
    let source = Source {
        name: workload.file.into(),
        text: workload.text.into(),
    };
    let set = |&(key, value): &(&str, &str)| backwater_scenario::Set {
        key: key.into(),
        value: value.into(),
    };
    let sets: Vec<backwater_scenario::Set> = workload.sets.iter().map(set).collect();
    let scenario =
        backwater_scenario::parse(&source, &sets).map_err(|mistakes| mistakes.render(false))?;
    match scenario.engine {
        Engine::Packet(packet) => Ok(packet),
        _ => Err("a workload of the packet engine is for another one".into()),
    }
}

fn print_cost(name: &str, cost: &Cost) {
    println!(
        "{name:32} {:>12.1} {:>9.1} {:>12.2} {:>11}",
        cost.hops as f64 / cost.seconds / 1e6,
        cost.seconds / cost.hops as f64 * 1e9,
        cost.events as f64 / cost.hops as f64,
        cost.hops,
    );
}

/// The cheapest of several runs, which must all send the same.
fn least(network: &NetworkSpec, runs: u32) -> Result<Cost, String> {
    let mut best: Option<Cost> = None;
    for _ in 0..runs.max(1) {
        let cost = once(network)?;
        match &best {
            Some(first) if first.hash != cost.hash => {
                return Err("two runs of one scenario differ".into());
            }
            Some(first) if first.seconds <= cost.seconds => {}
            _ => best = Some(cost),
        }
    }
    best.ok_or_else(|| "nothing ran".into())
}

fn once(network: &NetworkSpec) -> Result<Cost, String> {
    let mut simulation = Simulation::<Rings>::new(network).map_err(|error| error.to_string())?;
    let clock = Clock::start();
    simulation.run();
    let seconds = clock.seconds();
    let outcome = simulation.outcome();
    if outcome.violations.total() > 0 {
        return Err(format!(
            "{} promises were broken",
            outcome.violations.total()
        ));
    }
    let (hops, events) = (outcome.unit_hops, outcome.events);
    Ok(Cost {
        seconds,
        hops,
        events,
        hash: outcome.trace_hash,
    })
}

/// Figure 17 among circuits that never send: the cost of a hop and of an idle circuit's link.
fn idle(runs: u32) -> Result<(), String> {
    let scenario = load(&SET[0])?;
    println!("\nFigure 17 among idle circuits:");
    println!(
        "{:>12} {:>9} {:>26}",
        "idle", "ns/hop", "bytes per idle VC link"
    );
    for count in IDLE {
        let mut network = scenario.network.clone();
        network.stop_at = Time(network.stop_at.ps() / 4);
        let mut copy = network.flows[0].clone();
        copy.traffic = TrafficSpec::Silent;
        network.flows.extend((0..count).map(|_| copy.clone()));
        let links = count * copy.legs.len();
        let bytes = bytes_per_link(&network, links);
        let cost = least(&network, runs)?;
        let ns = cost.seconds / cost.hops as f64 * 1e9;
        println!("{count:>12} {ns:>9.1} {:>26}", bytes.unwrap_or_default());
    }
    Ok(())
}

/// The five ABR circuits of Figure 5 among circuits that send nothing over the same links: an
/// averaging interval costs what it sees, not what there is.
fn idle_abr(runs: u32) -> Result<(), String> {
    let name = "ABR, Figure 5";
    let workload = SET.iter().find(|workload| workload.name == name);
    let scenario = load(workload.ok_or("the workload is gone")?)?;
    println!("\n{name} among idle circuits:");
    println!("{:>12} {:>9}", "idle", "ns/hop");
    for count in IDLE {
        let mut network = scenario.network.clone();
        network.stop_at = Time(network.stop_at.ps() / 4);
        let (mut there, mut back) = (network.flows[0].clone(), network.flows[1].clone());
        (there.traffic, back.traffic) = (TrafficSpec::Silent, TrafficSpec::Silent);
        for _ in 0..count / 10 {
            let id = network.flows.len() as u32;
            (there.partner, back.partner) = (Some(id + 1), Some(id));
            network.flows.extend([there.clone(), back.clone()]);
        }
        let cost = least(&network, runs)?;
        let ns = cost.seconds / cost.hops as f64 * 1e9;
        println!("{:>12} {ns:>9.1}", count / 10);
    }
    Ok(())
}

/// Memory that building the network takes, per link of an idle circuit.
fn bytes_per_link(network: &NetworkSpec, links: usize) -> Option<String> {
    let before = machine::resident_bytes()?;
    let simulation = Simulation::<Rings>::new(network).ok()?;
    let after = machine::resident_bytes()?;
    drop(simulation);
    if links < 10_000 {
        return None;
    }
    Some(format!(
        "{:.0}",
        (after.saturating_sub(before)) as f64 / links as f64
    ))
}

/// User CPU where the system tells it, else wall time.
struct Clock {
    user: Option<f64>,
    wall: std::time::Instant,
}

impl Clock {
    fn start() -> Clock {
        Clock {
            user: machine::user_seconds(),
            wall: std::time::Instant::now(),
        }
    }

    fn seconds(&self) -> f64 {
        match (self.user, machine::user_seconds()) {
            (Some(start), Some(end)) if end > start => end - start,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}
