//! Refuses specifications that contradict themselves.

use alloc::format;
use alloc::vec::Vec;

use backwater_kernel::{BuildError, Channels, Duration};

use crate::spec::CLOCK_MAX_PS;
use crate::spec::frames::{
    CLASSES_MAX, ChannelSpec, Detect, EthernetSpec, FRAME_LEAST_BYTES, FRAME_OVERHEAD_BYTES,
    FlowSpec, MemorySpec, Message, NodeKind, PFC_CLASSES, QueueSpec, SwitchSpec, TAG_BYTES,
    TrafficSpec, TransportSpec, largest_packet_bytes,
};

/// Largest frame: buffers count it in 16 bits.
const FRAME_MOST_BYTES: u32 = 16_000;
/// Most nodes, flows and links: indices with room for a direction and a class.
const COUNT_MAX: usize = 1 << 27;

pub(super) fn err<T>(what: alloc::string::String) -> Result<T, BuildError> {
    Err(BuildError(what))
}

/// Every rule of the specification that the engine relies on, but for ways, which
/// [`routes`](crate::classes::routes) follows.
///
/// # Errors
/// If the specification contradicts itself or names what is not there.
pub fn verify(spec: &EthernetSpec) -> Result<(), BuildError> {
    if spec.rules.stall_after.0 == 0 {
        return err("`stall_after` is zero".into());
    }
    let largest = spec.nodes.len().max(spec.links.len()).max(spec.flows.len());
    if largest > COUNT_MAX {
        return err(format!("{largest} is more than can be numbered"));
    }
    spec.check_links().map_err(BuildError)?;
    check_drains(spec)?;
    check_nics(spec)?;
    check_ports(spec)?;
    check_nodes(spec)?;
    check_flows(spec)
}

fn check_drains(spec: &EthernetSpec) -> Result<(), BuildError> {
    for (at, drain) in spec.rules.drains.iter().enumerate() {
        let node = spec.nodes.get(drain.node as usize);
        if !node.is_some_and(|node| matches!(node.kind, NodeKind::Station { .. })) {
            return err("only a station takes frames at a rate of its own".into());
        }
        let mut before = spec.rules.drains[..at].iter();
        if before.any(|before| before.node == drain.node && before.from >= drain.from) {
            return err("a station changes its rate out of order".into());
        }
    }
    Ok(())
}

fn check_nics(spec: &EthernetSpec) -> Result<(), BuildError> {
    let is_station = |node: u32| (node as usize) < spec.nodes.len() && !spec.is_switch(node);
    let (nics, forwarders) = (&spec.rules.nics, &spec.rules.forwarders);
    if nics.iter().any(|nic| !is_station(nic.node)) {
        return err("only a station chooses among its links otherwise than by a hash".into());
    }
    if forwarders.iter().any(|node| !is_station(*node)) {
        return err("switches forward without being asked".into());
    }
    let are_sorted = forwarders.windows(2).all(|pair| pair[0] < pair[1]);
    match are_sorted && nics.windows(2).all(|pair| pair[0].node < pair[1].node) {
        true => Ok(()),
        false => err("stations with a rule for their links stand in order, each once".into()),
    }
}

fn check_ports(spec: &EthernetSpec) -> Result<(), BuildError> {
    let classes = spec
        .links
        .first()
        .map_or(1, |link| link.channels[0].queues.len());
    let largest_bytes = largest_bytes(spec);
    for (id, channel) in (0..).zip(spec.channels()) {
        let (_, to) = spec.links.ends(id);
        if channel.queues.len() != classes || classes == 0 || classes > CLASSES_MAX {
            return err(format!(
                "channel {id}: every port has 1 to 32 classes, the same"
            ));
        }
        for queue in &channel.queues {
            check_trim(id, queue, &channel.queues)?;
            if queue.low_bytes > queue.high_bytes {
                return err(format!(
                    "channel {id}: the low threshold is above the high one"
                ));
            }
            if let Some(point) = &queue.rocc {
                let checked = point.check();
                checked.map_err(|what| BuildError(format!("channel {id}: {what}")))?;
            }
        }
        let stopped = channel.stopped;
        if stopped.response.max(stopped.pipeline).0 > CLOCK_MAX_PS {
            return err(format!("channel {id}: a time too long for the clock"));
        }
        check_scheduler(id, channel)?;
        check_credits(spec, &largest_bytes, (id, to))?;
        if channel
            .inputs
            .iter()
            .any(|input| input.low_bytes > input.high_bytes)
        {
            return err(format!(
                "channel {id}: the low threshold is above the high one"
            ));
        }
    }
    Ok(())
}

/// Where the headers of what a queue trims go: to one with a limit that does not trim itself.
fn check_trim(id: u32, queue: &QueueSpec, queues: &[QueueSpec]) -> Result<(), BuildError> {
    let Some(class) = queue.trim else {
        return Ok(());
    };
    let headers = queues.get(usize::from(class));
    let is_fine = headers.is_some_and(|headers| headers.trim.is_none());
    match is_fine && queue.limit_bytes.is_some() {
        true => Ok(()),
        false => err(format!(
            "channel {id}: a queue with a limit trims into a class that is there and does not"
        )),
    }
}

/// What a scheduler asks of the classes it serves. Nobody warns the sources of a class that runs
/// too fast, and none of its frames is refused for the time it would wait.
fn check_scheduler(id: u32, channel: &ChannelSpec) -> Result<(), BuildError> {
    let is_drr = channel.scheduler.has_quanta();
    for queue in &channel.queues {
        if is_drr && queue.quantum_bytes == 0 {
            return err(format!("channel {id}: a quantum of 0 bytes never sends"));
        }
        let Some(reserve) = queue.reserve else {
            continue;
        };
        if reserve.rate.0 == 0 || reserve.interval.is_some() {
            return err(format!(
                "channel {id}: a class reserves more than 0 bps, and is not checked"
            ));
        }
    }
    let scheduler = channel.scheduler;
    if scheduler.alarm_bytes().is_some() || scheduler.max_residence().is_some() {
        return err(format!(
            "channel {id}: classes are neither warned nor refused by their scheduler"
        ));
    }
    Ok(())
}

/// Bytes of the largest frame of each class, acknowledgements with SACK blocks aside.
pub fn largest_bytes(spec: &EthernetSpec) -> [u32; CLASSES_MAX] {
    let mut largest = [FRAME_LEAST_BYTES; CLASSES_MAX];
    for flow in &spec.flows {
        let tag_bytes = if flow.is_tagged { TAG_BYTES } else { 0 };
        let packet = largest_packet_bytes(&flow.transport);
        let bytes = packet.saturating_add(FRAME_OVERHEAD_BYTES + tag_bytes);
        if let Some(largest) = largest.get_mut(usize::from(flow.class)) {
            *largest = bytes.max(*largest);
        }
    }
    largest
}

/// Credit ends where frames are stored, and needs memory that nobody else can take.
fn check_credits(
    spec: &EthernetSpec,
    largest_bytes: &[u32; CLASSES_MAX],
    (id, to): (u32, u32),
) -> Result<(), BuildError> {
    let channel = spec.links.channel(id);
    if channel.credits.is_empty() {
        return Ok(());
    }
    let NodeKind::Switch(switch) = &spec.nodes[to as usize].kind else {
        return err(format!(
            "channel {id}: credit ends at a switch, not at a host"
        ));
    };
    if channel.credits.len() != channel.queues.len() {
        return err(format!(
            "channel {id}: credit is told for every class or none"
        ));
    }
    if matches!(switch.memory, MemorySpec::Shared(_)) {
        return err(format!(
            "channel {id}: credit promises memory, which a shared one can't hold back"
        ));
    }
    if let Some(counters) = &channel.counters {
        let checked = counters.check(&channel.credits);
        checked.map_err(|what| BuildError(format!("channel {id}: {what}")))?;
    }
    for (class, credit) in (0..).zip(&channel.credits) {
        let Some(credit) = credit else { continue };
        // One answer for each link is possible where congestion is seen by input.
        let stops = switch.stops.over(id).is_some_and(|rules| {
            let input = channel.inputs.get(class);
            let is_watched = input.is_some_and(|input| input.high_bytes != u64::MAX);
            let is_by_input = rules.detect == Detect::Inputs && !rules.is_of_port();
            rules.holds(class as u8) && (is_watched || !is_by_input)
        });
        if stops {
            return err(format!(
                "channel {id}: class {class} has credit and is stopped"
            ));
        }
        let checked = credit.check(largest_bytes[class], channel.counters.as_ref());
        checked.map_err(|what| BuildError(format!("channel {id}: class {class}: {what}")))?;
    }
    Ok(())
}

fn check_nodes(spec: &EthernetSpec) -> Result<(), BuildError> {
    for (id, node) in (0_u32..).zip(&spec.nodes) {
        let channels = 0..spec.links.len() as u32 * 2;
        let leaving = || {
            let of_node = |channel: &u32| spec.ends(*channel).is_some_and(|ends| ends.0 == id);
            channels.clone().filter(of_node)
        };
        let watchdog = node
            .watchdog
            .map(|watchdog| [watchdog.detect, watchdog.restore]);
        let mut spans = watchdog.into_iter().flatten();
        if spans.any(|span| span.0 > CLOCK_MAX_PS) {
            return err(format!("{}: a time too long for the clock", node.name));
        }
        let NodeKind::Switch(switch) = &node.kind else {
            if spec.nodes.len() < 64 && leaving().next().is_none() {
                return err(format!("host {} must have a link", node.name));
            }
            continue;
        };
        if let MemorySpec::Shared(shared) = &switch.memory {
            let checked = shared.check();
            checked.map_err(|what| BuildError(format!("{}: {what}", node.name)))?;
        }
        check_stops(spec, id, switch)?;
    }
    Ok(())
}

/// What each of a switch's rules of stops needs, and that inputs with rules of their own can have
/// them.
fn check_stops(spec: &EthernetSpec, id: u32, switch: &SwitchSpec) -> Result<(), BuildError> {
    let node = &spec.nodes[id as usize];
    let inputs = &switch.stops.own;
    let is_in_order = inputs
        .windows(2)
        .all(|pair| pair[0].channel < pair[1].channel);
    let mut ends = inputs.iter().map(|input| spec.ends(input.channel));
    if !is_in_order || !ends.all(|ends| ends.is_some_and(|ends| ends.1 == id)) {
        return err(format!(
            "{}: stops of inputs stand in the order of their channels, which lead to it",
            node.name
        ));
    }
    let all_by_input = switch
        .stops
        .all()
        .all(|rules| rules.detect == Detect::Inputs);
    let is_shared = matches!(switch.memory, MemorySpec::Shared(_));
    if !inputs.is_empty() && (is_shared || !all_by_input) {
        return err(format!(
            "{}: inputs have stops of their own where each counts its own memory",
            node.name
        ));
    }
    for rules in switch.stops.all() {
        let by_destination = rules.is_by_destination();
        if by_destination && rules.detect == Detect::Inputs {
            return err(format!(
                "{}: destinations are found in output queues, not at inputs",
                node.name
            ));
        }
        if rules.is_of_class() && rules.classes >> PFC_CLASSES != 0 {
            return err(format!(
                "{}: PFC stops classes 0 to {}, which is what its frames name",
                node.name,
                PFC_CLASSES - 1
            ));
        }
        if rules.blocked.is_some() && !by_destination {
            return err(format!(
                "{}: a limit on what is blocked needs the destination scheme",
                node.name
            ));
        }
        if let Message::Quanta {
            quanta,
            refresh_percent,
        } = rules.message
            && (quanta == 0 || refresh_percent.is_some_and(|p| p == 0 || p > 100))
        {
            return err(format!(
                "{}: 1 to 65,535 quanta, refresh 1 to 100 %",
                node.name
            ));
        }
    }
    Ok(())
}

fn check_flows(spec: &EthernetSpec) -> Result<(), BuildError> {
    let classes = spec
        .links
        .first()
        .map_or(1, |link| link.channels[0].queues.len());
    for (id, flow) in spec.kinds().enumerate() {
        let is_station = |node: u32| {
            let node = spec.nodes.get(node as usize);
            node.is_some_and(|node| matches!(node.kind, NodeKind::Station { .. }))
        };
        if !is_station(flow.source) || !flow.destinations().all(is_station) {
            return err(format!("flow {id} must start and end at stations"));
        }
        let to_itself = flow.destinations().any(|to| to == flow.source);
        if to_itself || usize::from(flow.class) >= classes {
            return err(format!(
                "flow {id}: no way to itself, and classes below {classes}"
            ));
        }
        check_multicast(spec, id, flow)?;
        let payload = flow.transport.payload_bytes();
        let is_connection = flow.transport.is_connection();
        check_roce(id, flow, classes)?;
        if payload == 0 || payload > FRAME_MOST_BYTES {
            return err(format!(
                "flow {id}: a payload of 1 to {FRAME_MOST_BYTES} bytes"
            ));
        }
        let fits = match flow.traffic {
            TrafficSpec::Infinite { .. } | TrafficSpec::Outside(_) => true,
            TrafficSpec::Messages(_) => !flow.is_multicast(),
            TrafficSpec::Files { .. } | TrafficSpec::Requests { .. } => is_connection,
            _ => !is_connection,
        };
        if !fits {
            return err(format!("flow {id}: this traffic needs the other transport"));
        }
    }
    super::messages::check(spec)?;
    super::arrivals::check(spec)
}

/// What a queue pair needs beside its flow.
fn check_roce(id: usize, flow: &FlowSpec, classes: usize) -> Result<(), BuildError> {
    let TransportSpec::Roce(roce) = &flow.transport else {
        return Ok(());
    };
    let is_class = |class: Option<u8>| class.is_none_or(|class| usize::from(class) < classes);
    if !is_class(roce.ack_class) || !is_class(roce.cnp_class) {
        return err(format!(
            "flow {id}: acknowledgements and CNPs below {classes}"
        ));
    }
    if roce.message_bytes == 0 || roce.line.0 == 0 || roce.timeout == Duration::ZERO {
        return err(format!("flow {id}: messages, rates and time-outs above 0"));
    }
    Ok(())
}

/// Several destinations: what one tree can carry.
fn check_multicast(spec: &EthernetSpec, id: usize, flow: &FlowSpec) -> Result<(), BuildError> {
    if !flow.is_multicast() {
        return Ok(());
    }
    if flow.transport.is_connection() {
        return err(format!(
            "flow {id}: a connection has one destination, which acknowledges"
        ));
    }
    if spec.rules.spread.parts_flows() {
        return err(format!(
            "flow {id}: frames to several stations take one tree, and each frame its own way"
        ));
    }
    let mut all: Vec<u32> = flow.destinations().collect();
    all.sort_unstable();
    match all.windows(2).any(|pair| pair[0] == pair[1]) {
        true => err(format!("flow {id}: a destination stands there twice")),
        false => Ok(()),
    }
}
