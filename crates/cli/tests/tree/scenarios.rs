//! Every shipped scenario is sound, runs and keeps its promises.

use std::io;
use std::path::Path;

use backwater_flit::spec::FabricSpec;
use backwater_kernel::Channels;
use backwater_net::frames;
use backwater_net::frames::spec::{EthernetSpec, FlowSpec};
use backwater_net::probe::{Audit, Checks, Probe};
use backwater_net::{Specification, watched};
use backwater_scenario::compare::{Comparison, Scheme};
use backwater_scenario::{Engine, Limits, PacketScenario, Scenario, Set, Source};

use crate::files::{self, TextFile};
use crate::hold;

/// Long enough for every source to send, short enough for all files in seconds.
const DURATION_CELLS: u64 = 3000;

/// VCs times cycles that the window of a flit scenario may have.
const VC_LOOKS: usize = 4_000_000;

/// Bits that all links of an Ethernet scenario together may carry.
const FRAME_BITS_MOST: u64 = 1_000_000_000;

/// Files for `backwater compare`, which are no scenarios.
const COMPARISONS: &str = "scenarios/compare/";

/// What a short run found.
struct Found {
    /// Promises broken, and the first of them.
    violations: (u64, String),
    /// Units or flits that arrived.
    delivered: u64,
}

#[test]
fn shipped_scenarios_are_sound() {
    hold(
        shipped()
            .iter()
            .filter_map(|file| read(file, &[]).err())
            .collect(),
        "`backwater check FILE` says what to change",
    );
}

#[test]
fn shipped_comparisons_are_sound_under_every_scheme() {
    let mut files = files::ending(".toml");
    files.retain(|file| file.path.starts_with(COMPARISONS));
    assert!(files.len() >= 3, "{COMPARISONS}*.toml");
    let complaints = files.iter().flat_map(|file| {
        let source = Source::new(file.path.clone(), file.text.clone());
        let comparison = Comparison::read(&source, &[]);
        let each = |comparison: Comparison| {
            let scheme = |scheme: Scheme| {
                let scenario = comparison.scenario(scheme, 1, &Limits::default());
                scenario.err().map(|wrong| wrong.render(false))
            };
            let mut every = Scheme::every();
            every.retain(|scheme| comparison.suits(*scheme));
            every.into_iter().filter_map(scheme).collect()
        };
        comparison.map_or_else(|wrong| vec![wrong.render(false)], each)
    });
    hold(
        complaints.collect(),
        "`backwater check FILE` says what to change",
    );
}

#[test]
fn shipped_scenarios_run() {
    let complaints = shipped().into_iter().flat_map(|file| {
        let found = read(&file, &[])
            .and_then(|scenario| read(&file, &shortened(&scenario.engine)))
            .and_then(|scenario| run(&scenario));
        match found {
            Ok(found) => complaints_about(&file.path, &found),
            Err(message) => vec![format!("{}: {message}", file.path)],
        }
    });
    hold(
        complaints.collect(),
        "`backwater run FILE --audit` shows which promise broke and when",
    );
}

#[test]
fn a_broken_promise_is_seen() {
    let files = shipped();
    let name = "scenarios/kung1993/fig17-two-switches.toml";
    let file = files.iter().find(|file| file.path == name).expect(name);
    let mut sets = shortened_cells(DURATION_CELLS);
    sets.push(set("flow_control.window", "60 cells"));
    assert!(read(file, &sets).is_err(), "a window too short is refused");
    sets.push(set("flow_control.overflow", "keep"));
    let outcome = read(file, &sets).and_then(|scenario| run(&scenario));
    let complaints = complaints_about(name, &outcome.expect("it runs, and overflows"));
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    let nothing = run(&read(
        file,
        &[set("run.duration", "1 cells"), set("run.warm_up", "0 s")],
    )
    .expect("a short run is sound"));
    assert_eq!(complaints_about(name, &nothing.expect("it runs")).len(), 1);
}

fn shipped() -> Vec<TextFile> {
    let mut files = files::ending(".toml");
    files.retain(|file| file.path.starts_with("scenarios/") && !file.path.starts_with(COMPARISONS));
    assert!(!files.is_empty(), "no scenarios/**/*.toml");
    files
}

fn set(key: &str, value: &str) -> Set {
    Set {
        key: key.into(),
        value: value.into(),
    }
}

fn shortened(engine: &Engine) -> Vec<Set> {
    match engine {
        Engine::Packet(packet) => shortened_cells(DURATION_CELLS.max(3 * way_cells(packet))),
        Engine::Flit(spec) => shortened_cycles(spec),
        Engine::Ethernet(ethernet) => shortened_times(&ethernet.network),
    }
}

/// The audit looks at every VC in every cycle: large networks run for fewer.
fn shortened_cycles(spec: &FabricSpec) -> Vec<Set> {
    let channels = spec.graph.channels.len() + 2 * spec.graph.inject.len();
    let vcs = channels * usize::from(spec.router.lanes);
    let cycles = (VC_LOOKS / vcs).clamp(60, 500);
    vec![
        set("run.warm_up", "100 cycles"),
        set("run.measure", &format!("{cycles} cycles")),
        set("run.drain", &format!("{} cycles", 2 * cycles)),
    ]
}

/// Propagation along the shortest flow, in cell times: nothing is delivered before.
fn way_cells(packet: &PacketScenario) -> u64 {
    let network = &packet.network;
    let delay = |channel: u32| {
        let way = network.links.channel(channel);
        way.delay.ps()
    };
    let flows = network.flows.iter();
    let ways = flows.map(|flow| flow.legs.iter().map(|leg| delay(leg.channel)).sum::<u64>());
    ways.min().unwrap_or(0) / packet.cell.ps().max(1)
}

fn shortened_cells(cells: u64) -> Vec<Set> {
    vec![
        set("run.duration", &format!("{cells} cells")),
        set("run.warm_up", "500 cells"),
    ]
}

/// Long enough for think times of some milliseconds where links are slow, and for some ten
/// thousand frames where they are fast, behind what hosts compute before they send any.
fn shortened_times(spec: &EthernetSpec) -> Vec<Set> {
    let bps: u64 = spec.links.iter().map(|link| link.channels[0].rate.0).sum();
    let frames_us = FRAME_BITS_MOST / (bps / 1_000_000).max(1);
    let first = |flow: &FlowSpec| {
        flow.traffic
            .messages()?
            .computes
            .first()
            .map(|own| own.time.ps())
    };
    let computes = spec
        .flows
        .iter()
        .map(|flow| first(flow).unwrap_or(0) / 1_000_000);
    let computes_us = computes.max().unwrap_or(0);
    let duration = format!("{} us", computes_us + frames_us.clamp(15, 40_000));
    vec![set("run.duration", &duration), set("run.warm_up", "0 s")]
}

fn read(file: &TextFile, sets: &[Set]) -> Result<Scenario, String> {
    let source = Source {
        name: file.path.clone(),
        text: file.text.clone(),
    };
    backwater_scenario::parse_with(&source, sets, &Limits::default(), &load)
        .map_err(|mistakes| mistakes.render(false))
}

/// A file that a scenario names, by its path from the root of the tree.
fn load(path: &Path) -> io::Result<String> {
    let text = path.to_str().and_then(files::read);
    text.ok_or_else(|| io::Error::other("there is no such file"))
}

fn run(scenario: &Scenario) -> Result<Found, String> {
    match &scenario.engine {
        Engine::Packet(PacketScenario { network, .. }) => {
            run_audited(network, Audit::new(network), Audit::checks)
        }
        Engine::Flit(spec) => run_flits(spec),
        Engine::Ethernet(ethernet) => {
            let network = &ethernet.network;
            let audit = frames::probe::Audit::new(network);
            run_audited(network, audit, frames::probe::Audit::checks)
        }
    }
}

/// Runs under audit.
fn run_flits(spec: &FabricSpec) -> Result<Found, String> {
    let audit = backwater_flit::probe::Audit::new(spec).map_err(|error| error.to_string())?;
    let mut simulation =
        backwater_flit::Simulation::with_probe(spec, audit).map_err(|error| error.to_string())?;
    simulation.run();
    let violations = simulation.probe().violations();
    Ok(Found {
        violations: (
            violations.total(),
            format!("{:?}", violations.kept().first()),
        ),
        delivered: simulation.outcome().delivered_total,
    })
}

/// Runs under audit; what it found counts like what the run itself found.
fn run_audited<P: Probe>(
    spec: &impl Specification,
    audit: P,
    checks: fn(&P) -> &Checks,
) -> Result<Found, String> {
    let (audit, outcome) = watched(spec, audit).map_err(|error| error.to_string())?;
    let mut violations = outcome.violations;
    violations.append(checks(&audit).violations());
    Ok(Found {
        violations: (
            violations.total(),
            format!("{:?}", violations.kept().first()),
        ),
        delivered: outcome.flows.iter().map(|flow| flow.delivered_total).sum(),
    })
}

fn complaints_about(path: &str, found: &Found) -> Vec<String> {
    let mut complaints = Vec::new();
    let (total, first) = &found.violations;
    if *total > 0 {
        complaints.push(format!("{path}: {total} promises broken, first {first}"));
    }
    if found.delivered == 0 {
        complaints.push(format!("{path}: nothing was delivered"));
    }
    complaints
}
