//! What can't work in single tables.

use backwater_kernel::words::counted;
use std::cmp::Reverse;

use backwater_ends::spec::Ecn;
use backwater_kernel::{Duration, Rate};
use backwater_net::frames::spec::{
    CLASSES_MAX, Detect, EthernetSpec, NodeKind, NodeSpec, TCP_IP_BYTES, TransportSpec,
};

use super::controls;
use super::flow_table::Table;
use super::flows::Flows;
use super::lossless::Whole;
use super::packets::{mtu, packet_bytes};
use super::queues::Ports;
use super::trims;
use crate::given::frames::flow_control::FlowControl;
use crate::given::frames::{EthernetFile, STALL_MS};
use crate::given::tcp::Tcp;
use crate::prelude::*;

/// Says that a class has no queue.
pub(crate) fn no_such_class(at: &At, class: u8, classes: u8) -> Diagnostic {
    Diagnostic::error("bad-class", format!("there is no class {class}"))
        .at(at, format!("ports have {}", counted(classes, "queue")))
        .note(match classes {
            1 => "class 0 is the only one".to_owned(),
            _ => format!("classes: 0 to {}", classes - 1),
        })
        .help(format!("raise `classes` of `[switch]` to {}", class + 1))
}

/// Classes that are named against queues that there are, and against what messages can name.
pub(crate) fn classes(file: &EthernetFile, classes: u8, mistakes: &mut Diagnostics) {
    nameable(file, classes, mistakes);
    let flows = file.flows.iter().map(|flow| &flow.settings.class);
    let patterns = file.patterns.iter().map(|rule| &rule.settings.class);
    let workloads = file.workloads.iter().map(|own| &own.settings.class);
    let collectives = file.collectives.iter().map(|own| &own.settings.class);
    let jobs = file.jobs.iter().map(|own| &own.settings.class);
    let workloads = workloads.chain(collectives).chain(jobs);
    let own = file.classes.iter().map(|own| &own.class);
    for class in flows.chain(patterns).chain(workloads).chain(own) {
        if **class >= classes {
            mistakes.push(no_such_class(&class.at, **class, classes));
        }
    }
    for (class, _) in trims::given(file) {
        if let Some(headers) = class.filter(|headers| *headers >= classes) {
            mistakes.push(no_such_class(&class.at, headers, classes));
        }
    }
    let stopped = file.flow_control.classes();
    let storms = file.nodes.iter().filter_map(|node| node.storm.as_ref());
    let storms = storms.map(|storm| &storm.classes);
    let memory = file.memory.iter().map(|own| &own.classes);
    let of_links = super::controls::given(file).filter_map(|own| own.value.as_ref()?.classes());
    let stopped = stopped.into_iter().chain(of_links);
    for named in stopped.chain(storms).chain(memory) {
        let highest = named.iter().flatten().max();
        if let Some(highest) = highest.filter(|highest| **highest >= classes) {
            mistakes.push(no_such_class(&named.at, *highest, classes));
        }
    }
    for (index, own) in file.classes.iter().enumerate() {
        let mut before = file.classes[..index].iter();
        if let Some(first) = before.find(|first| *first.class == *own.class) {
            Diagnostic::error("contradiction", "a class is described twice")
                .twice(&own.class.at, &first.class.at)
                .help("say all of a class in one `[[classes]]`")
                .tell(mistakes);
        }
    }
}

/// Classes under flow control against what its messages can name.
fn nameable(file: &EthernetFile, classes: u8, mistakes: &mut Diagnostics) {
    let links = controls::given(file).filter_map(|own| Some((own.value.as_ref()?, &own.at)));
    let general = &file.flow_control;
    for (rules, at) in links.chain([(&general.value.value, &general.at)]) {
        let Some((most, why)) = rules.nameable() else {
            continue;
        };
        let named = rules
            .classes()
            .and_then(|own| Some((own.iter().flatten().max()?, &own.at)));
        let (highest, at) = match named {
            Some((highest, at)) => (*highest, at),
            None => (classes - 1, at),
        };
        if highest >= most {
            let message = format!("class {highest} can't be under this flow control");
            Diagnostic::error("bad-class", message)
                .at(at, format!("names classes 0 to {}", most - 1))
                .note(why)
                .note("CBFC and the credit of Kung's papers have up to 32")
                .help(match named {
                    Some(_) => "leave the class out, or choose another kind",
                    None => "name some classes: `classes = [0, 1]`",
                })
                .tell(mistakes);
        }
    }
}

/// Parts of `[flow_control]` that contradict each other.
pub(crate) fn flow_control(file: &EthernetFile, ports: Ports, mistakes: &mut Diagnostics) {
    let pressure = &file.flow_control;
    let Some(stops) = pressure.stops() else {
        return;
    };
    let by_destination = matches!(***pressure, FlowControl::Destination { .. });
    if by_destination && ports.at_inputs {
        Diagnostic::error("bad-scheme", "inputs do not know destinations")
            .at(&pressure.value.at, "stops frames by destination")
            .at(&stops.detect.at, "counts at inputs")
            .note("destinations are found in the queue that is congested: an output queue")
            .help("use `kind = \"pfc\"`, or `detect = \"outputs\"` and queues of their own")
            .tell(mistakes);
    }
    if let Some(notify) = stops.notify.place().filter(|_| ports.at_inputs) {
        Diagnostic::no_meaning("notify", "with counters at inputs")
            .at(notify, "an input stops its own neighbour only")
            .help("leave it out")
            .tell(mistakes);
    }
    for (key, place) in [("xoff", stops.xoff.place()), ("xon", stops.xon.place())] {
        if let Some(at) = place.filter(|_| ports.is_shared) {
            Diagnostic::no_meaning(key, "with shared memory")
                .at(at, "its thresholds follow what is free")
                .help("leave it out, and set `alpha` and `resume_offset` of `shared`")
                .tell(mistakes);
        }
    }
}

/// The limit on stopped frames of each switch.
pub(crate) fn blocked(file: &EthernetFile, network: &EthernetSpec, mistakes: &mut Diagnostics) {
    let Some(share) = file.flow_control.blocked_share() else {
        return;
    };
    for node in &network.nodes {
        let NodeKind::Switch(switch) = &node.kind else {
            continue;
        };
        let pressure = switch.stops.common.filter(|p| p.detect == Detect::Outputs);
        let blocked = pressure.and_then(|pressure| pressure.blocked);
        let Some(blocked) = blocked.filter(|b| b.low_bytes > b.high_bytes || b.low_bytes == 0)
        else {
            continue;
        };
        let (xoff, xon) = (blocked.high_bytes, blocked.low_bytes);
        Diagnostic::error(
            "bad-threshold",
            "stopped destinations would never be resumed",
        )
        .at(&share.xon.at, format!("`xon` is {xon} B"))
        .at(&share.xoff.at, format!("`xoff` is {xoff} B"))
        .note(format!(
            "shares are of the largest queue of `{}`",
            node.name
        ))
        .help("make `xon` less than `xoff` and more than 0")
        .tell(mistakes);
    }
}

/// Segments and datagrams against the MTU.
pub(crate) fn frames(file: &EthernetFile, flows: &Flows<'_>, mistakes: &mut Diagnostics) {
    let mtu = mtu(&file.link);
    small_segments(file, flows, mtu, mistakes);
    for (spec, table) in flows.each() {
        let bytes = packet_bytes(&spec.transport);
        if bytes <= mtu {
            continue;
        }
        let payload = table.settings.payload.place();
        let at = payload.or(given_mss(file, table)).unwrap_or(table.at);
        Diagnostic::warning("large-frame", "packets are larger than the MTU")
            .at(at, format!("IP packets of {bytes} B with their headers"))
            .note(format!(
                "the MTU is {mtu} B; frames are sent as large as they are"
            ))
            .help(format!(
                "lower it by {} B, or say `mtu = {bytes}` in `[link]`: jumbo frames",
                bytes - mtu
            ))
            .tell(mistakes);
    }
}

/// Where the file gives the size of a flow's segments.
fn given_mss<'a>(file: &'a EthernetFile, table: &Table<'a>) -> Option<&'a At> {
    let own = table.settings.tcp.as_ref();
    let own = own.and_then(|own| own.tcp.mss.place());
    own.or(file.tcp.mss.place())
}

/// An MSS that leaves more than half of the MTU unused that the file asks for, once each.
fn small_segments(file: &EthernetFile, flows: &Flows<'_>, mtu: u32, mistakes: &mut Diagnostics) {
    if file.link.mtu.is_none() {
        return;
    }
    let mut told = std::collections::BTreeSet::new();
    for (spec, table) in flows.each() {
        let TransportSpec::Tcp(tcp) = &spec.transport else {
            continue;
        };
        let bytes = packet_bytes(&spec.transport);
        let Some(at) = given_mss(file, table).filter(|_| bytes < mtu / 2) else {
            continue;
        };
        if !told.insert((at.source, at.start)) {
            continue;
        }
        Diagnostic::warning("small-segments", "segments are far smaller than the MTU")
            .at(at, format!("IP packets of {bytes} B with their headers"))
            .note(format!(
                "the MTU is {mtu} B; segments of {} B stay as small as they are",
                tcp.mss_bytes
            ))
            .help(format!(
                "leave `mss` out: it is {} B then",
                mtu.saturating_sub(TCP_IP_BYTES)
            ))
            .tell(mistakes);
    }
}

/// Flows that answer marks need switches that mark.
pub(crate) fn marks(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    let marked = |class: u8| {
        let mut crossed = look.crossings.crossed();
        crossed.any(|(channel, known)| {
            let queue = look.queue(channel, class).filter(|_| known == class);
            queue.is_some_and(|queue| queue.ecn.is_some())
        })
    };
    let classes: Vec<bool> = (0..CLASSES_MAX as u8).map(marked).collect();
    for (flow, table) in look.flows.each() {
        let can_be_marked = match &flow.transport {
            TransportSpec::Roce(roce) => roce.is_ect,
            TransportSpec::Tcp(_) | TransportSpec::Udp { .. } => true,
        };
        if classes[usize::from(flow.class)] && can_be_marked {
            continue;
        }
        let tcp = match &flow.transport {
            TransportSpec::Tcp(tcp) => tcp,
            TransportSpec::Roce(roce) => {
                if roce.control.notify().is_some() {
                    mistakes.push(super::roce::no_marks(look.file, table, &roce.control));
                }
                continue;
            }
            TransportSpec::Udp { is_ect: true, .. } => {
                Diagnostic::warning("no-marks", "nothing marks the frames of this flow")
                    .at(&table.settings.ecn.at, "lets its frames be marked")
                    .help("add `mark_above` or `ecn` to `[buffer]`, or leave it out")
                    .tell(mistakes);
                continue;
            }
            TransportSpec::Udp { is_ect: false, .. } => continue,
        };
        if tcp.ecn == Ecn::Off {
            continue;
        }
        let own = table.settings.tcp.as_ref().map(|own| &own.tcp);
        let own = own.filter(|own| own.preset.is_some() || own.ecn.is_some());
        let tcp = own.unwrap_or(&look.file.tcp);
        let at = tcp.ecn.place().unwrap_or(&tcp.preset.at);
        Diagnostic::warning(
            "no-marks",
            "nothing marks the frames of flows that answer marks",
        )
        .at(at, "waits for marks of congestion")
        .note("without marks it loses frames, or is stopped, like any other TCP")
        .help("add `mark_above` to `[buffer]`: 65 frames at 10 Gbps are usual for DCTCP")
        .tell(mistakes);
    }
}

/// Presets of the 1990s between hosts whose links are fast.
pub(crate) fn old_tcp(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    let network = look.spec;
    // The fastest channel that leaves each node.
    let mut fastest = vec![None; network.nodes.len()];
    for (link, channel) in network.links.iter().zip((0_u32..).step_by(2)) {
        for (node, rate, channel) in [
            (link.ends[0], link.channels[0].rate, channel),
            (link.ends[1], link.channels[1].rate, channel + 1),
        ] {
            let known = &mut fastest[node as usize];
            *known = (*known).max(Some((rate, Reverse(channel))));
        }
    }
    for (flow, table) in look.flows.each() {
        let ends = [flow.source, flow.destination].map(|node| fastest[node as usize]);
        let slower = ends.into_iter().min().flatten();
        if let (TransportSpec::Tcp(tcp), Some((rate, Reverse(channel)))) = (&flow.transport, slower)
        {
            let own = table.settings.tcp.as_ref().map(|own| &own.tcp);
            let layers: Vec<&Tcp> = [&look.file.tcp.value].into_iter().chain(own).collect();
            let name = || look.net.channel_name(channel);
            mistakes.extend(crate::network::tcp::old_on_fast(
                &layers,
                tcp,
                (rate, &name),
            ));
        }
    }
}

/// Sources that start when the run is over, and ranks.
pub(crate) fn starts(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    let flows = look.flows.each();
    let flows = flows.filter_map(|(flow, table)| Some((&flow.name[..], &table.traffic?.start)));
    let collectives = look.file.collectives.iter();
    let collectives = collectives.map(|given| (given.name.as_str(), &given.work.start));
    let jobs = look.file.jobs.iter();
    let jobs = jobs.map(|given| (given.name.as_str(), &given.work.start));
    for (name, start) in flows.chain(collectives).chain(jobs) {
        let late = crate::circuits::checks::never_starts(name, start, look.spec.stop_at);
        mistakes.extend(late);
    }
}

/// On-off sources that can't reach their mean.
pub(crate) fn peaks(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    for (_, table) in look.flows.each() {
        let kind = table.traffic.map(|traffic| &traffic.kind.value);
        if let Some(kind) = kind
            && let (Some(rate), Some(peak), Some(sources)) =
                (kind.rate(), kind.peak(), kind.sources())
            && u128::from(peak.0) * u128::from(*sources) <= u128::from(rate.0)
        {
            mistakes.extend(on_off(peak, rate));
        }
    }
}

fn on_off(peak: &Placed<Rate>, rate: &Placed<Rate>) -> Option<Diagnostic> {
    Diagnostic::error("bad-traffic", "the sources can't reach the mean rate")
        .at(
            &peak.at,
            "all sources on at once send no more than the mean",
        )
        .at(&rate.at, "the mean")
        .help("raise `peak` or `sources`, or lower `rate`")
        .into()
}

/// Says what was not examined.
pub(crate) fn too_many_paths(file: &EthernetFile) -> Option<Diagnostic> {
    Diagnostic::warning(
        "not-checked",
        "there are too many paths to check all of them",
    )
    .at(
        &file.flow_control.at,
        "headroom and cycles were not examined",
    )
    .note("shared memory has the headroom that the examined paths need")
    .note("the run counts drops and reports deadlocks")
    .help("check the same network with fewer flows")
    .into()
}

/// Queues stopped for so long are checked for a deadlock, where the file does not say.
pub(crate) const USUAL_STALL: Duration = Duration(STALL_MS.value * 1_000_000_000);

/// How long queues are stopped before they are checked for a deadlock in a run that is shorter than
/// that usually takes. `None` where the file says, and where something else ends a deadlock first.
pub(crate) fn stall_in_short_runs(look: &Whole<'_>) -> Option<Duration> {
    let run = Duration(look.spec.stop_at.0);
    let ends_it = |node: u32| {
        let watchdog = look.spec.nodes[node as usize].watchdog;
        watchdog.is_some() || look.stops_of(node).any(|rules| rules.time_out.is_some())
    };
    let mut nodes = 0..look.spec.nodes.len() as u32;
    let is_given = look.file.run.stall.is_some() || run > USUAL_STALL;
    if is_given || nodes.any(ends_it) {
        return None;
    }
    let (needed, _) = longest_wait(look)?;
    Some(Duration((run.0 / 10).max(needed.saturating_mul(2))))
}

/// A frame, a stop and a resume, where they take longest, ps; and there.
fn longest_wait(look: &Whole<'_>) -> Option<(u64, u32)> {
    let all = look.crossings.crossed();
    let waits = all.filter_map(|(channel, class)| {
        let stop = look.stop(channel, class)?;
        let sum = stop.frame_time().0.saturating_add(stop.span().0);
        Some((sum, channel))
    });
    waits.max()
}

/// A search for deadlocks that begins too early takes what only waits for one.
pub(crate) fn stall(look: &Whole<'_>) -> Option<Diagnostic> {
    let storms = |node: &NodeSpec| matches!(node.kind, NodeKind::Station { storm: Some(_) });
    let has_stops = look.all_stops().next().is_some();
    if !has_stops && !look.spec.nodes.iter().any(storms) {
        return None;
    }
    let (needed, channel) =
        longest_wait(look).filter(|(n, _)| *n > look.spec.rules.stall_after.0)?;
    let least = needed.div_ceil(1_000_000);
    Diagnostic::error("bad-times", "a queue that only waits would count as stuck")
        .at(
            &look.file.run.stall.at,
            "queues stopped for this long are checked for a deadlock",
        )
        .note(format!(
            "on `{}` a frame, a stop and a resume take up to {least} us",
            look.net.channel_name(channel)
        ))
        .help(format!("write `stall = \"{least} us\"` or more in `[run]`"))
        .into()
}
