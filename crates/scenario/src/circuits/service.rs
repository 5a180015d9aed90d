//! Which unit leaves a port next, memory that flows share, what to measure.

use backwater_kernel::{Duration, Time};
use backwater_net::spec::{FlowSpec, LinkSpec, NodeKind, PoolSpec, Ratio, SchedulerSpec};

use crate::MeasureSpec;
use crate::circuits::explicit_rate;
use crate::circuits::topology::Graph;
use crate::given::circuits::service::{LARGEST_UNIT, Scheduler, Shared};
use crate::given::circuits::{PacketFile, WINDOWS};
use crate::prelude::*;

/// Gives every quantum that is not given the largest unit of any flow.
pub(crate) fn fill_quantum(links: &mut [LinkSpec], flows: &[FlowSpec]) {
    let largest = flows.iter().map(|flow| flow.unit_bytes).max().unwrap_or(1);
    let channels = links.iter_mut().flat_map(|link| &mut link.channels);
    for channel in channels {
        if let SchedulerSpec::Drr { quantum_bytes } = &mut channel.scheduler
            && *quantum_bytes == LARGEST_UNIT
        {
            *quantum_bytes = largest;
        }
    }
}

/// Does it serve flows by what they reserve?
pub(crate) fn serves_by_reservation(scheduler: SchedulerSpec) -> bool {
    use SchedulerSpec as S;
    matches!(
        scheduler,
        S::VirtualClock(_) | S::Wfq | S::Wf2qPlus | S::Scfq | S::Sfq | S::Drr { .. } | S::Edf
    )
}

/// Gives every switch the memory of `buffer.shared`.
pub(crate) fn add_shared(file: &PacketFile, graph: &mut Graph) {
    let Some(own) = file.buffer.shared.as_ref() else {
        return;
    };
    for (node, around) in graph.nodes.iter_mut().zip(&graph.neighbours) {
        if node.kind == NodeKind::Switch {
            node.pool = Some(shared(own, around.len() as u64));
        }
    }
}

/// The memory of a switch with so many ports.
fn shared(own: &Shared, ports: u64) -> PoolSpec {
    let of_ports = own.per_port.map(|each| each.saturating_mul(ports.max(1)));
    PoolSpec {
        limit_units: *own.units,
        limit_bytes: own.bytes.or(of_ports),
        when_full: own.when_full.into(),
        hold: own.hold.into(),
        alpha: own.alpha.map(|(numerator, denominator)| Ratio {
            numerator,
            denominator,
        }),
    }
}

/// What to measure of ports.
pub(crate) fn measure(file: &PacketFile, stop_at: Time) -> MeasureSpec {
    let own = file.measure.as_ref();
    let ports = own.and_then(|own| own.ports);
    let window = own.and_then(|own| own.window);
    MeasureSpec {
        ports: ports
            .unwrap_or_else(|| file.buffer.shared.is_given || schedulers(file).next().is_some()),
        window: window.unwrap_or(Duration((stop_at.0 / WINDOWS.value).max(1))),
    }
}

/// Every `scheduler` table of the file.
pub(crate) fn schedulers(file: &PacketFile) -> impl Iterator<Item = &Scheduler> {
    let of_links = file.link_tables().map(|link| &link.scheduler);
    let tables = [&file.scheduler].into_iter().chain(of_links);
    tables.filter_map(|table| table.as_ref())
}

/// Where the discipline of a channel's port stands: its table, or the file. Slow: for messages.
pub(crate) fn scheduler_at(file: &Placed<PacketFile>, graph: &Graph, channel: u32) -> At {
    let tables = explicit_rate::tables_of(file, graph, channel);
    let mut schedulers = tables.map(|link| &link.scheduler).chain([&file.scheduler]);
    let found = schedulers.find_map(Placed::place);
    found.unwrap_or(&file.at).clone()
}
