//! Topologies of the flit engine: how large they are, and their graphs.

use backwater_flit::spec::Graph;
use backwater_flit::topology;
use backwater_kernel::BuildError;

use crate::given::flits::network::{Format, Topology, TopologyKind};
use crate::language::files::{Files, Named};
use crate::prelude::*;

/// A topology before it is built.
pub(crate) struct Plan {
    pub size: Size,
    /// Routers along each dimension of a mesh or a torus; else empty.
    pub sides: Vec<u32>,
    pub is_torus: bool,
    /// The graph knows the latencies of terminals itself.
    knows_terminals: bool,
    build: Build,
}

/// Makes the graph.
type Build = Box<dyn FnOnce() -> Result<Graph, BuildError>>;

/// Numbers of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Size {
    pub routers: u64,
    /// Between routers.
    pub channels: u64,
    pub terminals: u64,
}

impl Plan {
    /// Of so many routers, channels between them, and terminals.
    fn of(
        (routers, channels, terminals): (u64, u64, u64),
        build: impl FnOnce() -> Result<Graph, BuildError> + 'static,
    ) -> Self {
        Self {
            size: Size {
                routers,
                channels,
                terminals,
            },
            sides: Vec::new(),
            is_torus: false,
            knows_terminals: false,
            build: Box::new(build),
        }
    }

    /// A mesh, or a torus.
    fn grid(sides: &[u32], each: u32, is_torus: bool, latency: u16) -> Self {
        let product = |all: u64, side: &u32| all.saturating_mul((*side).into());
        let routers = sides.iter().fold(1_u64, product);
        let channels = if is_torus {
            let around = sides.iter().filter(|side| **side > 1).count() as u64;
            routers.saturating_mul(2 * around)
        } else {
            let line =
                |side: &u32| (routers / u64::from(*side)).saturating_mul(u64::from(2 * (side - 1)));
            sides.iter().map(line).fold(0, u64::saturating_add)
        };
        let terminals = routers.saturating_mul(each.into());
        let sides = sides.to_vec();
        let own = sides.clone();
        let made = Self::of((routers, channels, terminals), move || match is_torus {
            true => topology::torus(&own, each, latency),
            false => topology::mesh(&own, each, latency),
        });
        Self {
            sides,
            is_torus,
            ..made
        }
    }
}

/// Of k^(n - 1) routers in each of n stages, with channels up, or up and down.
fn stages(k: u32, n: u32, ways: u32) -> (u64, u64, u64) {
    let power = |n: u32| u64::from(k).saturating_pow(n);
    let channels = power(n).saturating_mul((ways * (n - 1)).into());
    (power(n - 1).saturating_mul(n.into()), channels, power(n))
}

/// Reads the topology, and its file if it has one; what is too large is refused.
pub(crate) fn plan(
    given: &Placed<Topology>,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Option<Plan> {
    let kind = given.kind.sure()?;
    let latency = kind.latency().map_or(1, |latency| **latency);
    let plan = match kind {
        TopologyKind::Fly { k, n, .. } => {
            let (k, n) = (*k.sure()?, *n.sure()?);
            Plan::of(stages(k, n, 1), move || topology::fly(k, n, latency))
        }
        TopologyKind::FatTree { k, n, .. } => {
            let (k, n) = (*k.sure()?, *n.sure()?);
            Plan::of(stages(k, n, 2), move || topology::fat_tree(k, n, latency))
        }
        TopologyKind::Mesh {
            sides,
            terminals_per_router,
            ..
        } => Plan::grid(sides.sure()?, *terminals_per_router.sure()?, false, latency),
        TopologyKind::Torus {
            sides,
            terminals_per_router,
            ..
        } => Plan::grid(sides.sure()?, *terminals_per_router.sure()?, true, latency),
        TopologyKind::Full {
            routers,
            terminals_per_router,
            ..
        } => {
            let (routers, each) = (*routers.sure()?, *terminals_per_router.sure()?);
            let all = u64::from(routers);
            let size = (all, all * (all - 1), all * u64::from(each));
            Plan::of(size, move || topology::full(routers, each, latency))
        }
        TopologyKind::Crossbar { terminals } => {
            let terminals = *terminals.sure()?;
            Plan::of((1, 0, terminals.into()), move || {
                topology::crossbar(terminals)
            })
        }
        TopologyKind::File {
            terminals_per_router,
            file,
            format,
            latency,
        } => {
            let read = files.read(file.sure()?, &file.at, mistakes)?;
            let format = format.unwrap_or_else(|| format_of(&read.name));
            if let Format::Anynet = format {
                said_by_anynet("latency", latency, mistakes);
                said_by_anynet("terminals_per_router", terminals_per_router, mistakes);
                said_by_anynet("injection_latency", &given.injection_latency, mistakes);
                said_by_anynet("ejection_latency", &given.ejection_latency, mistakes);
            }
            let each = (*terminals_per_router.sure()?, *latency.sure()?);
            from_file(&read, format, each, mistakes)?
        }
    };
    within_bounds(&given.at, plan.size, mistakes).then_some(plan)
}

/// The graph of a file; `each` is what holds where that says nothing.
fn from_file(
    file: &Named,
    format: Format,
    each: (u32, u16),
    mistakes: &mut Diagnostics,
) -> Option<Plan> {
    let graph = match format {
        Format::Anynet => topology::anynet(&file.text),
        Format::Edges => topology::edge_list(&file.text, each.0, each.1),
    };
    let graph = graph.map_err(|e| mistakes.push(file.mistake(e.line, &e.what)));
    let graph = graph.ok()?;
    let (channels, terminals) = (graph.channels.len() as u64, graph.inject.len() as u64);
    let size = (graph.routers.into(), channels, terminals);
    Some(Plan {
        knows_terminals: matches!(format, Format::Anynet),
        ..Plan::of(size, || Ok(graph))
    })
}

/// What an `anynet` file says itself does not count where the scenario says it.
fn said_by_anynet<T>(key: &str, given: &Placed<T>, mistakes: &mut Diagnostics) {
    if given.is_given {
        let what = format!("`{key}` has no effect with an `anynet` file");
        Diagnostic::warning("unused", what)
            .at(&given.at, "not used")
            .help("leave it out; the file says it")
            .tell(mistakes);
    }
}

/// The form of a file, by the ending of its name.
fn format_of(name: &str) -> Format {
    match name.ends_with(".anynet") {
        true => Format::Anynet,
        false => Format::Edges,
    }
}

fn within_bounds(place: &At, size: Size, mistakes: &mut Diagnostics) -> bool {
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
    match (plan.build)() {
        Ok(mut graph) => {
            if !plan.knows_terminals {
                graph.injection_latency = *given.injection_latency;
                graph.ejection_latency = *given.ejection_latency;
            }
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
