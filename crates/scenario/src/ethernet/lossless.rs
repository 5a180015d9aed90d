//! Is there room for what comes before a stop takes effect?

use backwater_kernel::words::counted;
use backwater_kernel::{Channels, Duration};
use backwater_net::frames::spec::{
    BackPressureSpec, ChannelSpec, ClassCreditSpec, EthernetSpec, InputSpec, NodeKind, QueueSpec,
    SchedulerSpec, Select, SwitchSpec,
};

use super::crossings::Crossings;
use super::flows::Flows;
use super::headroom::{self, Stop};
use super::net::Net;
use super::promises::Consent;
use super::threats;
use crate::given::ethernet::EthernetFile;
use crate::prelude::*;
use crate::suggest;

/// A control frame, bytes.
const CONTROL_BYTES: u32 = 64;
/// Inputs that a message lists.
const LISTED: usize = 4;

/// A network that is sound in its parts, and what it was built from.
pub(crate) struct Whole<'a> {
    pub file: &'a EthernetFile,
    pub net: &'a Net<'a>,
    pub flows: &'a Flows<'a>,
    pub spec: &'a EthernetSpec,
    pub crossings: &'a Crossings,
    pub consent: &'a Consent,
}

/// A queue or input with too little room.
struct Short {
    channel: u32,
    class: u8,
    /// Bytes it holds, and where it is congested.
    limit: u64,
    xoff: u64,
    needed: u64,
    notes: Vec<String>,
}

impl Short {
    fn missing(&self) -> u64 {
        self.needed
            .saturating_sub(self.limit.saturating_sub(self.xoff))
    }
}

pub(crate) fn channel_of(spec: &EthernetSpec, channel: u32) -> &ChannelSpec {
    spec.links.channel(channel)
}

pub(crate) fn switch_of(spec: &EthernetSpec, node: u32) -> Option<&SwitchSpec> {
    match &spec.nodes[node as usize].kind {
        NodeKind::Switch(switch) => Some(switch),
        NodeKind::Station { .. } => None,
    }
}

impl Whole<'_> {
    pub(super) fn pressure(&self, node: u32) -> Option<&BackPressureSpec> {
        switch_of(self.spec, node)?.back_pressure.as_ref()
    }

    /// What comes over an input after its stop was decided.
    pub(super) fn stop(&self, input: u32, class: u8) -> Option<Stop> {
        let load = self.crossings.on(input, class)?;
        let (from, to) = self.net.ends(input);
        let (there, back) = (
            channel_of(self.spec, input),
            channel_of(self.spec, input ^ 1),
        );
        let latency =
            |node| switch_of(self.spec, node).map_or(Duration::ZERO, |switch| switch.latency);
        let ahead = (0..there.queues.len() as u8)
            .filter_map(|class| self.crossings.on(input ^ 1, class))
            .map(|load| headroom::wire_time(back.rate, load.sizes.largest).0)
            .max();
        let response = there.stopped.response;
        Some(Stop {
            rate: there.rate,
            sizes: load.sizes,
            ahead: Duration(ahead.unwrap_or(0)),
            control: self.control(input),
            away: there.delay + back.delay + response + latency(from) + latency(to),
        })
    }

    /// Time of one control frame to the sender over an input.
    pub(super) fn control(&self, input: u32) -> Duration {
        headroom::wire_time(channel_of(self.spec, input ^ 1).rate, CONTROL_BYTES)
    }

    /// The credit of a class over an input.
    pub(super) fn credit(&self, input: u32, class: u8) -> Option<&ClassCreditSpec> {
        let credits = &channel_of(self.spec, input).credits;
        credits.get(usize::from(class))?.as_ref()
    }

    pub(super) fn has_credit(&self, input: u32, class: u8) -> bool {
        self.credit(input, class).is_some()
    }

    /// What an input counts of a class, where it is counted.
    pub(super) fn input(&self, channel: u32, class: u8) -> Option<&InputSpec> {
        let inputs = &channel_of(self.spec, channel).inputs;
        inputs.get(usize::from(class))
    }

    /// The queue of a class before a channel, where there is one.
    pub(super) fn queue(&self, channel: u32, class: u8) -> Option<&QueueSpec> {
        let queues = &channel_of(self.spec, channel).queues;
        queues.get(usize::from(class))
    }

    /// Is the class under flow control at switches?
    pub(super) fn is_lossless(&self, class: u8) -> bool {
        let nodes = 0..self.spec.nodes.len() as u32;
        let mut switches = nodes.filter_map(|node| self.pressure(node));
        switches.next().is_some_and(|p| p.classes & 1 << class != 0)
    }

    fn ignores_stops(&self, input: u32) -> bool {
        self.spec.nodes[self.net.ends(input).0 as usize].is_deaf
    }

    /// Headroom of each input at which congestion is seen, by channel and class.
    pub(super) fn needed_at_inputs(&self) -> Vec<(u32, u8, Stop)> {
        let all = self.crossings.crossed();
        let stopped = all.filter(|(channel, class)| {
            let pressure = self.pressure(self.net.ends(*channel).1);
            let is_stopped = pressure.is_some_and(|p| p.classes & 1 << class != 0);
            is_stopped && !self.has_credit(*channel, *class) && !self.ignores_stops(*channel)
        });
        stopped
            .filter_map(|(channel, class)| Some((channel, class, self.stop(channel, class)?)))
            .collect()
    }

    /// Output queues: the room above `xoff` against all inputs that feed it.
    fn short_outputs(&self) -> Vec<Short> {
        let mut short = Vec::new();
        for (channel, class) in self.crossings.crossed() {
            let node = self.net.ends(channel).0;
            let queue = &channel_of(self.spec, channel).queues[usize::from(class)];
            let (Some(pressure), Some(limit)) = (self.pressure(node), queue.limit_bytes) else {
                continue;
            };
            if pressure.classes & 1 << class == 0 || queue.high_bytes == u64::MAX {
                continue;
            }
            let inputs = self.crossings.inputs(channel, class);
            let inputs = inputs.filter(|(input, _)| !self.ignores_stops(*input));
            let by_destination = matches!(pressure.select, Select::Destination(_));
            let stops = inputs.filter_map(|(input, load)| {
                let stop = self.stop(input, class)?;
                let stop = Stop {
                    sizes: load.sizes,
                    ..stop
                };
                let times = if by_destination {
                    load.destinations.max(1)
                } else {
                    1
                };
                Some((input, stop, u64::from(times)))
            });
            let stops: Vec<(u32, Stop, u64)> = stops.collect();
            let sum = stops
                .iter()
                .map(|(_, stop, times)| stop.bytes().saturating_mul(*times));
            let sum = sum.fold(0_u64, u64::saturating_add);
            let sent = self.sent(channel, class, &stops);
            let mut found = Short {
                channel,
                class,
                limit,
                xoff: queue.high_bytes,
                needed: sum.saturating_sub(sent),
                notes: Vec::new(),
            };
            if found.missing() > 0 {
                found.notes = self.parts(&stops, sent);
                short.push(found);
            }
        }
        short
    }

    /// What the queue has sent before second frames come, where nothing can stop it.
    fn sent(&self, channel: u32, class: u8, stops: &[(u32, Stop, u64)]) -> u64 {
        let spec = channel_of(self.spec, channel);
        let next = &self.spec.nodes[self.net.ends(channel).1 as usize].kind;
        // Shaping holds frames that nothing else stops.
        let is_held = matches!(spec.scheduler, SchedulerSpec::Ats { .. });
        let is_free = matches!(next, NodeKind::Station { storm: None }) && !is_held;
        let others = 0..spec.queues.len() as u8;
        let is_strict = spec.scheduler == SchedulerSpec::StrictPriority;
        let others = others.filter(|other| match is_strict {
            true => *other > class,
            false => *other != class,
        });
        let alone = !others
            .into_iter()
            .any(|o| self.crossings.on(channel, o).is_some());
        let load = self.crossings.on(channel, class);
        match load.filter(|_| is_free && alone) {
            Some(load) => {
                let inputs: Vec<Stop> = stops.iter().map(|(_, stop, _)| *stop).collect();
                headroom::sent_meanwhile(spec.rate, load.sizes, &inputs)
            }
            None => 0,
        }
    }

    pub(super) fn parts(&self, stops: &[(u32, Stop, u64)], sent: u64) -> Vec<String> {
        let one = |(input, stop, times): &(u32, Stop, u64)| {
            let (frames, bytes) = (stop.frames(), stop.sizes.largest);
            let smaller = match stop.left_over() {
                0 => String::new(),
                bytes => format!(" and {bytes} B in smaller ones"),
            };
            let times = match times {
                1 => String::new(),
                times => format!(" for each of {times} hosts"),
            };
            format!(
                "`{}`: {} of {bytes} B{smaller}{times}",
                self.net.channel_name(*input),
                counted(frames, "frame")
            )
        };
        let more = |more| format!(" and {} more", counted(more, "input"));
        let listed = suggest::first(stops, LISTED, one, more);
        let mut notes = vec![format!("before stops take effect: {listed}")];
        if sent > 0 {
            notes.push(format!("{sent} B less, which leave meanwhile"));
        }
        notes
    }

    /// Counters at inputs: the room above `xoff` against that one input.
    fn short_inputs(&self) -> Vec<Short> {
        let all = self.needed_at_inputs().into_iter();
        let short = all.filter_map(|(channel, class, stop)| {
            let input = self.input(channel, class)?;
            let mut found = Short {
                channel,
                class,
                limit: input.limit_bytes?,
                xoff: input.high_bytes,
                needed: stop.bytes(),
                notes: Vec::new(),
            };
            if found.missing() > 0 {
                found.notes = self.parts(&[(channel, stop, 1)], 0);
            }
            (found.missing() > 0).then_some(found)
        });
        short.collect()
    }
}

/// Looks at every lossless class of every switch.
pub(crate) fn check(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    let Some(stops) = look.file.flow_control.stops() else {
        return;
    };
    let at = &stops.xoff.at;
    tell(look, at, "queue", look.short_outputs(), mistakes);
    tell(look, at, "input", look.short_inputs(), mistakes);
    small_outputs(look, mistakes);
    threats::check(look, stops, mistakes);
}

/// The worst where no loss is meant, and the worst where it is.
fn tell(look: &Whole<'_>, at: &At, what: &str, short: Vec<Short>, mistakes: &mut Diagnostics) {
    let is_meant = |short: &Short| {
        let (from, to) = look.net.ends(short.channel);
        let node = if what == "queue" { from } else { to };
        look.consent.is_meant(node, short.class)
    };
    let (meant, lost) = short.into_iter().partition(is_meant);
    tell_worst(look, at, what, lost, false, mistakes);
    tell_worst(look, at, what, meant, true, mistakes);
}

fn tell_worst(
    look: &Whole<'_>,
    at: &At,
    what: &str,
    short: Vec<Short>,
    meant: bool,
    mistakes: &mut Diagnostics,
) {
    let others = short.len().saturating_sub(1);
    let Some(worst) = short.into_iter().max_by_key(Short::missing) else {
        return;
    };
    let name = look.net.channel_name(worst.channel);
    let there = worst.limit - worst.xoff.min(worst.limit);
    let class = worst.class;
    let mut diagnostic = Diagnostic::error_unless(
        meant,
        "headroom",
        format!(
            "class {class} may lose frames at {what} `{name}`: {} B are missing",
            worst.missing()
        ),
    )
    .at(
        at,
        format!(
            "needs {} B above {} B; of {} B, {there} B are there",
            worst.needed, worst.xoff, worst.limit
        ),
    );
    for note in worst.notes {
        diagnostic = diagnostic.note(note);
    }
    if others > 0 {
        diagnostic = diagnostic.note(format!("{others} more have too little room"));
    }
    let share = worst.limit.saturating_sub(worst.needed) as f64 / worst.limit.max(1) as f64;
    let lower = (share > 0.0).then(|| {
        let percent = (share * 100.0).floor();
        format!("lower `xoff` to `\"{percent} %\"`, and `xon` below it")
    });
    mistakes.push(
        diagnostic
            .help_if(lower)
            .help("or give it more memory")
            .help_if((!meant).then(|| threats::consent(class))),
    );
}

/// Where inputs are counted, an output queue with a limit must hold what its inputs may send it.
fn small_outputs(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    for (channel, class) in look.crossings.crossed() {
        let counted = |input: u32| look.input(input, class)?.limit_bytes;
        let inputs = look.crossings.inputs(channel, class);
        let sum = inputs
            .filter_map(|(input, _)| counted(input))
            .fold(0, u64::saturating_add);
        let limit = look
            .queue(channel, class)
            .and_then(|queue| queue.limit_bytes);
        let Some(limit) = limit.filter(|limit| sum > *limit) else {
            continue;
        };
        let at = &look.file.buffer.per_queue.at;
        let name = look.net.channel_name(channel);
        let meant = look.consent.is_meant(look.net.ends(channel).0, class);
        Diagnostic::error_unless(
            meant,
            "headroom",
            format!("class {class} may lose frames at queue `{name}`"),
        )
        .at(at, format!("it holds {limit} B, its inputs up to {sum} B"))
        .note("inputs are stopped by what they hold themselves, whatever queue it waits in")
        .help("leave `per_queue` and `limit` out: inputs limit what there is")
        .tell(mistakes);
    }
}
