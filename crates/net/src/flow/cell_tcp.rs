//! TCP over cells: connections whose segments are cut into cells of a flow, as AAL 5 does it
//! (ITU-T I.363.5), and put together again at its destination.
//!
//! A connection has two flows, each the other's partner: `Tcp` opens it, `TcpBack` carries what
//! comes back. The protocol, the frames and the application are in `ends`
//! (`application/over_cells`); here a connection meets flows, source control and events.

mod steps;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use backwater_ends::application::over_cells::{Connection, End};
use backwater_ends::spec::AckSpec;
use backwater_kernel::{Duration, Time};

use crate::hop::unit::NONE;
use crate::outcome::CellTcpOutcome;
use crate::spec::{
    CellApplication, CellTcpSpec, FlowSpec, NetworkSpec, SourceControlSpec, TrafficSpec,
};

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

    /// Of so many events, those that are still to come are timers of connections that wait for
    /// nothing any more.
    pub fn is_left_over(&self, events: usize) -> bool {
        self.events == events && !self.list.iter().any(Connection::waits)
    }

    /// So many events of timers are still to come.
    pub fn set_events(&mut self, events: usize) {
        self.events = events;
    }

    /// Flows that will bring the responses to requests under way, and when those began.
    pub fn unanswered(&self) -> impl Iterator<Item = (u32, Time)> + '_ {
        let connections = self.list.iter();
        connections.filter_map(|own| Some((own.flows[End::Answerer as usize], own.unanswered()?)))
    }

    /// What was found of the connection that `flow_id` opens.
    fn outcome(&self, flow_id: u32) -> Option<CellTcpOutcome> {
        match self.sides[flow_id as usize] {
            (NONE, _) | (_, End::Answerer) => None,
            (index, End::Opener) => Some(self.list[index as usize].outcome()),
        }
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
    spec.ends(flow.legs[leaf].channel).map(|(_, to)| to)
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
