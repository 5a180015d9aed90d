//! Nodes: switches with their memory and flow control, hosts with their faults.

use std::collections::BTreeMap;

use backwater_kernel::{Channels, Rate, Time};
use backwater_net::frames::spec::{
    BackPressureSpec, BlockedSpec, Choose, Detect, DrainSpec, InputStopsSpec, LinkSpec, MemorySpec,
    Message, NodeKind, NodeSpec, Select, StopsSpec, StormSpec, SwitchSpec, TimeOutSpec,
    WatchdogSpec,
};

use super::controls::{Controls, Mask, mask};
use super::memory::Memories;
use super::net::Net;
use super::queues::{self, Ports, all_of};
use super::shared::inputs_of;
use crate::given::frames::EthernetFile;
use crate::given::frames::flow_control::{self, BlockedShare, FlowControl, Stops};
use crate::given::frames::switch::{Nodes, Storm, Watchdog};
use crate::language::diagnostics::{Diagnostic, Diagnostics};
use crate::language::kinds::{OrShare, OrWord};
use crate::language::typed::Placed;
use crate::language::units::share_of;

/// What every port needs to know before links and switches are built.
pub(crate) fn ports(file: &EthernetFile, highest: u8, mistakes: &mut Diagnostics) -> Ports {
    let classes = file.switch.classes.unwrap_or(highest + 1);
    let all = all_of(classes);
    let is_shared = file.buffer.shared.is_some();
    let stops = file.flow_control.stops();
    let detect = stops.and_then(|stops| *stops.detect);
    if let (true, Some(stops), Some(flow_control::Detect::Outputs)) = (is_shared, stops, detect) {
        Diagnostic::error("no-meaning", "shared memory sees congestion at inputs")
            .at(&stops.detect.at, "counts at output queues")
            .note("an input that holds more than its share of the memory is stopped")
            .help("leave `detect` out, or give each queue its own memory")
            .tell(mistakes);
    }
    let named = stops.map(|stops| &*stops.classes);
    let lossless = named.map_or(0, |classes| classes.as_deref().map_or(all, mask));
    let counts_inputs = is_shared || detect == Some(flow_control::Detect::Inputs);
    Ports {
        classes,
        lossless,
        at_inputs: lossless != 0 && counts_inputs,
        is_shared,
    }
}

/// Builds every node.
pub(crate) fn nodes(
    controls: &Controls<'_>,
    (links, memories): (&[LinkSpec], Option<&Memories<'_>>),
    own: &BTreeMap<u32, &Nodes>,
) -> Vec<NodeSpec> {
    let (file, net) = (controls.file, controls.net);
    let common = file.watchdog.as_ref().map(watchdog);
    let ids = 0..net.nodes.len() as u32;
    ids.map(|node| {
        let is_switch = net.is_switch(node);
        let own = own.get(&node).copied();
        let storm = own.and_then(|own| own.storm.as_ref());
        let own_watchdog = own.and_then(|own| own.watchdog.as_ref()).map(watchdog);
        NodeSpec {
            name: net.name(node).into(),
            kind: match is_switch {
                true => NodeKind::Switch(switch_spec(controls, (links, memories), node)),
                false => NodeKind::Station {
                    storm: storm.map(|storm| self::storm(storm, *file.run.duration)),
                },
            },
            is_deaf: own.is_some_and(|own| *own.ignores_stops),
            watchdog: own_watchdog.or(common.filter(|_| is_switch)),
            // Filled in when all that speaks against it is known.
            promised: 0,
        }
    })
    .collect()
}

/// The entries of `[[nodes]]`, by node.
pub(crate) fn differing<'r>(
    file: &'r EthernetFile,
    net: &Net<'_>,
    mistakes: &mut Diagnostics,
) -> BTreeMap<u32, &'r Nodes> {
    let mut found: BTreeMap<u32, &Nodes> = BTreeMap::new();
    for own in &file.nodes {
        let own = &own.value;
        for (name, at) in own.name.iter() {
            let Some(node) = mistakes.kept(net.find(name, at)) else {
                continue;
            };
            if let Some(first) = found.insert(node, own) {
                Diagnostic::error("contradiction", format!("`{name}` is given twice"))
                    .twice(at, &first.name.at)
                    .help("say all of a node in one `[[nodes]]`")
                    .tell(mistakes);
            }
            if let Some(storm) = own.storm.place().filter(|_| net.is_switch(node)) {
                Diagnostic::error("not-a-host", format!("`{name}` is a switch"))
                    .at(storm, "storms come from hosts")
                    .help("give it to a host behind this switch")
                    .tell(mistakes);
            }
        }
    }
    found
}

/// At what pace hosts take frames.
pub(crate) fn drains(
    net: &Net<'_>,
    links: &[LinkSpec],
    own: &BTreeMap<u32, &Nodes>,
    mistakes: &mut Diagnostics,
) -> Vec<DrainSpec> {
    let mut found = Vec::new();
    for (node, own) in own {
        let mut before: Option<&Placed<Time>> = None;
        for step in &own.drain {
            if net.is_switch(*node) {
                Diagnostic::error("not-a-host", format!("`{}` is a switch", net.name(*node)))
                    .at(&step.at, "hosts take frames at their own pace")
                    .help("give it to a host, or a lower `rate` to a link of this switch")
                    .tell(mistakes);
                break;
            }
            let from = &step.from;
            if from.sure().is_none() {
                continue;
            }
            if let Some(before) = before.filter(|before| ***before >= **from) {
                Diagnostic::error("bad-times", "steps of a host are out of order")
                    .at(&from.at, "not later than the step before it")
                    .at(&before.at, "the step before it")
                    .help("write the steps in the order of their times")
                    .tell(mistakes);
            }
            before = Some(from);
            let leaving = net.neighbours[*node as usize].first();
            let port = leaving.map(|(_, channel)| links.channel(channel ^ 1).rate);
            found.extend(port.map(|port| DrainSpec {
                node: *node,
                from: **from,
                rate: match *step.rate {
                    OrShare::Share(share) if share.is_zero() => Rate(0),
                    OrShare::Share(share) => share_of(port, share),
                    OrShare::Value(rate) => rate,
                },
            }));
        }
    }
    found
}

fn storm(storm: &Storm, stop_at: Time) -> StormSpec {
    StormSpec {
        from: storm.from,
        until: storm.until.unwrap_or(stop_at),
        // Its PFC frames name eight.
        classes: storm.classes.as_deref().map(|named| mask(named) as u8),
        quanta: storm.quanta,
    }
}

fn watchdog(watchdog: &Watchdog) -> WatchdogSpec {
    WatchdogSpec {
        detect: watchdog.detect,
        restore: watchdog.restore,
        action: (*watchdog.action).into(),
    }
}

fn switch_spec(
    controls: &Controls<'_>,
    (links, memories): (&[LinkSpec], Option<&Memories<'_>>),
    node: u32,
) -> SwitchSpec {
    let (file, net, ports) = (controls.file, controls.net, controls.ports);
    // Headroom is filled in when the frames that cross each link are known.
    let memory = memories.map_or(MemorySpec::Queues, |memories| {
        let inputs = inputs_of(net, node, ports.classes);
        MemorySpec::Shared(memories.spec(net, (node, &inputs), 0, |_| 0))
    });
    let queues = net.neighbours[node as usize].iter();
    let limits = queues.flat_map(|(_, channel)| {
        let side = links.channel(*channel);
        side.queues.iter().filter_map(|queue| queue.limit_bytes)
    });
    let largest = limits.max().unwrap_or(0);
    SwitchSpec {
        forwarding: file.switch.forwarding.into(),
        latency: net.nodes[node as usize]
            .latency
            .unwrap_or(file.switch.latency),
        memory,
        stops: stops(controls, node, largest),
    }
}

/// What all of its inputs or outputs do, and inputs whose links say otherwise.
fn stops(controls: &Controls<'_>, node: u32, largest: u64) -> StopsSpec {
    let (file, ports) = (controls.file, controls.ports);
    let common = flow_control(&file.flow_control, ports.lossless, ports.detect(), largest);
    let inputs = controls.net.neighbours[node as usize].iter();
    let mut inputs: Vec<u32> = inputs.map(|(_, channel)| channel ^ 1).collect();
    inputs.sort_unstable();
    let differ = inputs.into_iter().filter(|id| controls.differs(*id));
    let inputs = differ.map(|channel| InputStopsSpec {
        channel,
        rules: controls
            .stops(channel)
            .and_then(|(rules, classes)| flow_control(rules, classes, Detect::Inputs, largest)),
    });
    StopsSpec {
        common,
        own: inputs.collect(),
    }
}

fn flow_control(
    pressure: &FlowControl,
    classes: Mask,
    detect: Detect,
    largest: u64,
) -> Option<BackPressureSpec> {
    let select = match pressure {
        FlowControl::None
        | FlowControl::N23 { .. }
        | FlowControl::N123 { .. }
        | FlowControl::N123Plus { .. }
        | FlowControl::Relative(_)
        | FlowControl::Cumulative { .. }
        | FlowControl::Cbfc { .. }
        | FlowControl::InfiniBand { .. }
        | FlowControl::Grains { .. } => return None,
        FlowControl::Pause(_) => Select::Port,
        FlowControl::Pfc(_) => Select::Class,
        FlowControl::Destination { choose, frames, .. } => Select::Destination(match **choose {
            flow_control::Choose::AllFound => Choose::AllFound,
            flow_control::Choose::Random => Choose::Random { frames: *frames },
        }),
    };
    let stops = pressure.stops()?;
    Some(BackPressureSpec {
        classes,
        select,
        detect,
        notify: stops.notify.unwrap_or(flow_control::Notify::Others).into(),
        message: message(stops),
        binding: stops.content.value.into(),
        time_out: stops.time_out.as_ref().map(|time_out| TimeOutSpec {
            after: time_out.after,
            grace: time_out.grace,
        }),
        blocked: pressure
            .blocked_share()
            .and_then(|share| blocked(stops, share, largest)),
    })
}

fn message(stops: &Stops) -> Message {
    let percent = |part: f64| ((part * 100.0).round() as u8).clamp(1, 99);
    match *stops.quanta {
        OrWord::Word => Message::UntilCancelled,
        OrWord::Value(quanta) => Message::Quanta {
            quanta,
            refresh_percent: stops.refresh.value.value().map(percent),
        },
    }
}

fn blocked(stops: &Stops, share: &BlockedShare, largest: u64) -> Option<BlockedSpec> {
    let high_bytes = share.xoff.sure()?.of(largest)?;
    let low_bytes = match *share.xon {
        Some(xon) => xon.of(largest)?,
        None => {
            let xoff = queues::xoff(&stops.xoff, largest)?;
            let margin = xoff.saturating_sub(queues::xon(&stops.xon, largest)?);
            high_bytes.saturating_sub(margin)
        }
    };
    Some(BlockedSpec {
        high_bytes,
        low_bytes,
    })
}
