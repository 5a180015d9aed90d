//! How each port takes the stops that come for it.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::{Channels, Commons, Duration, Rate};
use backwater_net::frames::spec::{
    CLASSES_MAX, CountedFrom, EthernetSpec, LinkSpec, Obeyed, QUANTUM_BITS,
};

use super::controls::{Controls, Mask, mask};
use crate::circuits::abr_checks::bps;
use crate::given::frames::flow_control::FlowControl;
use crate::given::frames::switch::Nodes;
use crate::language::kinds::OrWord;
use crate::prelude::*;

const MBPS: u64 = 1_000_000;

/// Most quanta from the last bit of a stop to the last start of a frame, by the rate of the port in
/// Mbps: IEEE 802.3, 31B.3.7. Up to 100 Mbps it is one.
const LIMITS: [(u64, u64); 10] = [
    (100, 1),
    (1_000, 2),
    (10_000, 67),
    (25_000, 80),
    (40_000, 118),
    (50_000, 147),
    (100_000, 394),
    (200_000, 453),
    (400_000, 905),
    (800_000, 905),
];

/// Fills in what each channel's `stopped` says.
pub(crate) fn fill(
    controls: &Controls<'_>,
    own: &BTreeMap<u32, &Nodes>,
    links: &mut [LinkSpec],
    mistakes: &mut Diagnostics,
) {
    let (file, net) = (controls.file, controls.net);
    let (mut told, mut commons) = (BTreeSet::new(), Commons::default());
    for id in 0..2 * links.len() as u32 {
        let node = net.ends(id).0;
        let common = match net.is_switch(node) {
            true => &file.switch.response,
            false => &file.host.response,
        };
        let here = own.get(&node).map(|own| own.response.over(common));
        let here = here.as_ref().unwrap_or(common);
        let response = &here.response;
        let channel = links.channel_mut(id);
        channel.stopped.by = obeyed(controls, id);
        channel.stopped.pipeline = here.pipeline.unwrap_or_default();
        channel.stopped.counted_from = counted_from(controls.of(id).rules);
        channel.stopped.response = match **response {
            None => Duration::ZERO,
            Some(OrWord::Value(span)) => span,
            Some(OrWord::Word) => limit(channel.rate).unwrap_or_else(|| {
                if told.insert(channel.rate.0) {
                    let name = net.channel_name(id);
                    mistakes.push(no_limit(&response.at, channel.rate, &name));
                }
                Duration::ZERO
            }),
        };
        *channel = commons.common(channel.clone());
    }
}

/// What is under flow control at the port in front of a channel.
fn obeyed(controls: &Controls<'_>, id: u32) -> Obeyed {
    // What has credit on the link, or nothing, is not stopped there.
    let Some((rules, classes)) = controls.stops(id) else {
        return Obeyed::NONE;
    };
    match rules {
        FlowControl::Pause(_) => Obeyed {
            port: true,
            ..Obeyed::NONE
        },
        FlowControl::Pfc(_) => Obeyed {
            classes,
            ..Obeyed::NONE
        },
        FlowControl::Destination { .. } => Obeyed {
            destinations: classes,
            ..Obeyed::NONE
        },
        _ => Obeyed::NONE,
    }
}

/// From when on stops count; by annex 31B, those of PAUSE when the frame in progress has ended.
fn counted_from(rules: &FlowControl) -> CountedFrom {
    let given = rules.stops().and_then(|stops| *stops.counted_from);
    match (given, rules) {
        (Some(given), _) => given.into(),
        (None, FlowControl::Pause(_)) => CountedFrom::FrameEnd,
        (None, _) => CountedFrom::Reception,
    }
}

/// Storms that nobody obeys.
pub(crate) fn ignored(controls: &Controls<'_>, spec: &EthernetSpec, mistakes: &mut Diagnostics) {
    let (file, net) = (controls.file, controls.net);
    for own in &file.nodes {
        let Some(storm) = &*own.storm else { continue };
        for (name, at) in own.name.iter() {
            let Ok(node) = net.find(name, at) else {
                continue;
            };
            let into = spec.links.channels().find(|id| net.ends(*id).1 == node);
            let Some(id) = into else { continue };
            let by = spec.links.channel(id).stopped.by;
            let classes = storm.classes.as_deref().map(mask);
            let missed = match classes {
                None if by.port => continue,
                None => "PAUSE".to_owned(),
                Some(classes) if classes & !by.classes == 0 => continue,
                Some(classes) => class_words(classes & !by.classes),
            };
            let said = own.storm.place().unwrap_or(at);
            let said = storm.classes.place().unwrap_or(said);
            let other = net.name(net.ends(id).0);
            let message = format!("`{other}` ignores stops of `{name}`");
            let mut told =
                Diagnostic::warning("ignored-stops", message).at(said, format!("stops {missed}"));
            if file.flow_control.is_given {
                told = told.at(&file.flow_control.at, words(by));
            }
            told.note("a port obeys stops of what is under flow control there, and no others")
                .note("the table `channels` counts those that it ignored")
                .help("leave them out of the storm, or put them under flow control")
                .tell(mistakes);
        }
    }
}

/// What is under flow control at a port.
fn words(by: Obeyed) -> String {
    let said = match by {
        Obeyed { port: true, .. } => "whole ports (PAUSE)".to_owned(),
        Obeyed { classes: 1.., .. } => format!("{} (PFC)", class_words(by.classes)),
        Obeyed {
            destinations: 1.., ..
        } => "destinations".to_owned(),
        _ => "nothing".to_owned(),
    };
    format!("stops {said} there")
}

/// "class 3", "classes 3 and 4".
fn class_words(classes: Mask) -> String {
    let all: Vec<String> = (0..CLASSES_MAX)
        .filter(|class| classes & 1 << class != 0)
        .map(|class| class.to_string())
        .collect();
    match all.as_slice() {
        [one] => format!("class {one}"),
        [first @ .., last] => format!("classes {} and {last}", first.join(", ")),
        [] => "no class".to_owned(),
    }
}

/// What the standard lets a port of a rate take.
pub(crate) fn limit(rate: Rate) -> Option<Duration> {
    limit_quanta(rate).map(|quanta| rate.serialization(quanta * QUANTUM_BITS / 8))
}

/// The same in quanta.
pub(crate) fn limit_quanta(rate: Rate) -> Option<u64> {
    let up_to = rate.0.max(LIMITS[0].0 * MBPS);
    let limit = LIMITS.into_iter().find(|(mbps, _)| mbps * MBPS == up_to);
    limit.map(|(_, quanta)| quanta)
}

fn no_limit(at: &At, rate: Rate, channel: &str) -> Diagnostic {
    let known = LIMITS[1..].iter();
    let known: Vec<String> = known.map(|(mbps, _)| (mbps / 1_000).to_string()).collect();
    Diagnostic::error(
        "bad-response",
        format!("IEEE 802.3 has no limit for a port of {}", bps(rate)),
    )
    .at(at, format!("`{channel}` is such a port"))
    .note(format!(
        "31B.3.7 has one for {} Gbps, and for 100 Mbps and less",
        known.join(", ")
    ))
    .help("write the time, as `response = \"2 us\"`, in `[[nodes]]` for single nodes")
}
