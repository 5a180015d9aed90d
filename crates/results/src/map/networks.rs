//! Networks of each kind, as they are drawn over time.

use backwater_flit::spec::Shape;
use backwater_kernel::Channels;

use super::bins::Bins;
use super::layout::Position;
use super::{Network, over_time};
use crate::drawn::{OverTime, Units};
use crate::events::{self, Findings, names};
use crate::fabric::{FabricFindings, FabricNames};
use crate::series::time_units;

/// Circuits or frames over time.
pub fn network<N: events::Network>(run: &Findings<'_, N>, bins: &Bins) -> Option<OverTime> {
    let mut flows = vec![Vec::new(); run.network.links().len() * 2];
    for (flow, way) in (0..).zip(run.network.ways()) {
        for channel in way {
            flows[channel as usize].push(names::flow(run.network, flow));
        }
    }
    let waits = run.outcome.standstill.iter().flat_map(|still| &still.waits);
    let stuck = waits.filter_map(|wait| N::stuck(&run.outcome, wait));
    let nodes = (0..).map_while(|node| run.network.node(node));
    let (nodes, is_host): (Vec<String>, Vec<bool>) = nodes
        .map(|(name, is_switch)| (name.into(), !is_switch))
        .unzip();
    let ends = run.network.links().channels();
    let ends = ends.map(|channel| run.network.links().ends(channel));
    let drawn = Network {
        places: vec![None; nodes.len()],
        names: nodes,
        is_host,
        channels: ends
            .map(|(from, to)| (from as usize, to as usize))
            .collect(),
        flows,
        stuck: stuck
            .map(|(channel, what)| (channel as usize, what))
            .collect(),
    };
    let (time, ps, other_time) = time_units(bins.end(), run.cell);
    let units = Units {
        time,
        time_scale: 1.0 / ps,
        other_time: Some(other_time),
        busy_per_step: 1,
        ..N::read_as()
    };
    over_time(&drawn, bins, units)
}

/// Flits over time: routers alone, with their terminals' channels as those of a host beside each.
pub fn flits(run: &FabricFindings<'_>, bins: &Bins) -> Option<OverTime> {
    let (graph, names) = (&run.spec.graph, run.names());
    let routers = graph.routers as usize;
    let mut channels: Vec<(usize, usize)> = graph
        .channels
        .iter()
        .map(|channel| (channel.from as usize, channel.to as usize))
        .collect();
    let known: Vec<Option<Position>> = (0..graph.routers)
        .map(|router| place(&graph.shape, &names, router))
        .collect();
    // Terminals are drawn where there are few, and where a shape has no places of its own.
    let terminals = graph.inject.len();
    let has_places = known.iter().all(Option::is_some);
    let ends_drawn = match has_places || routers + terminals > super::NODES_MOST {
        true => 0,
        false => terminals,
    };
    let terminal = |at: usize| routers + at;
    if ends_drawn > 0 {
        let inject = graph.inject.iter().enumerate();
        channels.extend(inject.map(|(at, to)| (terminal(at), *to as usize)));
        let eject = graph.eject.iter().enumerate();
        channels.extend(eject.map(|(at, from)| (*from as usize, terminal(at))));
    }
    let node_names = (0..graph.routers).map(|router| names.router_on_map(router));
    let node_names = node_names.chain((0..ends_drawn as u32).map(|at| names.terminal(at)));
    let mut places = known;
    if !has_places {
        places.fill(None);
    }
    places.extend(vec![None; ends_drawn]);
    let still = run.outcome.standstill.iter().flat_map(|still| &still.waits);
    let stuck = still.flat_map(|held| {
        let packet = format!(
            "packet from terminal {} to {}",
            held.source, held.destination
        );
        let (at, next) = (held.at, held.waits_for);
        let holds = format!("VC {}: the {packet} holds it", at.1);
        let waits = format!("VC {}: the {packet} waits for it", next.1);
        [(at.0 as usize, holds), (next.0 as usize, waits)]
    });
    let network = Network {
        names: node_names.collect(),
        is_host: (0..routers + ends_drawn)
            .map(|node| node >= routers)
            .collect(),
        places,
        flows: Vec::new(),
        stuck: stuck.collect(),
        channels,
    };
    let units = Units {
        time: "cycles",
        time_scale: 1.0,
        other_time: None,
        queue: "flits",
        queue_scale: 1.0,
        stop: "a VC holds a flit and has no credit, share of samples",
        stops_are_exact: false,
        by: "without credit from",
        buffer: "number of flits in the buffers at the far end",
        busy_per_step: 1,
    };
    over_time(&network, bins, units)
}

/// Where a router stands in a grid of one or two dimensions, or in stages.
fn place(shape: &Shape, names: &FabricNames<'_>, router: u32) -> Option<Position> {
    match shape {
        Shape::Mesh { sides, .. } | Shape::Torus { sides, .. } => {
            let at = crate::fabric::coordinates(sides, router)?;
            let at: Vec<f64> = at.iter().map(|side| f64::from(*side)).collect();
            match (shape, &at[..]) {
                (_, [x, y]) => Some((*x, -*y)),
                (Shape::Mesh { .. }, [x]) => Some((*x, 0.0)),
                (_, [x, y, z]) => {
                    let across = f64::from(sides[2]).sqrt().ceil();
                    let (column, row) = (z % across, (z / across).floor());
                    let (width, height) = (f64::from(sides[0]) + 1.0, f64::from(sides[1]) + 1.0);
                    Some((x + column * width, -(y + row * height)))
                }
                _ => None,
            }
        }
        Shape::Fly { k, n } => {
            let (stage, index) = names.level(router)?;
            let rows = f64::from(k.checked_pow(n - 1)?);
            Some((
                f64::from(stage) * (rows * 0.3).max(1.2),
                f64::from(index) * 0.7,
            ))
        }
        Shape::FatTree { k, n } => {
            let (level, index) = names.level(router)?;
            let rows = f64::from(k.checked_pow(n - 1)?);
            Some((
                f64::from(index) * 0.9,
                -f64::from(level) * (rows * 0.2).max(1.2),
            ))
        }
        _ => None,
    }
}
