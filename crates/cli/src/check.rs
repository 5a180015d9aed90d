//! `backwater check`.

use std::path::PathBuf;

use ethernet::spec::{NodeKind, NodeSpec};
use kernel::Duration;
use packet::bound::bounds;
use results::number::span;
use scenario::Engine;

use crate::{BAD_INPUT, Changes, SUCCESS, files};

/// Scenario files to check.
#[derive(clap::Args)]
pub struct Options {
    /// Scenario files; `-` is standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    changes: Changes,
}

/// Checks every file, and says so of each.
pub fn check(options: &Options) -> u8 {
    let mut status = SUCCESS;
    for path in &options.files {
        match files::load(path, &options.changes) {
            Ok((source, scenario)) => {
                println!("{}: sound: {}", source.name, summary(&scenario.engine));
                if let Some(promised) = promised(&scenario.engine) {
                    println!("{}: {promised}", source.name);
                }
            }
            Err(()) => status = BAD_INPUT,
        }
    }
    status
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
    Some(match delays().count() {
        1 => format!("1 flow has a delay bound, of {least}"),
        count if least == most => format!("{count} flows have a delay bound, of {least}"),
        count => format!("{count} flows have a delay bound, from {least} to {most}"),
    })
}

/// What there is to simulate, in numbers.
fn summary(engine: &Engine) -> String {
    match engine {
        Engine::Packet(packet) => {
            let network = &packet.network;
            let legs: usize = network.flows.iter().map(|flow| flow.legs.len()).sum();
            format!(
                "{} nodes, {} links, {} flows over {legs} hops, {} series",
                network.nodes.len(),
                network.links.len(),
                network.flows.len(),
                packet.series.len()
            )
        }
        Engine::Flit(fabric) => {
            let names: Vec<&str> = fabric.classes.iter().map(|c| c.name.as_str()).collect();
            format!(
                "{} routers, {} channels between them, {} terminals; {} x {} flits a channel; \
                 sends {}",
                fabric.graph.routers,
                fabric.graph.channels.len(),
                fabric.graph.inject.len(),
                fabric.router.lanes,
                fabric.router.depth,
                names.join(", ")
            )
        }
        Engine::Ethernet(ethernet) => {
            let network = &ethernet.network;
            let is_switch = |node: &&NodeSpec| matches!(node.kind, NodeKind::Switch(_));
            let switches = network.nodes.iter().filter(is_switch).count();
            format!(
                "{} stations, {switches} switches, {} links, {} classes, {} flows, {} series",
                network.nodes.len() - switches,
                network.links.len(),
                network
                    .links
                    .first()
                    .map_or(0, |link| link.forward.queues.len()),
                network.flows.len(),
                ethernet.series.len()
            )
        }
    }
}
