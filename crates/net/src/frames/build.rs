//! From a specification to a network ready to run.

use alloc::boxed::Box;
use alloc::vec::Vec;
use alloc::{format, vec};

use backwater_ends::stations::{End, Stations};
use backwater_kernel::{BuildError, Channels, Duration, EventQueue, Purpose, Stream, Time};

use crate::classes::account::{Account, AccountTimes};
use crate::classes::credits::Credits;
use crate::classes::lanes;
use crate::classes::members::Members;
use crate::classes::queue::{Queue, QueueCounts};
use crate::classes::routes::Routes;
use crate::classes::routes::spreading::Spreading;
use crate::classes::run::ByClass;
use crate::classes::seldom::Seldom;
use crate::classes::shape::{ANYTHING, Form};
use crate::classes::shared::Shared;
use crate::classes::stop::Gates;
use crate::classes::{Classes, FrameFlow, Losses, Node, Received, Slot, Underway};
use crate::frames::alone;
use crate::hop::timer::Timer;
use crate::hop::unit::NONE;
use crate::hop::wire::{Channel, Errors};
use crate::marking::rate_ports::RatePorts;
use crate::marking::rocc::CongestionPoint;
use crate::network::Network;
use crate::probe::Probe;
use crate::scheduler::Scheduler;
use crate::simulation::Simulation;
use crate::simulation::mark::Mark;
use crate::simulation::plan::{Plan, Specification};
use crate::spec::frames::{
    EthernetSpec, FlowSpec, Forwarding, MarkAt, MemorySpec, NodeKind, Obeyed, StoppedSpec,
    SwitchSpec, TransportSpec,
};

impl Specification for EthernetSpec {
    fn plan(&self) -> Result<Plan, BuildError> {
        crate::spec::frames::verify(self)?;
        let network = network(self)?;
        let channels = network.channels.len();
        let by_class = ByClass {
            form: Form::of(network.shape()),
            selection: selection(self, &network),
            stall_after: self.rules.stall_after,
            stopped_before: network.no_stops(),
            control_before: vec![(0, 0); channels],
            underway_before: vec![Underway::default(); channels],
            ..ByClass::default()
        };
        Ok(Plan {
            seed: self.seed,
            stop_at: self.stop_at,
            warm_up: self.warm_up,
            network,
            by_class,
            rates: RatePorts::default(),
            mark: Mark::default(),
        })
    }

    fn start<Q: EventQueue, P: Probe>(&self, simulation: &mut Simulation<Q, P>) {
        simulation.set_first_events(self);
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    fn set_first_events(&mut self, spec: &EthernetSpec) {
        for flow in 0..spec.flows.len() as u32 {
            self.arm::<ANYTHING>((flow, flow), End::Opener);
            self.arm::<ANYTHING>((flow, flow), End::Answerer);
        }
        self.set_first_arrivals();
        self.arm_opened();
        self.start_refresh_timers();
        self.start_counters();
        self.start_drains();
        self.start_rates();
        let mut may_stop = !self.network.classes.credits.lanes.is_empty();
        for (id, node) in (0..).zip(&spec.nodes) {
            match &node.kind {
                NodeKind::Station { storm: Some(storm) } => {
                    may_stop = true;
                    for channel in self.network.classes.nodes[id as usize].leaving.clone() {
                        self.set_timer(storm.from, channel, Timer::Storm, 0);
                    }
                }
                NodeKind::Switch(switch) => may_stop |= switch.stops.all().next().is_some(),
                NodeKind::Station { storm: None } => {}
            }
        }
        if may_stop {
            let at = Time::ZERO + spec.rules.stall_after;
            self.events.push(Timer::Standstill.at(at, 0));
        }
    }
}

/// Numbers channels by the node they enter.
fn number_slots(channels: &mut [Channel]) -> Vec<Slot> {
    let mut order: Vec<u32> = (0..channels.len() as u32).collect();
    order.sort_by_key(|channel| channels[*channel as usize].to);
    let slots = (0..).zip(order).map(|(slot, channel)| {
        let wire = &mut channels[channel as usize];
        wire.slot = slot;
        let switch = match wire.is(Channel::TO_HOST) {
            true => NONE,
            false => wire.to,
        };
        Slot { channel, switch }
    });
    slots.collect()
}

fn network(spec: &EthernetSpec) -> Result<Network, BuildError> {
    let first = spec.links.first();
    let classes = first.map_or(1, |link| link.channels[0].queues.len());
    let mut channels = channels(spec);
    let slots = number_slots(&mut channels);
    let (nodes, shares) = nodes(spec, classes)?;
    let stops_stations = nodes.iter().any(Node::stops_stations);
    let mut queues = queues(spec, &nodes);
    let mut accounts = accounts(spec, &nodes);
    for ((channel, class), share) in shares {
        let place = |channel: u32| channel as usize * classes + usize::from(class);
        accounts[place(channel)].share = share;
        queues[place(channel ^ 1)].share = share;
    }
    let count = queues.len();
    let counts = counts(spec, &nodes);
    let has_telemetry = spec.kinds().any(FlowSpec::has_telemetry);
    let marking = marking(spec, (&queues, &counts), classes);
    let stations = spec.stations();
    let mut lanes = lanes::build(spec, stops_stations)?;
    let lane_queues = lanes::number(spec, &mut lanes);
    let routes = Routes::new(spec)?;
    let classes = Classes {
        count: classes,
        lanes,
        lane_queues,
        gates: gates(spec),
        asked: Seldom::new(channels.len()),
        control_sent: vec![0; channels.len()],
        control_bytes: vec![0; channels.len()],
        control_lost: vec![0; channels.len()],
        requests: Seldom::new(count),
        counts,
        accounts,
        account_times: vec![AccountTimes::default(); count],
        rows: rows(spec),
        members: Members::new(spec),
        flows: flows(spec, &stations),
        losses: vec![Losses::default(); spec.flows.len()],
        alone: Vec::new(),
        messages_alone: Vec::new(),
        received: received(spec),
        spreading: Spreading::new(&routes),
        turns: routes.has_turns().then(|| vec![0; 2 * spec.flows.len()]),
        routes,
        stations,
        freezing: freezing(spec),
        telemetry: vec![0; if has_telemetry { channels.len() } else { 0 }],
        marking,
        points: points(spec, &nodes),
        queues,
        credits: Credits::default(),
        drains: Vec::new(),
        nodes,
        slots,
    };
    let mut network = Network {
        channels,
        ..Network::empty(classes)
    };
    (network.classes.alone, network.classes.messages_alone) = alone::all(spec, &network);
    network.add_credits(spec)?;
    network.add_drains(spec);
    network.add_schedulers(spec);
    Ok(network)
}

/// Streams are named by channel * 8 + class, however many classes there are; those of classes above
/// 7 stand apart.
pub(crate) fn stream_of(channel: u32, class: u8) -> u64 {
    let (channel, class) = (u64::from(channel), u64::from(class));
    match class {
        0..8 => channel * 8 + class,
        _ => (1 << 40) | (channel * 32 + class),
    }
}

/// By queue: what is drawn for its marks.
fn marking(
    spec: &EthernetSpec,
    (queues, counts): (&[Queue], &[QueueCounts]),
    classes: usize,
) -> Vec<Option<Stream>> {
    let marks = |at: usize| queues[at].marks || counts[at].ecn.is_some();
    let streams = (0..queues.len()).map(|at| {
        let entity = stream_of((at / classes) as u32, (at % classes) as u8);
        marks(at).then(|| Stream::new(spec.seed, entity, Purpose::Marking))
    });
    none_without_any(streams)
}

fn selection(spec: &EthernetSpec, network: &Network) -> Vec<Option<Stream>> {
    let draws = |at: usize| {
        let count = network.classes.count;
        let channel_of = at / count;
        let channel = &network.channels[channel_of];
        let rules = network.classes.nodes[channel.from as usize]
            .stops
            .at_outputs()?;
        rules.is_drawn().then(|| {
            let entity = stream_of(channel_of as u32, (at % count) as u8);
            Stream::new(spec.seed, entity, Purpose::Selection)
        })
    };
    none_without_any((0..network.classes.queues.len()).map(draws))
}

/// By number; nothing at all where none has any.
fn none_without_any<T>(all: impl Iterator<Item = Option<T>> + Clone) -> Vec<Option<T>> {
    match all.clone().flatten().next().is_some() {
        true => all.collect(),
        false => Vec::new(),
    }
}

fn gates(spec: &EthernetSpec) -> Vec<Gates> {
    let all = (0..).zip(spec.channels());
    all.map(|(id, own)| {
        let node = spec
            .ends(id)
            .and_then(|ends| spec.nodes.get(ends.0 as usize));
        let by = match node.is_some_and(|node| node.is_deaf) {
            true => Obeyed::NONE,
            false => own.stopped.by,
        };
        Gates::new(StoppedSpec { by, ..own.stopped }, own.queues.len())
    })
    .collect()
}

fn channels(spec: &EthernetSpec) -> Vec<Channel> {
    let mut channels = Vec::with_capacity(spec.channels().count());
    for (id, own) in (0..).zip(spec.channels()) {
        let (from, to) = spec.ends(id).unwrap_or((NONE, NONE));
        let switch = |node: u32| match &spec.nodes[node as usize].kind {
            NodeKind::Switch(switch) => Some(switch),
            NodeKind::Station { .. } => None,
        };
        let into: Option<&SwitchSpec> = switch(to);
        let cuts = into.is_some_and(|switch| switch.forwarding == Forwarding::CutThrough);
        let kind = [
            (!spec.forwards(to), Channel::TO_HOST),
            (switch(from).is_none(), Channel::FROM_HOST),
            (cuts, Channel::CUTS_THROUGH),
        ];
        let latency = own.delay + into.map_or(Duration::ZERO, |switch| switch.latency);
        let mut channel = Channel::idle(own.rate, latency, (from, to), Scheduler::none());
        let kind = kind.into_iter().filter(|(is_so, _)| *is_so);
        channel.kind = kind.fold(0, |all, (_, bit)| all | bit);
        let errors = Errors::new(&own.errors, &spec.outages, spec.seed, (id, own.delay));
        channel.set_errors(errors);
        channels.push(channel);
    }
    channels
}

fn queues(spec: &EthernetSpec, nodes: &[Node]) -> Vec<Queue> {
    let has_telemetry = spec.kinds().any(FlowSpec::has_telemetry);
    let mut queues = Vec::with_capacity(queue_count(spec));
    for (id, channel) in (0..).zip(spec.channels()) {
        let (from, _) = spec.ends(id).unwrap_or((NONE, NONE));
        for (class, own) in (0..).zip(&channel.queues) {
            let node = &nodes[from as usize];
            let mut queue = Queue::new();
            if node.is_switch {
                queue.limit_bytes = own.limit_bytes.unwrap_or(u64::MAX);
                let marks_at = own.ecn.map(|ecn| ecn.at);
                queue.marks = marks_at == Some(MarkAt::Join);
                queue.acts_on_leave = has_telemetry || marks_at == Some(MarkAt::Leave);
                let rules = node.stops.at_outputs();
                if rules.is_some_and(|rules| rules.watches(class)) {
                    queue.high_bytes = own.high_bytes;
                    queue.low_bytes = own.low_bytes;
                }
            }
            queues.push(queue);
        }
    }
    queues
}

/// Of all classes of all channels.
fn queue_count(spec: &EthernetSpec) -> usize {
    spec.channels().map(|channel| channel.queues.len()).sum()
}

fn counts(spec: &EthernetSpec, nodes: &[Node]) -> Vec<QueueCounts> {
    let mut counts = Vec::with_capacity(queue_count(spec));
    for (id, channel) in (0..).zip(spec.channels()) {
        let (from, _) = spec.ends(id).unwrap_or((NONE, NONE));
        let is_switch = nodes[from as usize].is_switch;
        counts.extend(channel.queues.iter().map(|own| QueueCounts {
            ecn: own.ecn.filter(|_| is_switch),
            trim: own.trim.filter(|_| is_switch),
            ..QueueCounts::default()
        }));
    }
    counts
}

/// By queue; empty where no queue has any.
fn points(spec: &EthernetSpec, nodes: &[Node]) -> Vec<Option<Box<CongestionPoint>>> {
    let mut points = Vec::new();
    for (id, channel) in (0..).zip(spec.channels()) {
        let (from, _) = spec.ends(id).unwrap_or((NONE, NONE));
        let is_switch = nodes[from as usize].is_switch;
        points.extend(channel.queues.iter().map(|queue| {
            let point = queue.rocc.filter(|_| is_switch)?;
            Some(Box::new(CongestionPoint::new(point)))
        }));
    }
    match points.iter().any(Option::is_some) {
        true => points,
        false => Vec::new(),
    }
}

fn accounts(spec: &EthernetSpec, nodes: &[Node]) -> Vec<Account> {
    let mut accounts = Vec::with_capacity(queue_count(spec));
    for (id, channel) in (0..).zip(spec.channels()) {
        let (_, to) = spec.ends(id).unwrap_or((NONE, NONE));
        let rules = nodes[to as usize].stops.at_input(id);
        for class in 0..channel.queues.len() as u8 {
            let own = channel.inputs.get(usize::from(class));
            let stops = own.filter(|_| rules.is_some_and(|rules| rules.watches(class)));
            accounts.push(Account {
                channel: id,
                class,
                bytes: 0,
                high_bytes: stops.map_or(u64::MAX, |own| own.high_bytes),
                low_bytes: stops.map_or(0, |own| own.low_bytes),
                limit_bytes: own.and_then(|own| own.limit_bytes).unwrap_or(u64::MAX),
                is_congested: false,
                shared_bytes: 0,
                headroom_bytes: 0,
                share: 0,
                most_bytes: 0,
            });
        }
    }
    accounts
}

/// Which share of its switch an input has, by channel and class.
type InputShare = ((u32, u8), u16);

/// Every node, and the shares of all inputs of shared memories.
fn nodes(spec: &EthernetSpec, classes: usize) -> Result<(Vec<Node>, Vec<InputShare>), BuildError> {
    let mut leaving = vec![Vec::new(); spec.nodes.len()];
    for id in 0..spec.links.len() as u32 * 2 {
        if let Some((from, _)) = spec.ends(id) {
            leaving[from as usize].push(id);
        }
    }
    let (mut nodes, mut shares) = (Vec::with_capacity(leaving.len()), Vec::new());
    for (node, leaving) in spec.nodes.iter().zip(leaving) {
        let switch = match &node.kind {
            NodeKind::Switch(switch) => Some(switch),
            NodeKind::Station { .. } => None,
        };
        let storm = match node.kind {
            NodeKind::Station { storm } => storm,
            NodeKind::Switch(_) => None,
        };
        let stops = switch
            .map(|switch| switch.stops.clone())
            .unwrap_or_default();
        let at_outputs = stops.at_outputs();
        let detects_inputs = at_outputs.is_none() && stops.all().next().is_some();
        let mut inputs = leaving
            .iter()
            .map(|channel| spec.links.channel(channel ^ 1));
        let has_counters = switch.is_some() && inputs.any(|channel| !channel.inputs.is_empty());
        let shared = match switch.map(|switch| &switch.memory) {
            Some(MemorySpec::Shared(shared)) => {
                let inputs = leaving.iter().flat_map(|channel| {
                    let classes = 0..classes as u8;
                    classes.map(move |class| (*channel ^ 1, class))
                });
                let inputs: Vec<(u32, u8)> = inputs.collect();
                let built = Shared::new(shared, &inputs).ok_or_else(|| {
                    BuildError(format!(
                        "{}: reserves and headroom are more than the memory",
                        node.name
                    ))
                })?;
                shares.extend(inputs.into_iter().zip(built.1));
                Some(Box::new(built.0))
            }
            _ => None,
        };
        nodes.push(Node {
            lossless: stops.all().fold(0, |all, rules| all | rules.classes),
            detects_inputs,
            has_time_out: at_outputs.is_some_and(|rules| rules.time_out.is_some()),
            is_switch: switch.is_some(),
            promised: node.promised,
            watchdog: node.watchdog,
            storm,
            counts_inputs: shared.is_some() || detects_inputs || has_counters,
            stops,
            shared,
            leaving,
            bytes: 0,
            most_bytes: 0,
            time_outs: 0,
        });
    }
    Ok((nodes, shares))
}

/// Flows whose number is their place; all of them, where each has a row.
fn rows(spec: &EthernetSpec) -> u32 {
    match spec.rules.arrivals.is_empty() {
        true => u32::MAX,
        false => spec.flows.len() as u32,
    }
}

fn flows(spec: &EthernetSpec, stations: &Stations) -> Vec<FrameFlow> {
    let flows = (0..).zip(&spec.flows);
    flows
        .map(|(id, own)| flow((id, id), own, stations))
        .collect()
}

/// A flow of this number that has done nothing.
pub(super) fn flow((place, id): (u32, u32), flow: &FlowSpec, stations: &Stations) -> FrameFlow {
    let has_rtp = matches!(flow.transport, TransportSpec::Udp { has_rtp: true, .. });
    let are_messages = flow.traffic.messages().is_some() && !flow.transport.is_connection();
    let is_pulled = flow.transport.is_pulled() || stations.is_pulled(place) || are_messages;
    let bits = [
        (flow.is_tagged, FrameFlow::TAGGED),
        (has_rtp, FrameFlow::RTP),
        (flow.transport.is_ect(), FrameFlow::ECT),
        (is_pulled, FrameFlow::PULLED),
        (flow.is_multicast(), FrameFlow::MULTICAST),
        (flow.hears_rates(), FrameFlow::HEARS_RATES),
    ];
    let bits = bits.into_iter().filter(|(is_so, _)| *is_so);
    FrameFlow {
        source: flow.source,
        destination: flow.address(id),
        class: flow.class,
        message_class: flow.message_class(),
        bits: bits.fold(0, |all, (_, bit)| all | bit),
        armed: [Time::MAX; 2],
        ..FrameFlow::default()
    }
}

/// Its control stands still while its class is stopped.
pub(super) fn freezes(flow: &FlowSpec) -> bool {
    match &flow.transport {
        TransportSpec::Roce(roce) => roce.control.hears_stops(),
        TransportSpec::Tcp(_) | TransportSpec::Udp { .. } => false,
    }
}

fn freezing(spec: &EthernetSpec) -> Vec<u32> {
    let flows = (0..).zip(&spec.flows);
    flows
        .filter(|(_, flow)| freezes(flow))
        .map(|(id, _)| id)
        .collect()
}

fn received(spec: &EthernetSpec) -> Vec<Vec<Received>> {
    if !spec.flows.iter().any(FlowSpec::is_multicast) {
        return Vec::new();
    }
    let of_flow = |flow: &FlowSpec| match flow.is_multicast() {
        true => vec![Received::default(); flow.destinations().count()],
        false => Vec::new(),
    };
    spec.flows.iter().map(of_flow).collect()
}
