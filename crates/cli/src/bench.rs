//! `backwater bench`: what an event costs on the standard set.
//!
//! User CPU of one thread; the least of several runs, since everything else on a machine only
//! ever adds to it.

mod idle;
mod set;
mod stamps;

use backwater_kernel::Stop;
use backwater_scenario::Scenario;

use crate::{SUCCESS, fail};
use backwater_run::Pace;
use backwater_run::machine;
use set::{CELLS, FLITS, FRAMES, Workload};

/// What to measure.
#[derive(clap::Args)]
pub struct Options {
    /// Only the workloads whose name contains this
    filter: Option<String>,
    /// Runs of each; the fastest counts
    #[arg(long, default_value_t = 3, value_name = "N", help_heading = "Run")]
    runs: u32,
}

/// Name of the part about idle circuits.
const IDLE_CIRCUITS: &str = "idle circuits";

/// Cost of one run.
struct Cost {
    seconds: f64,
    hops: u64,
    events: u64,
    hash: u64,
    /// Memory that it took, where the system tells that.
    bytes: Option<u64>,
}

impl Cost {
    fn ns_per_hop(&self) -> f64 {
        self.seconds / self.hops.max(1) as f64 * 1e9
    }
}

/// Measures and prints.
pub fn bench(options: &Options) -> u8 {
    let sets = [CELLS, FRAMES, FLITS].into_iter().flatten();
    let parts = [IDLE_CIRCUITS, stamps::NAME, set::TORUS.name];
    let names: Vec<&str> = sets.map(|one| one.name).chain(parts).collect();
    if !names.iter().any(|name| options.wants(name)) {
        let names = names.join("`, `");
        return fail(format!("there is no such workload; there are `{names}`"));
    }
    if machine::user_seconds().is_none() {
        eprintln!("note: this system does not report user CPU time; wall time is used");
    }
    match measure(options) {
        Ok(()) => SUCCESS,
        Err(message) => fail(message),
    }
}

impl Options {
    fn wants(&self, name: &str) -> bool {
        let filter = self.filter.as_ref();
        filter.is_none_or(|filter| name.contains(filter.as_str()))
    }
}

fn measure(options: &Options) -> Result<(), String> {
    let of_events = format!(
        "{:>12} {:>9} {:>12} {:>11}",
        "M hops/s", "ns/hop", "events/hop", "hops"
    );
    table(
        options,
        CELLS,
        &format!("{:32} {of_events}", "packet engine"),
        |one| {
            let cost = least(&one.load(&[])?, options.runs)?;
            Ok(of_event_engine(&cost))
        },
    )?;
    if options.wants(IDLE_CIRCUITS) {
        idle::circuits(options.runs)?;
        idle::abr(options.runs)?;
    }
    if options.wants(stamps::NAME) {
        stamps::bench(options.runs);
    }
    let head = format!("\n{:32} {of_events} {:>8}", "Ethernet engine", "MiB");
    table(options, FRAMES, &head, |one| {
        let cost = least(&one.load(&[])?, options.runs)?;
        let mib = |bytes: u64| format!("{:.1}", bytes as f64 / 1048576.0);
        let mib = cost.bytes.map_or("-".into(), mib);
        Ok(format!("{} {mib:>8}", of_event_engine(&cost)))
    })?;
    let head = format!(
        "\n{:32} {:>14} {:>14} {:>12}",
        "flit engine", "simple, ns/hop", "pipelined, ns", "M hops/s"
    );
    table(options, FLITS, &head, |one| {
        let simple = least(&one.load(&[])?, options.runs)?.ns_per_hop();
        let pipelined = least(&one.load(one.pipelined)?, options.runs)?.ns_per_hop();
        Ok(format!(
            "{simple:>14.1} {pipelined:>14.1} {:>12.1}",
            1e3 / simple
        ))
    })?;
    match options.wants(set::TORUS.name) {
        true => idle::routers(),
        false => Ok(()),
    }
}

/// A line for each workload of a set that is wanted, as `row` measures it.
fn table(
    options: &Options,
    set: &[Workload],
    head: &str,
    row: impl Fn(&Workload) -> Result<String, String>,
) -> Result<(), String> {
    let wanted = || set.iter().filter(|one| options.wants(one.name));
    if wanted().next().is_some() {
        println!("{head}");
    }
    for workload in wanted() {
        let name = workload.name;
        let row = row(workload).map_err(|error| format!("{name}: {error}"))?;
        println!("{name:32} {row}");
    }
    Ok(())
}

fn of_event_engine(cost: &Cost) -> String {
    format!(
        "{:>12.1} {:>9.1} {:>12.2} {:>11}",
        cost.hops as f64 / cost.seconds / 1e6,
        cost.ns_per_hop(),
        cost.events as f64 / cost.hops as f64,
        cost.hops,
    )
}

/// The cheapest of several runs, which must all send the same. Its memory is that of the first:
/// later runs find what that left.
fn least(scenario: &Scenario, runs: u32) -> Result<Cost, String> {
    let mut best = once(scenario)?;
    for _ in 1..runs.max(1) {
        let cost = once(scenario)?;
        if cost.hash != best.hash {
            return Err("two runs of one scenario differ".into());
        }
        best.seconds = best.seconds.min(cost.seconds);
    }
    Ok(best)
}

fn once(scenario: &Scenario) -> Result<Cost, String> {
    let engine = backwater_run::engine(scenario);
    let before = machine::resident_bytes();
    let mut run = engine.plain()?;
    let mut pace = Pace::endless();
    let clock = Clock::start();
    while run.advance(&mut pace) {}
    let seconds = clock.seconds();
    let after = machine::resident_bytes();
    let head = run.found().head();
    match (head.stop, head.broken) {
        (Stop::Standstill, _) => Err("nothing moves any more".into()),
        (_, 0) => Ok(Cost {
            seconds,
            hops: head.hops,
            events: head.events,
            hash: head.trace_hash,
            bytes: after
                .zip(before)
                .map(|(after, before)| after.saturating_sub(before)),
        }),
        (_, broken) => Err(format!("{broken} promises were broken")),
    }
}

/// Memory that building the network takes, where the system tells that.
fn built(scenario: &Scenario) -> Result<Option<u64>, String> {
    let engine = backwater_run::engine(scenario);
    let before = machine::resident_bytes();
    let run = engine.plain()?;
    let after = machine::resident_bytes();
    drop(run);
    Ok(after
        .zip(before)
        .map(|(after, before)| after.saturating_sub(before)))
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
