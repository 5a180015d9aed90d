//! Ports in rows: which, and in which order.

use std::collections::BTreeMap;

use super::bins::{Bins, Slot};
use super::{Network, part};
use crate::drawn::{Port, Ports};

/// Rows of each drawing at most.
const ROWS: usize = 32;

/// The ports of `network` that were stopped longest, and those with the largest queues.
pub fn ports(network: &Network, bins: &Bins) -> Ports {
    let channels = 0..network.channels.len();
    let sum = |channel: usize| -> u64 { bins.rows().iter().map(|row| row[channel].stopped).sum() };
    let most = |channel: usize| -> u64 {
        let queued = bins.rows().iter().map(|row| row[channel].queued);
        queued.max().unwrap_or(0)
    };
    let is_host = |channel: usize| network.is_host[network.channels[channel].0];
    let first = |channel: usize| {
        let is_stopped = |row: &Vec<Slot>| row[channel].stopped > 0;
        bins.rows().iter().position(is_stopped)
    };
    let (stops, stops_all) = ranked(channels.clone(), sum, |_| false);
    let (queues, queues_all) = ranked(channels, most, is_host);
    let mut stops: Vec<_> = stops.into_iter().map(|at| (first(at), at)).collect();
    stops.sort_by_key(|(first, _)| *first);
    let stops: Vec<usize> = stops.into_iter().map(|(_, at)| at).collect();
    let mut shown: Vec<usize> = stops.iter().chain(&queues).copied().collect();
    shown.sort_unstable();
    shown.dedup();
    let place = |at: usize| shown.iter().position(|one| *one == at).unwrap_or(0);
    let numbers = numbers(network);
    Ports {
        stops: stops.into_iter().map(place).collect(),
        queues: queues.into_iter().map(place).collect(),
        ports: shown
            .iter()
            .map(|&at| port(network, bins, at, numbers[at]))
            .collect(),
        stops_all,
        queues_all,
    }
}

/// The channels with the largest values, the largest first, those named `last` last; and how many
/// have any.
fn ranked(
    channels: impl Iterator<Item = usize>,
    value: impl Fn(usize) -> u64,
    last: impl Fn(usize) -> bool,
) -> (Vec<usize>, usize) {
    let valued = channels.map(|at| (value(at), at));
    let mut valued: Vec<(u64, usize)> = valued.filter(|(value, _)| *value > 0).collect();
    let all = valued.len();
    valued.sort_by_key(|(value, at)| (last(*at), std::cmp::Reverse(*value), *at));
    valued.truncate(ROWS);
    (valued.into_iter().map(|(_, at)| at).collect(), all)
}

/// By channel: the how manieth between its two nodes it is.
fn numbers(network: &Network) -> Vec<usize> {
    let mut seen = BTreeMap::new();
    let number = |ends: &(usize, usize)| {
        let number = seen.entry(*ends).or_insert(0);
        *number += 1;
        *number
    };
    network.channels.iter().map(number).collect()
}

fn port(network: &Network, bins: &Bins, channel: usize, number: usize) -> Port {
    let (from, to) = network.channels[channel];
    let mut start = 0;
    let (mut stopped, mut queued) = (Vec::new(), Vec::new());
    for (index, row) in bins.rows().iter().enumerate() {
        let end = bins.row_end(index);
        stopped.push(part(row[channel].stopped, end - start));
        queued.push(row[channel].queued);
        start = end;
    }
    Port {
        from: network.names[from].clone(),
        to: network.names[to].clone(),
        number,
        is_host: network.is_host[from],
        stuck: network.stuck_at(&[channel]),
        stopped,
        queued,
    }
}
