//! Topologies of the flit engine: how large they are, and their graphs.

use backwater_flit::spec::Graph;
use backwater_flit::topology;
use backwater_kernel::BuildError;

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::files::Files;
use crate::given::flit::network::{Format, Topology, TopologyKind};
use crate::source::At;
use crate::typed::Placed;

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
        // Of k^(n - 1) routers in each of n stages, with channels up, or up and down.
        let stages = |k: u32, n: u32, ways: u32| {
            let power = |n: u32| u64::from(k).saturating_pow(n);
            let channels = power(n).saturating_mul((ways * (n - 1)).into());
            (power(n - 1).saturating_mul(n.into()), channels, power(n))
        };
        let (routers, channels, terminals) = match self {
            Self::Fly { k, n } => stages(*k, *n, 1),
            Self::FatTree { k, n } => stages(*k, *n, 2),
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
            Self::Fly { .. }
            | Self::FatTree { .. }
            | Self::Full { .. }
            | Self::Crossbar { .. }
            | Self::File(_) => &[],
        }
    }
}

/// Reads the topology, and its file if it has one; what is too large is refused.
pub(crate) fn plan(
    topology: &Placed<Topology>,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Option<Plan> {
    let plan = match topology.kind.sure()? {
        TopologyKind::Fly { k, n, .. } => Plan::Fly {
            k: *k.sure()?,
            n: *n.sure()?,
        },
        TopologyKind::FatTree { k, n, .. } => Plan::FatTree {
            k: *k.sure()?,
            n: *n.sure()?,
        },
        TopologyKind::Mesh {
            sides,
            terminals_per_router,
            ..
        } => Plan::Mesh {
            sides: sides.sure()?.clone(),
            each: *terminals_per_router.sure()?,
        },
        TopologyKind::Torus {
            sides,
            terminals_per_router,
            ..
        } => Plan::Torus {
            sides: sides.sure()?.clone(),
            each: *terminals_per_router.sure()?,
        },
        TopologyKind::Full {
            routers,
            terminals_per_router,
            ..
        } => Plan::Full {
            routers: *routers.sure()?,
            each: *terminals_per_router.sure()?,
        },
        TopologyKind::Crossbar { terminals } => Plan::Crossbar {
            terminals: *terminals.sure()?,
        },
        TopologyKind::File {
            terminals_per_router,
            file,
            format,
            latency,
        } => {
            let file = files.read(file.sure()?, &file.at, mistakes)?;
            let graph = match format.unwrap_or_else(|| format_of(&file.name)) {
                Format::Anynet => topology::anynet(&file.text),
                Format::Edges => {
                    topology::edge_list(&file.text, *terminals_per_router.sure()?, *latency.sure()?)
                }
            };
            let graph = graph.map_err(|e| mistakes.push(file.mistake(e.line, &e.what)));
            Plan::File(graph.ok()?)
        }
    };
    within_bounds(&topology.at, &plan, mistakes).then_some(plan)
}

/// The form of a file, by the ending of its name.
fn format_of(name: &str) -> Format {
    match name.ends_with(".anynet") {
        true => Format::Anynet,
        false => Format::Edges,
    }
}

fn within_bounds(place: &At, plan: &Plan, mistakes: &mut Diagnostics) -> bool {
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
    Diagnostic::error("too-large", format!("the topology has too many {what}"))
        .at(place, format!("{} {what}", shown(count)))
        .note(format!("at most {most} {what} can be made"))
        .tell(mistakes);
    false
}

fn shown(count: u64) -> String {
    if count == u64::MAX {
        "more than 10^19".into()
    } else {
        count.to_string()
    }
}

/// Builds the graph.
pub(crate) fn graph(
    given: &Placed<Topology>,
    plan: Plan,
    mistakes: &mut Diagnostics,
) -> Option<Graph> {
    let latency = given.kind.latency().map_or(1, |latency| **latency);
    let built = match plan {
        Plan::Fly { k, n } => topology::fly(k, n, latency),
        Plan::Mesh { sides, each } => topology::mesh(&sides, each, latency),
        Plan::Torus { sides, each } => topology::torus(&sides, each, latency),
        Plan::FatTree { k, n } => topology::fat_tree(k, n, latency),
        Plan::Full { routers, each } => topology::full(routers, each, latency),
        Plan::Crossbar { terminals } => topology::crossbar(terminals),
        Plan::File(graph) => Ok(graph),
    };
    match built {
        Ok(mut graph) => {
            graph.injection_latency = *given.injection_latency;
            graph.ejection_latency = *given.ejection_latency;
            Some(graph)
        }
        Err(BuildError(what)) => {
            Diagnostic::error("bad-topology", "the network can't be made")
                .at(&given.at, what)
                .note("a router has at most 65535 ports, a mesh or torus 15 dimensions")
                .tell(mistakes);
            None
        }
    }
}
