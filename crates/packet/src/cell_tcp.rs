//! TCP over cells: connections whose segments are cut into cells of a flow, as AAL 5 does it
//! (ITU-T I.363.5), and put together again at its destination.
//!
//! A connection has two flows, each the other's partner: `Tcp` opens it, `TcpBack` carries what
//! comes back. The protocol is in the crate `ends`; here it meets cells:
//!
//! | File | Holds |
//! |---|---|
//! | `frames` | a direction's frames: which cells are theirs, which came |
//! | `application` | who sends how many bytes, and when |
//! | `connection` | both ends, both directions, the application, the next timer |
//!
//! A frame is a segment's payload with `overhead_bytes` of headers and trailer, in whole cells of
//! `payload_bytes`. All its cells are offered at once and wait for source control: none (UBR) or
//! ABR, whose RM cells take numbers among them. A cell's number in its flow says which frame it is
//! of, as units have no payload; so a cell counts as part of a frame when it gets its number.
//!
//! Not modelled: marks (EFCI does not become ECN); a last cell that is lost costs its own frame
//! only, while AAL 5, which finds the end of a frame by a bit in the last cell, would throw away
//! the next one too; early and partial packet discard; the time hosts take.

mod application;
mod connection;
mod frames;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use backwater_ends::spec::AckSpec;
use backwater_kernel::{Duration, EventQueue, Time};

use crate::build::ends;
use crate::flow::{Delays, Delivery};
use crate::outcome::CellTcpOutcome;
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::source_control::SourceControl;
use crate::spec::{
    CellApplication, CellTcpSpec, FlowSpec, NetworkSpec, SourceControlSpec, TrafficSpec,
};
use crate::timer::Timer;
use crate::unit::NONE;

use connection::{Connection, End};

/// All connections of a network.
pub(crate) struct Connections {
    list: Vec<Connection>,
    /// By flow: which connection's, and which end sends on it.
    sides: Vec<(u32, End)>,
    /// Events of timers that are still to come.
    events: usize,
}

impl Connections {
    /// Those of `spec`, if there are any.
    pub fn new(spec: &NetworkSpec) -> Option<Box<Connections>> {
        let mut connections = Connections {
            list: Vec::new(),
            sides: Vec::new(),
            events: 0,
        };
        let nobody = (NONE, End::Opener);
        connections.sides.resize(spec.flows.len(), nobody);
        for (id, flow) in (0..).zip(&spec.flows) {
            let (TrafficSpec::Tcp(tcp), Some(back)) = (&flow.traffic, flow.partner) else {
                continue;
            };
            let hosts = [flow.source, spec.flows[back as usize].source];
            let index = connections.list.len() as u32;
            let connection = Connection::new(tcp, [id, back], hosts, spec.seed);
            connections.list.push(connection);
            connections.sides[id as usize] = (index, End::Opener);
            connections.sides[back as usize] = (index, End::Answerer);
        }
        (!connections.list.is_empty()).then(|| Box::new(connections))
    }

    /// The connection of a flow, and the end that sends on it.
    fn of(&mut self, flow_id: u32) -> Option<(usize, End)> {
        let (index, end) = self.sides[flow_id as usize];
        (index != NONE).then_some((index as usize, end))
    }

    /// What was found of the connection that `flow_id` opens.
    fn outcome(&self, flow_id: u32) -> Option<CellTcpOutcome> {
        match self.sides[flow_id as usize] {
            (NONE, _) | (_, End::Answerer) => None,
            (index, End::Opener) => Some(self.list[index as usize].outcome()),
        }
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// Sets the first timer of every connection.
    pub(crate) fn start_connections(&mut self) {
        let Some(tcp) = &mut self.network.tcp else {
            return;
        };
        for connection in &mut tcp.list {
            if let Some(first) = connection.arm(Time::ZERO) {
                let opener = connection.flows[0];
                tcp.events += 1;
                self.events.push(Timer::Tcp.at(first, opener));
            }
        }
    }

    /// A cell of data got its number; source control lets it go. To be called for every such cell,
    /// in order, whatever becomes of it.
    #[inline]
    pub(crate) fn on_cell_sent(&mut self, flow_id: u32, number: u32) {
        if self.network.flows[flow_id as usize].delivery == Delivery::Frame {
            self.assign_cell(flow_id, number);
        }
    }

    fn assign_cell(&mut self, flow_id: u32, number: u32) {
        if let Some(tcp) = &mut self.network.tcp
            && let Some((index, end)) = tcp.of(flow_id)
        {
            tcp.list[index].on_cell_sent(end, number);
        }
    }

    /// A cell of data reached the destination of `flow_id`.
    pub(crate) fn on_frame_cell(&mut self, flow_id: u32, number: u32) {
        let (now, is_warm) = (self.now, self.is_warm);
        let Some(tcp) = &mut self.network.tcp else {
            return;
        };
        let Some((index, end)) = tcp.of(flow_id) else {
            return;
        };
        let connection = &mut tcp.list[index];
        let Some(segment) = connection.on_cell(end, number) else {
            return;
        };
        let answered = connection.on_segment(now, end.other(), &segment, is_warm);
        if let Some(issued) = answered {
            let counts = &mut self.network.flows[flow_id as usize].counts;
            Delays::record(&mut counts.responses, issued, now);
        }
        self.attend(index);
    }

    /// The timer of the connection that `flow_id` opens.
    pub(crate) fn on_tcp_timer(&mut self, flow_id: u32) {
        let now = self.now;
        let Some(tcp) = &mut self.network.tcp else {
            return;
        };
        tcp.events -= 1;
        if let Some((index, _)) = tcp.of(flow_id)
            && tcp.list[index].on_timer(now)
        {
            self.attend(index);
        }
    }

    /// Is nothing to come but timers of connections that wait for nothing any more? A timer that
    /// is stopped leaves its event behind.
    #[inline]
    pub(crate) fn is_left_over(&self) -> bool {
        let tcp = self.network.tcp.as_ref();
        tcp.is_some_and(|tcp| {
            tcp.events == self.events.len() && !tcp.list.iter().any(Connection::waits)
        })
    }

    /// Offers the cells of new frames to source control, and sees to the next timer.
    fn attend(&mut self, index: usize) {
        let now = self.now;
        let Some(tcp) = &mut self.network.tcp else {
            return;
        };
        let connection = &mut tcp.list[index];
        let (flows, cells) = (connection.flows, connection.take_cells());
        if let Some(due) = connection.arm(now) {
            tcp.events += 1;
            self.schedule(Timer::Tcp.at(due, flows[0]));
        }
        for (flow_id, cells) in flows.into_iter().zip(cells) {
            if cells > 0 {
                self.offer_frames(flow_id, cells);
            }
        }
    }

    fn offer_frames(&mut self, flow_id: u32, cells: u64) {
        let flow = &mut self.network.flows[flow_id as usize];
        flow.backlog = flow.backlog.saturating_add(cells);
        if let SourceControl::Abr(_) = flow.control {
            // Its slots come in phase Inject, this may be an earlier one.
            self.offer_cells(flow_id, cells);
            return self.await_slot(flow_id);
        }
        self.pump(flow_id);
    }

    /// What was found of the connection that `flow_id` opens, if it opens one.
    pub(crate) fn tcp_outcome(&self, flow_id: u32) -> Option<CellTcpOutcome> {
        self.network.tcp.as_ref()?.outcome(flow_id)
    }
}

/// Refuses connections that can't work.
pub(crate) fn check(spec: &NetworkSpec, flow_id: usize) -> Result<(), String> {
    let flow = &spec.flows[flow_id];
    match &flow.traffic {
        TrafficSpec::Tcp(tcp) => {
            let back = flow.partner.and_then(|id| spec.flows.get(id as usize));
            let is_back = |other: &&FlowSpec| other.traffic == TrafficSpec::TcpBack;
            let Some(back) = back.filter(is_back) else {
                return Err("a TCP connection needs a partner with traffic `tcp-back`".into());
            };
            if target(spec, flow) != Some(back.source) || target(spec, back) != Some(flow.source) {
                return Err(format!("`{}` does not lead back to its source", back.name));
            }
            check_carrier(flow)?;
            check_carrier(back).map_err(|what| format!("`{}`: {what}", back.name))?;
            check_tcp(tcp)
        }
        TrafficSpec::TcpBack => {
            let opens = |other: &&FlowSpec| {
                let names_it = other.partner.is_some_and(|id| id as usize == flow_id);
                names_it && matches!(other.traffic, TrafficSpec::Tcp(_))
            };
            match spec.flows.iter().filter(opens).count() {
                1 => Ok(()),
                count => Err(format!("it carries back {count} TCP connections, not one")),
            }
        }
        _ => Ok(()),
    }
}

/// The only destination of a flow.
fn target(spec: &NetworkSpec, flow: &FlowSpec) -> Option<u32> {
    let is_parent = |leg: usize| flow.legs.iter().any(|one| one.parent == Some(leg as u32));
    let mut leaves = (0..flow.legs.len()).filter(|&leg| !is_parent(leg));
    let leaf = leaves.next()?;
    if leaves.next().is_some() {
        return None;
    }
    ends(spec, flow.legs[leaf].channel).map(|(_, to)| to)
}

/// What carries segments: cells of one size, each of which gets a number and keeps its order.
fn check_carrier(flow: &FlowSpec) -> Result<(), String> {
    let is_free = matches!(
        flow.source_control,
        SourceControlSpec::None | SourceControlSpec::Abr(_)
    );
    if !is_free {
        return Err("TCP has a window of its own: it goes with no source control, or ABR".into());
    }
    if flow.envelope.is_some() || flow.session.is_some() || !flow.sizes.is_empty() {
        return Err("TCP goes without envelope, session and random sizes".into());
    }
    Ok(())
}

fn check_tcp(spec: &CellTcpSpec) -> Result<(), String> {
    let zero = Duration::ZERO;
    let timer = &spec.tcp.timer;
    let stands_still = timer.tick == Some(zero)
        || [timer.initial_rto, timer.min_rto, timer.max_rto].contains(&zero)
        || spec.tcp.acks == AckSpec::DelayedTick(zero);
    if stands_still || spec.tcp.mss_bytes == 0 {
        return Err("its TCP needs segments, ticks and time-outs above zero".into());
    }
    match spec.application {
        CellApplication::Requests {
            request_bytes,
            response_bytes,
            ..
        } if request_bytes == 0 || response_bytes == 0 => {
            Err("requests and responses need at least one byte".into())
        }
        _ => Ok(()),
    }
}
