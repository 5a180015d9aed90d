//! `backwater check`.

use backwater_kernel::words::{counted, printable};
use std::path::PathBuf;

use backwater_kernel::Duration;
use backwater_net::bound::bounds;
use backwater_net::frames::spec::{NodeKind, NodeSpec};
use backwater_results::number::span;
use backwater_scenario::compare::{Comparison, Scheme, is_comparison};
use backwater_scenario::{Diagnostics, Engine, Source};

use crate::memory::Memory;
use crate::{BAD_INPUT, Changes, SUCCESS, fail, files};

/// Scenario files to check.
#[derive(clap::Args)]
pub struct Options {
    /// Scenario files; `-` is standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    memory: Memory,
}

/// Checks every file, and says so of each.
pub fn check(options: &Options) -> u8 {
    let mut status = SUCCESS;
    for path in &options.files {
        let Ok(source) = files::read(path).map_err(|message| eprintln!("{message}")) else {
            status = BAD_INPUT;
            continue;
        };
        if is_comparison(&source) {
            status = status.max(check_comparison(&source, options));
            continue;
        }
        match files::check(source, &options.changes, &options.memory) {
            Ok((source, scenario)) => {
                let name = printable(&source.name);
                println!("{name}: valid: {}", summary(&scenario.engine));
                if let Some(promised) = promised(&scenario.engine) {
                    println!("{name}: {promised}");
                }
            }
            Err(()) => status = BAD_INPUT,
        }
    }
    status
}

/// Checks a comparison with every scheme, and says so.
fn check_comparison(source: &Source, options: &Options) -> u8 {
    let sets = match files::sets(&options.changes) {
        Ok(sets) => sets,
        Err(message) => return fail(message),
    };
    let told = |mistakes: Diagnostics| eprintln!("{}", mistakes.render(files::color()));
    let Ok(comparison) = Comparison::read(source, &sets).map_err(told) else {
        return BAD_INPUT;
    };
    let limits = options.memory.limits(1);
    for scheme in Scheme::ALL {
        let scenario = comparison.scenario(scheme, comparison.seed, &limits);
        if scenario.map_err(told).is_err() {
            return BAD_INPUT;
        }
    }
    println!(
        "{}: valid: a comparison of {}; {}, {}",
        printable(&source.name),
        counted(Scheme::ALL.len(), "scheme"),
        counted(comparison.switches().len(), "switch"),
        counted(comparison.flows.len(), "flow")
    );
    SUCCESS
}

/// How many flows have a delay bound, and between which they lie.
fn promised(engine: &Engine) -> Option<String> {
    let Engine::Packet(packet) = engine else {
        return None;
    };
    let found = bounds(&packet.network);
    let delays = || found.iter().flatten().map(|bound| bound.delay);
    let time = |delay: Duration| span(delay.ps() as f64);
    let (least, most) = (time(delays().min()?), time(delays().max()?));
    let count = delays().count();
    let have = if count == 1 { "has" } else { "have" };
    let flows = counted(count, "flow");
    Some(match least == most {
        true => format!("{flows} {have} a delay bound, of {least}"),
        false => format!("{flows} {have} a delay bound, from {least} to {most}"),
    })
}

/// What there is to simulate, in numbers.
fn summary(engine: &Engine) -> String {
    match engine {
        Engine::Packet(packet) => {
            let network = &packet.network;
            let legs: usize = network.flows.iter().map(|flow| flow.legs.len()).sum();
            format!(
                "{}, {}, {} over {}, {}",
                counted(network.nodes.len(), "node"),
                counted(network.links.len(), "link"),
                counted(network.flows.len(), "flow"),
                counted(legs, "hop"),
                counted(packet.series.len(), "series")
            )
        }
        Engine::Flit(fabric) => {
            let names: Vec<&str> = fabric.classes.iter().map(|c| c.name.as_str()).collect();
            format!(
                "{}, {} between them, {}; {} of {} a channel; sends {}",
                counted(fabric.graph.routers, "router"),
                counted(fabric.graph.channels.len(), "channel"),
                counted(fabric.graph.inject.len(), "terminal"),
                counted(fabric.router.lanes, "VC"),
                counted(fabric.router.depth, "flit"),
                names.join(", ")
            )
        }
        Engine::Ethernet(ethernet) => {
            let network = &ethernet.network;
            let is_switch = |node: &&NodeSpec| matches!(node.kind, NodeKind::Switch(_));
            let switches = network.nodes.iter().filter(is_switch).count();
            format!(
                "{}, {}, {}, {}, {}, {}",
                counted(network.nodes.len() - switches, "host"),
                counted(switches, "switch"),
                counted(network.links.len(), "link"),
                counted(
                    network
                        .links
                        .first()
                        .map_or(0, |link| link.channels[0].queues.len()),
                    "class"
                ),
                counted(network.flows.len(), "flow"),
                counted(ethernet.series.len(), "series")
            )
        }
    }
}
