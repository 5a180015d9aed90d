//! Topologies of the flit engine: how large they are, and their graphs.

use flit::BuildError;
use flit::spec::Graph;
use flit::topology;

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::files::Files;
use crate::record::Record;

/// A topology before it is built.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    Fly {
        k: u32,
        n: u32,
    },
    Mesh {
        sides: Vec<u32>,
        each: u32,
    },
    Torus {
        sides: Vec<u32>,
        each: u32,
    },
    FatTree {
        k: u32,
        n: u32,
    },
    Full {
        routers: u32,
        each: u32,
    },
    Crossbar {
        terminals: u32,
    },
    /// Read from a file already.
    File(Graph),
}

/// Numbers of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Size {
    pub routers: u64,
    /// Between routers.
    pub channels: u64,
    pub terminals: u64,
}

impl Plan {
    pub(crate) fn terminals(&self) -> u64 {
        self.size().terminals
    }

    pub(crate) fn size(&self) -> Size {
        let product = |sides: &[u32]| {
            sides
                .iter()
                .fold(1_u64, |all, side| all.saturating_mul((*side).into()))
        };
        let power = |k: u32, n: u32| u64::from(k).saturating_pow(n);
        let (routers, channels, terminals) = match self {
            Self::Fly { k, n } => {
                let row = power(*k, n - 1);
                let all = power(*k, *n);
                (
                    row.saturating_mul((*n).into()),
                    all.saturating_mul((n - 1).into()),
                    all,
                )
            }
            Self::FatTree { k, n } => {
                let row = power(*k, n - 1);
                let all = power(*k, *n);
                (
                    row.saturating_mul((*n).into()),
                    all.saturating_mul((2 * (n - 1)).into()),
                    all,
                )
            }
            Self::Mesh { sides, each } => {
                let routers = product(sides);
                let line = |side: &u32| {
                    (routers / u64::from(*side)).saturating_mul(u64::from(2 * (side - 1)))
                };
                let channels = sides.iter().map(line).fold(0, u64::saturating_add);
                (routers, channels, routers.saturating_mul((*each).into()))
            }
            Self::Torus { sides, each } => {
                let routers = product(sides);
                let around = sides.iter().filter(|side| **side > 1).count() as u64;
                let channels = routers.saturating_mul(2 * around);
                (routers, channels, routers.saturating_mul((*each).into()))
            }
            Self::Full { routers, each } => {
                let routers = u64::from(*routers);
                (routers, routers * (routers - 1), routers * u64::from(*each))
            }
            Self::Crossbar { terminals } => (1, 0, (*terminals).into()),
            Self::File(graph) => (
                graph.routers.into(),
                graph.channels.len() as u64,
                graph.inject.len() as u64,
            ),
        };
        Size {
            routers,
            channels,
            terminals,
        }
    }

    /// Routers along each dimension.
    pub(crate) fn sides(&self) -> &[u32] {
        match self {
            Self::Mesh { sides, .. } | Self::Torus { sides, .. } => sides,
            _ => &[],
        }
    }
}

/// Reads the topology, and its file if it has one; what is too large is refused.
pub(crate) fn plan(
    root: &Record,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Option<Plan> {
    let table = root.record("topology")?;
    let each = || table.count("terminals_per_router");
    let sides = || {
        let sides = table.wholes("sides");
        (!sides.is_empty()).then(|| sides.iter().map(|side| *side as u32).collect())
    };
    let plan = match table.word("kind") {
        "fly" => Plan::Fly {
            k: table.count("k")?,
            n: table.count("n")?,
        },
        "fat-tree" => Plan::FatTree {
            k: table.count("k")?,
            n: table.count("n")?,
        },
        "mesh" => Plan::Mesh {
            sides: sides()?,
            each: each()?,
        },
        "torus" => Plan::Torus {
            sides: sides()?,
            each: each()?,
        },
        "full" => Plan::Full {
            routers: table.count("routers")?,
            each: each()?,
        },
        "crossbar" => Plan::Crossbar {
            terminals: table.count("terminals")?,
        },
        "file" => Plan::File(read_file(table, files, mistakes)?),
        _ => return None,
    };
    within_bounds(table, &plan, mistakes).then_some(plan)
}

fn within_bounds(table: &Record, plan: &Plan, mistakes: &mut Diagnostics) -> bool {
    let size = plan.size();
    let bounds = [
        (size.routers, topology::ROUTERS_MAX, "routers"),
        (
            size.channels,
            topology::CHANNELS_MAX,
            "channels between routers",
        ),
        (size.terminals, topology::TERMINALS_MAX, "terminals"),
    ];
    let Some((count, most, what)) = bounds.into_iter().find(|b| b.0 > u64::from(b.1)) else {
        return true;
    };
    mistakes.push(
        Diagnostic::error("too-large", format!("the topology has too many {what}"))
            .at(table.at.clone(), format!("{} {what}", shown(count)))
            .note(format!("at most {most} {what} can be made")),
    );
    false
}

fn shown(count: u64) -> String {
    if count == u64::MAX {
        "more than 10^19".into()
    } else {
        count.to_string()
    }
}

fn read_file(table: &Record, files: &mut Files<'_>, mistakes: &mut Diagnostics) -> Option<Graph> {
    let file = files.read(table, "file", mistakes)?;
    let is_anynet = match table.word("format") {
        "" => file.name.ends_with(".anynet"),
        format => format == "anynet",
    };
    let graph = if is_anynet {
        topology::anynet(&file.text)
    } else {
        let each = table.count("terminals_per_router")?;
        topology::edge_list(&file.text, each, table.whole("latency")? as u16)
    };
    graph
        .map_err(|error| mistakes.push(file.mistake(error.line, &error.what)))
        .ok()
}

/// Builds the graph.
pub(crate) fn graph(root: &Record, plan: Plan, mistakes: &mut Diagnostics) -> Option<Graph> {
    let table = root.record("topology")?;
    let latency = || table.whole("latency").map_or(1, |cycles| cycles as u16);
    let built = match plan {
        Plan::Fly { k, n } => topology::fly(k, n, latency()),
        Plan::Mesh { sides, each } => topology::mesh(&sides, each, latency()),
        Plan::Torus { sides, each } => topology::torus(&sides, each, latency()),
        Plan::FatTree { k, n } => topology::fat_tree(k, n, latency()),
        Plan::Full { routers, each } => topology::full(routers, each, latency()),
        Plan::Crossbar { terminals } => topology::crossbar(terminals),
        Plan::File(graph) => Ok(graph),
    };
    match built {
        Ok(mut graph) => {
            graph.injection_latency = table.whole("injection_latency")? as u16;
            graph.ejection_latency = table.whole("ejection_latency")? as u16;
            Some(graph)
        }
        Err(BuildError(what)) => {
            mistakes.push(
                Diagnostic::error("bad-topology", "the network can't be made")
                    .at(table.at.clone(), what)
                    .note("a router has at most 65535 ports, a mesh or torus 15 dimensions"),
            );
            None
        }
    }
}
