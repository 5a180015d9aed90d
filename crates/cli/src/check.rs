//! `backwater check`.

use std::path::PathBuf;

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
            }
            Err(()) => status = BAD_INPUT,
        }
    }
    status
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
    }
}
