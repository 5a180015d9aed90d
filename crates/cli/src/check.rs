//! `backwater check`.

use std::path::PathBuf;

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
                let network = &scenario.network;
                let legs: usize = network.flows.iter().map(|flow| flow.legs.len()).sum();
                println!(
                    "{}: sound: {} nodes, {} links, {} flows over {legs} hops, {} series",
                    source.name,
                    network.nodes.len(),
                    network.links.len(),
                    network.flows.len(),
                    scenario.series.len()
                );
            }
            Err(()) => status = BAD_INPUT,
        }
    }
    status
}
