//! Switches in a line or a ring, hosts around them.

use super::{Graph, Position, turn};

/// Hosts side by side at one switch.
const SIDE: f64 = 0.62;
/// So few have more room.
const FEW: usize = 6;

/// Places, if switches form one line, one ring, or there is only one.
pub fn layout(graph: &Graph) -> Option<Vec<Position>> {
    let switches = graph.switches();
    let single = |node: &usize| !graph.is_host[*node] || graph.near[*node].len() == 1;
    let degree = |node: &usize| graph.near_switches(*node).count();
    let is_plain = (0..graph.is_host.len()).all(|node| single(&node))
        && switches.iter().all(|node| degree(node) <= 2);
    if switches.is_empty() || !is_plain {
        return None;
    }
    let end = switches.iter().copied().find(|node| degree(node) < 2);
    let order = walk(graph, end.unwrap_or(switches[0]));
    if order.len() < switches.len() {
        return None;
    }
    Some(match end {
        Some(_) => line(graph, &order),
        None => ring(graph, &order),
    })
}

/// Switches one after the other.
fn walk(graph: &Graph, start: usize) -> Vec<usize> {
    let mut order = vec![start];
    let mut at = start;
    while let Some(next) = graph.near_switches(at).find(|node| !order.contains(node)) {
        order.push(next);
        at = next;
    }
    order
}

fn line(graph: &Graph, order: &[usize]) -> Vec<Position> {
    let mut places = vec![(0.0, 0.0); graph.is_host.len()];
    let last = order.len() - 1;
    for (index, &switch) in order.iter().enumerate() {
        let x = index as f64 * 1.4;
        places[switch] = (x, 0.0);
        let hosts = graph.hosts_at(switch);
        let (left, right) = match (index == 0, index == last) {
            (true, true) => hosts.split_at(hosts.len().div_ceil(2)),
            (true, false) => (&hosts[..], &[][..]),
            (false, true) => (&[][..], &hosts[..]),
            (false, false) => {
                across(&hosts, x, &mut places);
                continue;
            }
        };
        column(left, x - 1.4, &mut places);
        column(right, x + 1.4, &mut places);
    }
    places
}

/// One above the other.
fn column(hosts: &[usize], x: f64, places: &mut [Position]) {
    let gap = if hosts.len() <= FEW { 0.9 } else { SIDE };
    let middle = (hosts.len() as f64 - 1.0) / 2.0;
    for (index, &host) in hosts.iter().enumerate() {
        places[host] = (x, (index as f64 - middle) * gap);
    }
}

/// Below and above, by turns, in rows.
fn across(hosts: &[usize], x: f64, places: &mut [Position]) {
    for (index, &host) in hosts.iter().enumerate() {
        let (row, side) = (index / 2, if index % 2 == 0 { 1.0 } else { -1.0 });
        let shift = match hosts.len() > 2 {
            true => (row % 2) as f64 * SIDE - SIDE / 2.0,
            false => 0.0,
        };
        places[host] = (x + shift, side * (1.0 + (row / 2) as f64 * SIDE));
    }
}

fn ring(graph: &Graph, order: &[usize]) -> Vec<Position> {
    let mut places = vec![(0.0, 0.0); graph.is_host.len()];
    let count = order.len() as f64;
    let most = order.iter().map(|node| graph.hosts_at(*node).len()).max();
    let most = most.unwrap_or(0) as f64;
    // Neighbours 1.3 apart, hosts not closer than they may be.
    let radius = (count * 0.21).max(0.9).max(count * most * SIDE / 6.2 - 1.0);
    for (index, &switch) in order.iter().enumerate() {
        let at = (index as f64 + 0.5) / count - 0.25;
        let (cos, sin) = turn(at);
        places[switch] = (radius * cos, radius * sin);
        let hosts = graph.hosts_at(switch);
        let middle = (hosts.len() as f64 - 1.0) / 2.0;
        for (nth, host) in hosts.into_iter().enumerate() {
            let (cos, sin) =
                turn(at + (nth as f64 - middle) * SIDE / (std::f64::consts::TAU * (radius + 1.0)));
            places[host] = ((radius + 1.0) * cos, (radius + 1.0) * sin);
        }
    }
    places
}
