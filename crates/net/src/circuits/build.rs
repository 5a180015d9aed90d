//! From a specification to a network ready to run.

use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use backwater_ends::application::units::{self, Limited, Traffic};
use backwater_ends::control::SourceControl;
use backwater_ends::sink::Sink;
use backwater_kernel::stats::TimeWeighted;
use backwater_kernel::{BuildError, Channels, Duration, EventQueue, Rate, Time};

use crate::circuits::rm_cells;
use crate::classes::Classes;
use crate::classes::run::ByClass;
use crate::flow::cell_tcp::Connections;
use crate::flow::conversation;
use crate::flow::session::{self, Sessions};
use crate::flow::shaping::{self, Shaping};
use crate::flow::sink::Outlet;
use crate::flow::{CircuitFlow, FlowCounts};
use crate::hop::leg::{Leg, LegCounts};
use crate::hop::timer::Timer;
use crate::hop::unit::NONE;
use crate::hop::wire::Channel;
use crate::marking::rate_ports::{self, RatePorts};
use crate::memory::pool;
use crate::network::{Network, Node};
use crate::probe::Probe;
use crate::scheduler::Seat;
use crate::simulation::Simulation;
use crate::simulation::mark::Mark;
use crate::simulation::plan::{Plan, Specification};
use crate::spec::{
    CLOCK_MAX_PS, FLOW_LEGS_MAX, FlowControlSpec, FlowSpec, LegSpec, NetworkSpec, Overflow,
    SourceControlSpec,
};

impl Specification for NetworkSpec {
    fn plan(&self) -> Result<Plan, BuildError> {
        verify(self)?;
        let mut network = network(self);
        let rates = RatePorts::new(&network.legs, self);
        for leg in &mut network.legs {
            if rates.has(leg.sender.channel) {
                leg.sender.seen_by.set_rates();
            }
        }
        Ok(Plan {
            seed: self.seed,
            stop_at: self.stop_at,
            warm_up: self.warm_up,
            network,
            by_class: ByClass::default(),
            rates,
            mark: Mark::new(self),
        })
    }

    fn start<Q: EventQueue, P: Probe>(&self, simulation: &mut Simulation<Q, P>) {
        simulation.start_sources();
        simulation.start_sessions();
        simulation.start_refresh_timers();
        simulation.start_rate_ports();
        simulation.start_connections();
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    fn start_sources(&mut self) {
        for (id, flow) in self.network.flows.iter().enumerate() {
            if let Some(start) = flow.traffic.start()
                && !self.network.has_session(id as u32)
            {
                self.events.push(Timer::Offer.at(start, id as u32));
            }
        }
    }

    pub(crate) fn start_refresh_timers(&mut self) {
        for (id, leg) in self.network.legs.iter().enumerate() {
            let Some(link) = self.network.credits.get(leg.sender.control as usize) else {
                continue;
            };
            if let Some(every) = self.network.settings[link.settings as usize].refresh_every {
                let first = Time::ZERO + every;
                self.events.push(Timer::Refresh.at(first, id as u32));
            }
        }
    }
}

/// Can this run?
///
/// # Errors
/// If the specification contradicts itself or names what is not there: what [`Simulation::new`]
/// would refuse.
pub fn verify(spec: &NetworkSpec) -> Result<(), BuildError> {
    let refuse = |what: String| Err(BuildError(what));
    spec.check_links().map_err(BuildError)?;
    if spec.channels().any(|own| own.handling.ps() > CLOCK_MAX_PS) {
        return refuse("a link's handling is more than the clock can hold".into());
    }
    let legs: usize = spec.flows.iter().map(|flow| flow.legs.len()).sum();
    if legs > Seat::SEATS as usize {
        return refuse(format!(
            "{legs} legs are more than the {} there can be",
            Seat::SEATS
        ));
    }
    for (id, flow) in spec.flows.iter().enumerate() {
        let checked = check_flow(spec, flow)
            .and_then(|()| conversation::check(spec, id))
            .and_then(|()| rm_cells::check(spec, id));
        if let Err(what) = checked {
            return refuse(format!("flow `{}`: {what}", flow.name));
        }
    }
    rate_ports::check(spec).map_err(BuildError)?;
    pool::check(spec)?;
    session::check(spec)
}

fn check_flow(spec: &NetworkSpec, flow: &FlowSpec) -> Result<(), String> {
    if flow.legs.len() > FLOW_LEGS_MAX {
        return Err(format!(
            "{} legs are more than one flow can have",
            flow.legs.len()
        ));
    }
    if flow.unit_bytes == 0 {
        return Err("a unit needs at least one byte".into());
    }
    if !flow.legs.iter().any(|leg| leg.parent.is_none()) {
        return Err("no leg leaves the source".into());
    }
    for (id, leg) in flow.legs.iter().enumerate() {
        let Some((from, _)) = spec.ends(leg.channel) else {
            return Err(format!("leg {id} crosses a channel that does not exist"));
        };
        let starts_at = match leg.parent {
            None => flow.source,
            Some(parent) if (parent as usize) < id => spec
                .ends(flow.legs[parent as usize].channel)
                .map_or(u32::MAX, |(_, to)| to),
            Some(_) => return Err(format!("leg {id} comes before its parent")),
        };
        if starts_at != from {
            return Err(format!("leg {id} does not start where its parent ends"));
        }
        check_leg(leg).map_err(|what| format!("leg {id}: {what}"))?;
    }
    check_pace(flow)?;
    shaping::check(flow)?;
    check_ports(spec, flow)
}

/// Can the ports on the way serve the flow?
///
/// # Errors
/// If an endless source stands before a port that may refuse what it hands over: it would hand
/// over unit after unit without time passing.
fn check_ports(spec: &NetworkSpec, flow: &FlowSpec) -> Result<(), String> {
    let refuses = |leg: &LegSpec| {
        let scheduler = spec.links.channel(leg.channel).scheduler;
        scheduler.max_residence().is_some()
    };
    let mut roots = flow.legs.iter().filter(|leg| leg.parent.is_none());
    if flow.is_pulled() && roots.any(refuses) {
        return Err("a greedy source can't stand before a port with a maximum residence".into());
    }
    Ok(())
}

fn check_leg(leg: &LegSpec) -> Result<(), String> {
    match &leg.flow_control {
        FlowControlSpec::Credit(credit) => credit.check(),
        FlowControlSpec::None => Ok(()),
    }
}

/// Sources and sinks that act without time passing would never let it pass.
fn check_pace(flow: &FlowSpec) -> Result<(), String> {
    units::check(&flow.traffic)?;
    match flow.source_control {
        SourceControlSpec::Aimd { timeout, .. } if timeout == Duration::ZERO => {
            Err("a time-out of zero would never let time pass".into())
        }
        _ => Ok(()),
    }
}

fn network(spec: &NetworkSpec) -> Network {
    let mut network = Network::empty(Classes::none());
    network.tcp = Connections::new(spec);
    reserve(&mut network, spec);
    let node = || Node {
        stored: TimeWeighted::new(Time::ZERO, 0),
        pool: NONE,
    };
    network.nodes.extend(spec.nodes.iter().map(|_| node()));
    let mut asked_by = vec![NONE; spec.flows.len()];
    for (id, flow) in spec.flows.iter().enumerate() {
        if let Some(partner) = flow.partner {
            asked_by[partner as usize] = id as u32;
        }
    }
    for id in 0..spec.flows.len() {
        add_flow(&mut network, spec, id as u32, &asked_by);
    }
    add_channels(&mut network, spec);
    network.add_pools(spec);
    network.sessions = Sessions::new(&network.legs, &network.flows, spec);
    network
}

/// Room for what is known to come: growing step by step would hold up to twice as much.
fn reserve(network: &mut Network, spec: &NetworkSpec) {
    let legs = || spec.flows.iter().flat_map(|flow| &flow.legs);
    let controlled = legs().filter(|leg| leg.flow_control != FlowControlSpec::None);
    network.legs.reserve_exact(legs().count());
    network.counts.reserve_exact(legs().count());
    network.leaves_below.reserve_exact(legs().count());
    network.credits.reserve_exact(controlled.count());
    network.flows.reserve_exact(spec.flows.len());
}

fn add_flow(network: &mut Network, spec: &NetworkSpec, flow_id: u32, asked_by: &[u32]) {
    let flow = &spec.flows[flow_id as usize];
    let base = network.legs.len() as u32;
    for leg in &flow.legs {
        let parent = leg.parent.map_or(NONE, |parent| base + parent);
        let node = spec.ends(leg.channel).map_or(0, |(_, to)| to);
        let leg = new_leg(network, leg, node, flow_id, parent);
        network.legs.push(leg);
        network.counts.push(LegCounts::default());
    }
    link_children(network, spec, flow, base);
    let roots: Vec<u32> = (base..network.legs.len() as u32)
        .filter(|&leg| network.legs[leg as usize].sender.is_root())
        .collect();
    let leaves = roots
        .iter()
        .map(|&root| network.leaves_below[root as usize])
        .sum();
    let (delivery, partner) = conversation::conversation(spec, flow_id, asked_by);
    let first_root = network.children.len() as u32;
    network.children.extend(&roots);
    network.flows.push(CircuitFlow {
        first_root,
        roots: roots.len() as u32,
        leaves,
        unit_bytes: flow.unit_bytes,
        next_number: 0,
        traffic: traffic(spec, flow_id),
        control: SourceControl::new(&flow.source_control, flow.unit_bytes),
        slot_at: Time::MAX,
        timer_at: Time::MAX,
        backlog: 0,
        shaping: Shaping::new(flow, spec.seed, flow_id),
        is_pulled: flow.is_pulled(),
        delivery,
        partner,
        expected: 0,
        efci: false,
        counts: FlowCounts::default(),
    });
}

/// Rate of the first link on a flow's way.
fn first_rate(spec: &NetworkSpec, flow: &FlowSpec) -> Rate {
    let channel = flow.legs[0].channel;
    spec.links.channel(channel).rate
}

/// What the application of a flow does.
fn traffic(spec: &NetworkSpec, flow_id: u32) -> Traffic {
    let flow = &spec.flows[flow_id as usize];
    let limited = match flow.source_control {
        SourceControlSpec::Abr(_) => Limited::ByControl,
        _ => Limited::Spaced {
            unit_bytes: flow.unit_bytes,
            link: first_rate(spec, flow),
        },
    };
    Traffic::new(&flow.traffic, limited, spec.seed, flow_id)
}

fn new_leg(network: &mut Network, leg: &LegSpec, node: u32, flow: u32, parent: u32) -> Leg {
    let mut new = Leg::idle(leg.channel, node, flow, parent);
    new.receiver.limit = leg.buffer.limit_units.unwrap_or(u32::MAX);
    new.receiver.keep_overflow = leg.buffer.overflow == Overflow::Keep;
    if let FlowControlSpec::Credit(credit) = &leg.flow_control {
        new.sender.credit_per_unit = 1;
        network.control(&mut new, credit);
    }
    new
}

/// Children, sinks of leaves, destinations behind each leg.
fn link_children(network: &mut Network, spec: &NetworkSpec, flow: &FlowSpec, base: u32) {
    let legs = flow.legs.len() as u32;
    let mut below = vec![0u32; legs as usize];
    for index in (0..legs).rev() {
        let children: Vec<u32> = (index + 1..legs)
            .filter(|&child| flow.legs[child as usize].parent == Some(index))
            .map(|child| base + child)
            .collect();
        let leg_id = base + index;
        let leg = &mut network.legs[leg_id as usize].receiver;
        leg.children = children.len() as u16;
        match children[..] {
            [] => {
                below[index as usize] = 1;
                if let Some(sink) = Sink::new(&flow.sink, spec.seed, leg_id) {
                    leg.first_child = network.sinks.len() as u32;
                    network.sinks.push(Outlet::new(sink));
                }
            }
            [child] => leg.first_child = child,
            _ => {
                leg.first_child = network.children.len() as u32;
                network.children.extend(&children);
            }
        }
        if let Some(parent) = flow.legs[index as usize].parent {
            below[parent as usize] += below[index as usize];
        }
    }
    network.leaves_below.extend(below);
}

/// Each port's legs in groups by priority, the largest first, each group in the order of flows.
fn add_channels(network: &mut Network, spec: &NetworkSpec) {
    let mut legs_of: Vec<Vec<u32>> = vec![Vec::new(); 2 * spec.links.len()];
    for (id, leg) in network.legs.iter().enumerate() {
        legs_of[leg.sender.channel as usize].push(id as u32);
    }
    for (id, legs) in spec.links.channels().zip(legs_of) {
        let channel = spec.links.channel(id);
        let scheduler = network.new_scheduler(spec, channel, legs);
        let ends = spec.links.ends(id);
        let channel = Channel::new(channel, &spec.outages, spec.seed, (id, ends), scheduler);
        network.channels.push(channel);
    }
}
