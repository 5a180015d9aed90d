//! Networks of a regular shape, and graphs read from a file.
//!
//! Every shape has one enumeration of its channels. [`fly`], [`mesh`] and the rest build a graph
//! from it; [`verify`] compares a given graph with it, so that routing by coordinates can rely on
//! the shape a graph claims to have.

mod anynet;
mod edge_list;
mod file;
mod fly;
mod full;
mod grid;
mod tree;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use backwater_kernel::BuildError;

use crate::spec::{ChannelSpec, FLIGHT_MAX, Graph, Shape};

pub use anynet::anynet;
pub use edge_list::edge_list;
pub use file::FileError;

/// Most routers of a graph.
pub const ROUTERS_MAX: u32 = 1 << 24;
/// Most channels between routers.
pub const CHANNELS_MAX: u32 = 1 << 26;
/// Most terminals.
pub const TERMINALS_MAX: u32 = 1 << 24;
/// Most dimensions of a mesh or torus.
pub const DIMENSIONS_MAX: usize = 15;
/// Most output ports of a router, ejection channels included.
pub const PORTS_MAX: u32 = u16::MAX as u32;

/// A k-ary n-fly.
///
/// # Errors
/// If it is empty or too large.
pub fn fly(k: u32, n: u32, latency: u16) -> Result<Graph, BuildError> {
    regular(Shape::Fly { k, n }, latency)
}

/// A mesh with `terminals` at each router.
///
/// # Errors
/// If it is empty or too large.
pub fn mesh(sides: &[u32], terminals: u32, latency: u16) -> Result<Graph, BuildError> {
    let sides = sides.to_vec();
    regular(Shape::Mesh { sides, terminals }, latency)
}

/// A torus with `terminals` at each router.
///
/// # Errors
/// If it is empty or too large.
pub fn torus(sides: &[u32], terminals: u32, latency: u16) -> Result<Graph, BuildError> {
    let sides = sides.to_vec();
    regular(Shape::Torus { sides, terminals }, latency)
}

/// A fat tree: a k-ary n-tree.
///
/// # Errors
/// If it is empty or too large.
pub fn fat_tree(k: u32, n: u32, latency: u16) -> Result<Graph, BuildError> {
    regular(Shape::FatTree { k, n }, latency)
}

/// Routers that all have channels to all others.
///
/// # Errors
/// If it is empty or too large.
pub fn full(routers: u32, terminals: u32, latency: u16) -> Result<Graph, BuildError> {
    regular(Shape::Full { routers, terminals }, latency)
}

/// One router for all terminals. It has no channels to other routers.
///
/// # Errors
/// Without terminals or with too many.
pub fn crossbar(terminals: u32) -> Result<Graph, BuildError> {
    let shape = Shape::Crossbar;
    let size = Size::new(1, 0, u64::from(terminals))?;
    finish(shape, size, Vec::new(), |_| (0, 0))
}

/// How large a graph is.
#[derive(Clone, Copy)]
struct Size {
    routers: u32,
    channels: u32,
    terminals: u32,
}

impl Size {
    fn new(routers: u64, channels: u64, terminals: u64) -> Result<Size, BuildError> {
        Ok(Size {
            routers: bounded("routers", routers, 1, ROUTERS_MAX)?,
            channels: bounded("channels between routers", channels, 0, CHANNELS_MAX)?,
            terminals: bounded("terminals", terminals, 1, TERMINALS_MAX)?,
        })
    }
}

fn bounded(what: &str, count: u64, least: u32, most: u32) -> Result<u32, BuildError> {
    match u32::try_from(count) {
        Ok(count) if (least..=most).contains(&count) => Ok(count),
        _ => Err(BuildError(format!(
            "{count} {what}: allowed are {least} to {most}"
        ))),
    }
}

/// `base` to the power `exponent`, if it is at most `most`.
fn power(base: u32, exponent: u32, most: u32) -> Option<u32> {
    (0..exponent).try_fold(1u32, |product, _| {
        product.checked_mul(base).filter(|product| *product <= most)
    })
}

fn size(shape: &Shape, graph: Option<&Graph>) -> Result<Size, BuildError> {
    match shape {
        Shape::Fly { k, n } => fly::size(*k, *n),
        Shape::Mesh { sides, terminals } => grid::size(sides, *terminals, false),
        Shape::Torus { sides, terminals } => grid::size(sides, *terminals, true),
        Shape::FatTree { k, n } => tree::size(*k, *n),
        Shape::Full { routers, terminals } => full::size(*routers, *terminals),
        Shape::Crossbar | Shape::Irregular => {
            let (routers, channels, terminals) =
                graph.map_or((1, 0, 0), |g| (g.routers, g.channels.len(), g.inject.len()));
            let routers = if *shape == Shape::Crossbar {
                1
            } else {
                routers
            };
            Size::new(routers.into(), channels as u64, terminals as u64)
        }
    }
}

/// Calls `visit` with both ends of every channel of a regular shape, in order.
fn each_channel(shape: &Shape, visit: &mut impl FnMut(u32, u32)) {
    match shape {
        Shape::Fly { k, n } => fly::each_channel(*k, *n, visit),
        Shape::Mesh { sides, .. } => grid::each_channel(sides, false, visit),
        Shape::Torus { sides, .. } => grid::each_channel(sides, true, visit),
        Shape::FatTree { k, n } => tree::each_channel(*k, *n, visit),
        Shape::Full { routers, .. } => full::each_channel(*routers, visit),
        Shape::Crossbar | Shape::Irregular => {}
    }
}

/// Routers a terminal of a regular shape injects into and is served from.
fn homes(shape: &Shape, size: Size, terminal: u32) -> (u32, u32) {
    match shape {
        Shape::Fly { k, .. } => {
            let router = terminal / k;
            (router, size.routers - size.terminals / k + router)
        }
        Shape::FatTree { k, .. } => (terminal / k, terminal / k),
        Shape::Mesh { terminals, .. }
        | Shape::Torus { terminals, .. }
        | Shape::Full { terminals, .. } => (terminal / terminals, terminal / terminals),
        Shape::Crossbar | Shape::Irregular => (0, 0),
    }
}

fn regular(shape: Shape, latency: u16) -> Result<Graph, BuildError> {
    let size = size(&shape, None)?;
    let mut channels = Vec::with_capacity(size.channels as usize);
    each_channel(&shape, &mut |from, to| {
        channels.push(ChannelSpec { from, to, latency })
    });
    let at = shape.clone();
    finish(shape, size, channels, |terminal| homes(&at, size, terminal))
}

fn finish(
    shape: Shape,
    size: Size,
    channels: Vec<ChannelSpec>,
    homes: impl Fn(u32) -> (u32, u32),
) -> Result<Graph, BuildError> {
    let graph = Graph {
        shape,
        routers: size.routers,
        channels,
        inject: (0..size.terminals)
            .map(|terminal| homes(terminal).0)
            .collect(),
        eject: (0..size.terminals)
            .map(|terminal| homes(terminal).1)
            .collect(),
        injection_latency: 1,
        ejection_latency: 1,
        terminal_latency: Vec::new(),
        names: Vec::new(),
    };
    verify_values(&graph)?;
    Ok(graph)
}

/// Checks that a graph is sound and is what its shape says.
///
/// # Errors
/// Says what is wrong: a number out of range, channels out of order, or the first channel or
/// terminal that isn't where the shape has it.
pub fn verify(graph: &Graph) -> Result<(), BuildError> {
    verify_values(graph)?;
    if graph.shape == Shape::Irregular {
        return Ok(());
    }
    let size = size(&graph.shape, Some(graph))?;
    let claimed = (
        size.routers,
        size.channels as usize,
        size.terminals as usize,
    );
    let listed = (graph.routers, graph.channels.len(), graph.inject.len());
    if claimed != listed {
        return Err(BuildError(format!(
            "{:?} has {} routers, {} channels and {} terminals, not {}, {} and {}",
            graph.shape, claimed.0, claimed.1, claimed.2, listed.0, listed.1, listed.2
        )));
    }
    let mut given = graph.channels.iter().enumerate();
    let mut wrong = None;
    each_channel(&graph.shape, &mut |from, to| {
        if let Some((index, channel)) = given.next()
            && (channel.from, channel.to) != (from, to)
        {
            wrong = wrong.or(Some((index, from, to)));
        }
    });
    if let Some((index, from, to)) = wrong {
        return Err(BuildError(format!(
            "channel {index} of {:?} goes from router {from} to {to}, not from {} to {}",
            graph.shape, graph.channels[index].from, graph.channels[index].to
        )));
    }
    for (terminal, listed) in (0..).zip(
        graph
            .inject
            .iter()
            .copied()
            .zip(graph.eject.iter().copied()),
    ) {
        let home = homes(&graph.shape, size, terminal);
        if listed != home {
            return Err(BuildError(format!(
                "terminal {terminal} of {:?} sends to router {} and receives from {}, \
                 not {} and {}",
                graph.shape, home.0, home.1, listed.0, listed.1
            )));
        }
    }
    Ok(())
}

/// What holds for every graph, whatever its shape.
fn verify_values(graph: &Graph) -> Result<(), BuildError> {
    Size::new(
        graph.routers.into(),
        graph.channels.len() as u64,
        graph.inject.len() as u64,
    )?;
    if graph.inject.len() != graph.eject.len() {
        return Err(BuildError(format!(
            "{} terminals inject but {} eject",
            graph.inject.len(),
            graph.eject.len()
        )));
    }
    if !graph.names.is_empty() && graph.names.len() != graph.routers as usize {
        let names = graph.names.len();
        return Err(BuildError(format!(
            "{names} names for {} routers",
            graph.routers
        )));
    }
    latency_in_range(graph.injection_latency, || {
        String::from("injection channels")
    })?;
    latency_in_range(graph.ejection_latency, || String::from("ejection channels"))?;
    for (latency, terminal) in graph.terminal_latency.iter().zip(0_u32..) {
        latency_in_range(*latency, || format!("terminal {terminal}"))?;
    }
    let (latencies, terminals) = (graph.terminal_latency.len(), graph.inject.len());
    if latencies != 0 && latencies != terminals {
        return Err(BuildError(format!(
            "{latencies} latencies for {terminals} terminals"
        )));
    }
    let outside = |router: &&u32| **router >= graph.routers;
    if let Some(router) = graph.inject.iter().chain(&graph.eject).find(outside) {
        return Err(BuildError(format!(
            "a terminal at router {router}: there are only {} routers",
            graph.routers
        )));
    }
    let mut ports = alloc::vec![0u32; graph.routers as usize];
    let mut before = 0;
    for (index, channel) in graph.channels.iter().enumerate() {
        latency_in_range(channel.latency, || format!("channel {index}"))?;
        if channel.from >= graph.routers || channel.to >= graph.routers || channel.from < before {
            return Err(BuildError(format!(
                "channel {index} goes from router {} to {}: allowed are 0 to {}, ordered by `from`",
                channel.from,
                channel.to,
                graph.routers - 1
            )));
        }
        before = channel.from;
        ports[channel.from as usize] += 1;
    }
    for router in &graph.eject {
        ports[*router as usize] += 1;
    }
    match (0..)
        .zip(ports)
        .find(|(_, ports): &(u32, u32)| *ports > PORTS_MAX)
    {
        Some((router, ports)) => Err(BuildError(format!(
            "router {router} has {ports} output ports: at most {PORTS_MAX} are allowed"
        ))),
        None => Ok(()),
    }
}

fn latency_in_range(latency: u16, of: impl Fn() -> String) -> Result<(), BuildError> {
    if (1..=FLIGHT_MAX).contains(&u32::from(latency)) {
        return Ok(());
    }
    let of = of();
    Err(BuildError(format!(
        "latency {latency} of {of}: allowed are 1 to {FLIGHT_MAX} cycles"
    )))
}

#[cfg(test)]
mod tests;
