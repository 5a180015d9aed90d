//! What must hold whatever the traffic, checked from outside on what a probe is told; each with
//! something that breaks it.

use crate::ethernet_common;

use std::collections::BTreeMap;

use backwater_kernel::{Channels, Duration, Time};
use backwater_net::frames::probe::{Audit, FrameView, LossCause, Probe};
use backwater_net::frames::spec::*;
use backwater_net::watched;
use backwater_oracle::ethernet::{Mix, SCHEMES, Scheme, random_spec};
use ethernet_common::watch::*;

const SEEDS: u64 = 12;

/// No faults, so that every promise holds.
fn sound(scheme: Scheme) -> Mix {
    Mix {
        has_faults: false,
        has_watchdogs: false,
        has_time_outs: false,
        has_quanta: false,
        ..Mix::of(scheme)
    }
}

/// Random networks under every scheme.
fn networks(first: u64, change: impl Fn(&mut Mix)) -> Vec<EthernetSpec> {
    let mut specs = Vec::new();
    for scheme in SCHEMES {
        let mut mix = sound(scheme);
        change(&mut mix);
        specs.extend((first..first + SEEDS).map(|seed| random_spec(seed, mix)));
    }
    specs
}

fn holds(spec: &EthernetSpec, law: Result<(), String>) {
    if let Err(text) = law {
        panic!("seed {}: {text}", spec.seed);
    }
}

fn each_switch(spec: &mut EthernetSpec, change: impl Fn(&mut SwitchSpec)) {
    for node in &mut spec.nodes {
        if let NodeKind::Switch(switch) = &mut node.kind {
            change(switch);
        }
    }
}

fn each_queue(spec: &mut EthernetSpec, change: impl Fn(&mut QueueSpec)) {
    for link in &mut spec.links {
        for channel in &mut link.channels {
            channel.queues.iter_mut().for_each(&change);
        }
    }
}

/// The events without the one at the first place that is as asked.
fn without(events: &Events, what: impl Fn(&Event) -> bool) -> Events {
    let place = events
        .iter()
        .position(|(_, event)| what(event))
        .expect("there is one");
    let mut altered = events.clone();
    altered.remove(place);
    altered
}

#[test]
fn frames_and_bytes_are_conserved() {
    let mut mixed = networks(0, |mix| {
        (mix.has_faults, mix.has_watchdogs, mix.has_time_outs) = (true, true, true);
    });
    mixed.extend(networks(50, |mix| mix.has_quanta = true));
    mixed.extend(networks(100, |mix| {
        (mix.has_multicast, mix.has_losses, mix.has_watchdogs) = (true, true, true);
    }));
    for spec in &mixed {
        let events = events_of(spec);
        holds(spec, conserves(spec, &events));
    }
    // One frame that never joins, one that leaves twice.
    let spec = random_spec(1, sound(Scheme::Port));
    let events = events_of(&spec);
    let is_joined = |event: &Event| matches!(event, Event::Joined(..));
    assert!(conserves(&spec, &without(&events, is_joined)).is_err());
    let delivered = |(_, event): &(u64, Event)| matches!(event, Event::Delivered(..));
    let place = events.iter().position(delivered).expect("one is delivered");
    let mut twice = events.clone();
    twice.insert(place, events[place]);
    assert!(conserves(&spec, &twice).is_err());
}

/// The audit agrees, station by station; it sees a copy that is left out.
#[test]
fn copies_are_audited() {
    let mut copies = 0;
    for spec in networks(150, |mix| {
        (mix.has_multicast, mix.has_losses) = (true, true)
    }) {
        let (probe, outcome) = watched(&spec, Audit::new(&spec)).expect("a sound network");
        let audit = probe;
        assert_eq!(
            audit.checks().violations().total(),
            0,
            "{}: {:?}",
            spec.seed,
            audit.checks().violations()
        );
        assert_eq!(
            outcome.violations.total(),
            0,
            "{}: {:?}",
            spec.seed,
            outcome.violations
        );
        for flow in &outcome.flows {
            let all = flow.destinations.iter();
            let delivered: u64 = all.map(|own| own.delivered_total).sum();
            assert!(flow.destinations.is_empty() || delivered == flow.delivered_total);
            copies += flow.destinations.len();
        }
    }
    assert!(copies > 100);
}

/// A copy for a station that has had one, or that was dropped on the way to it, is seen.
#[test]
fn a_copy_too_many_is_seen() {
    let spec = networks(150, |mix| mix.has_multicast = true).remove(1);
    let is_copy = |event: &Event| match event {
        Event::Created(_, frame) => frame.receivers.1 > 1,
        _ => false,
    };
    let events = events_of(&spec);
    let mut made = events.iter().filter(|(_, event)| is_copy(event));
    let Some((at, Event::Created(channel, frame))) = made.next() else {
        panic!("there is a multicast");
    };
    let (at, last) = (Time(*at), frame.receivers.0 + frame.receivers.1 - 1);
    let for_ = |first, count| FrameView {
        receivers: (first, count),
        ..*frame
    };
    let broken = |ends: &[(bool, FrameView)]| {
        let mut audit = Audit::new(&spec);
        audit.on_frame_created(at, *channel, &frame.into());
        audit.on_frame_joined(at, *channel, &frame.into(), frame.bytes.into());
        for (is_dropped, frame) in ends {
            match is_dropped {
                true => audit.on_frame_dropped(at, *channel, &frame.into(), LossCause::Wire),
                false => audit.on_frame_delivered(at, &frame.into()),
            }
        }
        audit.checks().violations().total()
    };
    let rest = for_(frame.receivers.0, frame.receivers.1 - 1);
    assert_eq!(broken(&[(false, for_(last, 1)), (true, rest)]), 0);
    assert_eq!(broken(&[(false, for_(last, 1)), (false, for_(last, 1))]), 1);
    assert_eq!(broken(&[(true, *frame), (false, for_(last, 1))]), 1);
}

#[test]
fn ports_serve_what_may_go() {
    for spec in &networks(100, |mix| mix.has_quanta = true) {
        let events = events_of(spec);
        holds(spec, serves_what_may_go(spec, &events));
        holds(spec, keeps_order(&events));
    }
    // A port that does not know that it may go on, and one that does not know that it is stopped.
    let mut seen = (0, 0);
    for seed in 100..100 + SEEDS {
        let spec = random_spec(seed, sound(Scheme::Port));
        let events = events_of(&spec);
        for is_stopped in [true, false] {
            let is_gate =
                |event: &Event| matches!(event, Event::Gate(_, _, it) if *it == is_stopped);
            if events.iter().any(|(_, event)| is_gate(event)) {
                let broken = serves_what_may_go(&spec, &without(&events, is_gate)).is_err();
                seen.0 += u32::from(broken && is_stopped);
                seen.1 += u32::from(broken && !is_stopped);
            }
        }
    }
    assert!(seen.0 > 0 && seen.1 > 0, "{seen:?}");
}

#[test]
fn order_is_seen_to_be_lost() {
    let delivered = |event: &Event| match event {
        Event::Delivered(frame) => Some((frame.flow, frame.source)),
        _ => None,
    };
    // The first two of a flow that were delivered.
    let pair = |events: &[(u64, Event)]| {
        let places = (0..events.len()).filter(|place| delivered(&events[*place].1).is_some());
        let mut last = BTreeMap::new();
        places.into_iter().find_map(|place| {
            let before = last.insert(delivered(&events[place].1), place);
            before.map(|before| (before, place))
        })
    };
    let (mut events, (left, right)) = (0..50)
        .map(|seed| events_of(&random_spec(seed, sound(Scheme::Off))))
        .filter(|events| events.len() > 2_000)
        .find_map(|events| pair(&events).map(|pair| (events, pair)))
        .expect("a busy network");
    events.swap(left, right);
    assert!(keeps_order(&events).is_err());
}

#[test]
fn control_frames_get_through_and_alternate() {
    let (mut stops, mut lost_seen, mut unpaired) = (0, 0, 0);
    for has_quanta in [false, true] {
        for spec in &networks(200, |mix| mix.has_quanta = has_quanta) {
            let events = events_of(spec);
            holds(spec, control_gets_through(&events));
            holds(spec, alternates(&events, has_quanta));
            let is_control =
                |event: &Event| matches!(event, Event::Start(_, frame) if frame.is_control());
            stops += events.iter().filter(|(_, event)| is_control(event)).count();
            let count = events.iter().filter(|(_, event)| is_control(event)).count();
            if count >= 4 {
                let lost =
                    |event: &Event| matches!(event, Event::Arrival(_, frame) if frame.is_control());
                lost_seen += u32::from(control_gets_through(&without(&events, lost)).is_err());
                unpaired += u32::from(alternates(&without(&events, is_control), false).is_err());
            }
        }
    }
    assert!(stops > 500, "{stops}");
    assert!(lost_seen > 20 && unpaired > 20, "{lost_seen}, {unpaired}");
}

#[test]
fn connections_deliver_in_order_and_once() {
    let mut read = 0;
    for spec in &networks(300, |mix| mix.is_finite = true) {
        let events = events_of(spec);
        holds(spec, delivers_in_order(&events));
        let is_read = |event: &Event| match event {
            Event::Payload(flow, ..) => {
                matches!(spec.flows[*flow as usize].transport, TransportSpec::Tcp(_))
            }
            _ => false,
        };
        if events.iter().any(|(_, event)| is_read(event)) {
            read += 1;
            assert!(delivers_in_order(&without(&events, is_read)).is_err());
        }
    }
    assert!(read > 20, "{read}");
}

/// Without back-pressure nothing is stopped; where queues never pass their high thresholds, the
/// schemes do not differ.
#[test]
fn without_congestion_all_schemes_give_the_identical_run() {
    let data = |events: &Events| -> Vec<(u64, u32, u32, u64)> {
        let starts = events.iter().filter_map(|(at, event)| match event {
            Event::Start(channel, frame) if !frame.is_control() => {
                Some((*at, *channel, frame.flow, frame.number))
            }
            _ => None,
        });
        starts.collect()
    };
    let under = |seed: u64, select: Option<Select>, high: u64| {
        let mut spec = random_spec(
            seed,
            Mix {
                has_shared: false,
                ..sound(Scheme::Off)
            },
        );
        each_switch(&mut spec, |switch| {
            switch.stops.common = select.map(|select| lossless(select, Notify::All));
        });
        each_queue(&mut spec, |queue| {
            queue.high_bytes = high.min(queue.limit_bytes.unwrap_or(high));
            queue.low_bytes = queue.high_bytes / 2;
        });
        data(&events_of(&spec))
    };
    let mut differ = 0;
    for seed in 400..400 + SEEDS {
        let off = under(seed, None, u64::MAX);
        let destination = Select::Destination(Choose::AllFound);
        for select in [Select::Port, Select::Class, destination] {
            assert_eq!(off, under(seed, Some(select), u64::MAX), "seed {seed}");
            differ += u32::from(off != under(seed, Some(select), 2_000));
        }
    }
    assert!(
        differ > 10,
        "only {differ} differ where queues are congested"
    );
}

/// Stops until cancelled, of every class.
fn lossless(select: Select, notify: Notify) -> BackPressureSpec {
    BackPressureSpec {
        classes: u8::MAX.into(),
        select,
        detect: Detect::Outputs,
        notify,
        message: Message::UntilCancelled,
        binding: Default::default(),
        time_out: None,
        blocked: None,
    }
}

/// Bytes that may still come over a channel after the queue has passed its threshold: a frame
/// that is arriving, and what its rate brings in until a stop, behind the frames ahead of it on
/// the way back, has crossed the link and taken effect. `ahead` control frames may go first.
fn headroom(spec: &EthernetSpec, input: u32, frame_bytes: u64, ahead: u64) -> u64 {
    let (here, back) = (channel_spec(spec, input), channel_spec(spec, input ^ 1));
    let latency = |node: u32| match &spec.nodes[node as usize].kind {
        NodeKind::Switch(switch) => switch.latency.ps(),
        NodeKind::Station { .. } => 0,
    };
    let (sender, receiver) = (tail(spec, input), tail(spec, input ^ 1));
    let wait = back.rate.serialization(frame_bytes + 20).ps();
    let stop = (1 + ahead) * back.rate.serialization(84).ps();
    let way = here.delay.ps() + back.delay.ps() + latency(sender) + latency(receiver);
    let time = wait + stop + way + here.stopped.response.ps();
    let bits = here.rate.bits_in(Duration(time));
    let frames = 2 + bits.div_ceil(8 * u128::from(frame_bytes + 20)) as u64;
    frames * frame_bytes
}

/// Limits that leave room for what comes after the threshold (or `percent` of it).
fn with_headroom(mut spec: EthernetSpec, percent: u64) -> EthernetSpec {
    let frame_bytes = 1_538;
    let destinations = spec.nodes.len() as u64;
    let plain = spec.clone();
    for id in spec.links.channels() {
        let node = tail(&plain, id);
        let inputs = (plain.links.channels()).filter(|it| tail(&plain, it ^ 1) == node);
        // Frames to each destination are stopped once the first of them has come.
        let is_by_destination = match &plain.nodes[node as usize].kind {
            NodeKind::Switch(switch) => switch
                .stops
                .common
                .is_some_and(|it| matches!(it.select, Select::Destination(_))),
            NodeKind::Station { .. } => continue,
        };
        let times = if is_by_destination { destinations } else { 1 };
        let ahead = 4 * destinations * 8;
        let room: u64 = inputs
            .map(|it| times * headroom(&plain, it, frame_bytes, ahead))
            .sum();
        for queue in &mut spec.links.channel_mut(id).queues {
            queue.limit_bytes = Some(queue.high_bytes + room * percent / 100);
        }
    }
    spec
}

#[test]
fn nothing_is_lost_where_the_headroom_is_enough() {
    let (mut lost, mut deaf) = (0, 0);
    for (index, scheme) in SCHEMES[1..4].iter().enumerate() {
        let first = 500 + 100 * index as u64;
        for seed in first..first + SEEDS {
            let mix = Mix {
                has_inputs: false,
                has_shared: false,
                ..sound(*scheme)
            };
            let mut spec = random_spec(seed, mix);
            each_switch(&mut spec, |switch| {
                if let Some(control) = &mut switch.stops.common {
                    control.classes = u8::MAX.into();
                    control.blocked = None;
                }
            });
            let enough = with_headroom(spec.clone(), 100);
            holds(&enough, loses_nothing(&events_of(&enough), 0xff));
            let too_little = with_headroom(spec, 1);
            lost += u32::from(loses_nothing(&events_of(&too_little), 0xff).is_err());
            let mut broken = enough.clone();
            broken.nodes.iter_mut().for_each(|node| node.is_deaf = true);
            each_queue(&mut broken, |queue| {
                queue.high_bytes = queue.high_bytes.min(4_000);
                queue.low_bytes = queue.high_bytes / 2;
            });
            deaf += u32::from(loses_nothing(&events_of(&broken), 0xff).is_err());
        }
    }
    assert!(
        lost > 5 && deaf > 5,
        "{lost} and {deaf} networks lose frames"
    );
}

/// A tree in which nobody waits for himself: no circles, and no neighbour is told who only
/// takes.
fn drains(seed: u64, scheme: Scheme) -> Option<EthernetSpec> {
    let mix = Mix {
        is_finite: true,
        has_inputs: false,
        has_shared: false,
        ..sound(scheme)
    };
    let mut spec = random_spec(seed, mix);
    if spec.links.len() + 1 != spec.nodes.len() {
        return None;
    }
    spec.stop_at = Time(spec.stop_at.ps() * 1_000);
    each_switch(&mut spec, |switch| {
        if let Some(control) = &mut switch.stops.common {
            control.notify = Notify::Contributing;
        }
    });
    Some(spec)
}

#[test]
fn all_drains_and_every_stop_is_cancelled() {
    let (mut networks, mut stops) = (0, 0);
    for scheme in SCHEMES {
        for spec in (600..600 + 2 * SEEDS).filter_map(|seed| drains(seed, scheme)) {
            let events = events_of(&spec);
            holds(&spec, drained(&events));
            holds(&spec, all_is_cancelled(&events));
            networks += 1;
            let is_control = |frame: &FrameView| frame.is_control();
            let last = events.iter().rposition(
                |(_, event)| matches!(event, Event::Start(_, frame) if is_control(frame)),
            );
            if let Some(last) = last {
                let mut uncancelled = events.clone();
                uncancelled.remove(last);
                assert!(all_is_cancelled(&uncancelled).is_err());
                stops += 1;
            }
            let is_end = |event: &Event| matches!(event, Event::Delivered(..));
            assert!(drained(&without(&events, is_end)).is_err());
        }
    }
    assert!(
        networks > 20 && stops > 5,
        "{networks} networks, {stops} with stops"
    );
}

/// The higher the threshold, the less the simple scheme stops; at the limit it does nothing, and
/// much more is lost.
#[test]
fn the_simple_scheme_fades_as_the_threshold_nears_the_limit() {
    let (mut stops, mut lost) = ([0; 3], [0; 3]);
    for seed in 700..700 + SEEDS {
        let mix = Mix {
            has_shared: false,
            has_inputs: false,
            ..sound(Scheme::Port)
        };
        let spec = random_spec(seed, mix);
        let mut off = spec.clone();
        each_switch(&mut off, |switch| switch.stops.common = None);
        let free = events_of(&off);
        for (place, percent) in [40, 80, 100].into_iter().enumerate() {
            let mut spec = spec.clone();
            each_switch(&mut spec, |switch| {
                switch.stops.common = Some(lossless(Select::Port, Notify::Contributing));
            });
            each_queue(&mut spec, |queue| {
                let limit = queue.limit_bytes.unwrap_or(u64::MAX / 100);
                queue.high_bytes = limit * percent / 100;
                queue.low_bytes = queue.high_bytes * 3 / 4;
            });
            let events = events_of(&spec);
            let is_stop =
                |event: &Event| matches!(event, Event::Start(_, frame) if frame.is_control());
            let is_drop = |event: &Event| matches!(event, Event::Drop(..));
            stops[place] += events.iter().filter(|(_, event)| is_stop(event)).count();
            lost[place] += events.iter().filter(|(_, event)| is_drop(event)).count();
            if percent == 100 {
                assert_eq!(format!("{events:?}"), format!("{free:?}"), "seed {seed}");
            }
        }
    }
    assert!(
        stops[0] > stops[1] && stops[1] > stops[2] && stops[2] == 0,
        "{stops:?}"
    );
    // What it saves at one queue it may lose at the one behind which stops make frames wait.
    assert!(10 * lost[0].max(lost[1]) < lost[2], "{lost:?}");
}
