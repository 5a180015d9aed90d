//! Is there room for what comes before a stop takes effect?

use backwater_kernel::Channels;
use backwater_kernel::words::counted;
use backwater_net::frames::spec::{
    BackPressureSpec, ChannelSpec, ClassCreditSpec, CountersSpec, EthernetSpec, InputSpec,
    NodeKind, QueueSpec, SwitchSpec,
};

use super::controls::Controls;
use super::crossings::Crossings;
use super::flows::Flows;
use super::headroom::{Brought, Need, Place, Stop};
use super::net::Net;
use super::promises::Consent;
use super::threats;
use crate::given::frames::EthernetFile;
use crate::language::suggest;
use crate::prelude::*;

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
    pub controls: &'a Controls<'a>,
    /// Lanes of flows or hosts, by channel and class; empty without any.
    pub lanes: Vec<u32>,
    /// Bytes of the frames in which switches state rates to sources, where they do.
    pub rate_message: Option<u32>,
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
    /// The rules under which whoever sends over a channel may be stopped, for whatever.
    pub(super) fn stops_over(&self, channel: u32) -> Option<&BackPressureSpec> {
        switch_of(self.spec, self.net.ends(channel).1)?
            .stops
            .over(channel)
    }

    /// Those under which it is stopped for what came over it.
    pub(super) fn stops_at_input(&self, channel: u32) -> Option<&BackPressureSpec> {
        switch_of(self.spec, self.net.ends(channel).1)?
            .stops
            .at_input(channel)
    }

    /// Those under which a node stops neighbours for what its output queues hold.
    pub(super) fn stops_at_outputs(&self, node: u32) -> Option<&BackPressureSpec> {
        switch_of(self.spec, node)?.stops.at_outputs()
    }

    /// All stops of a node.
    pub(super) fn stops_of(&self, node: u32) -> impl Iterator<Item = &BackPressureSpec> {
        let switch = switch_of(self.spec, node);
        switch.into_iter().flat_map(|switch| switch.stops.all())
    }

    /// All stops of all nodes.
    pub(super) fn all_stops(&self) -> impl Iterator<Item = &BackPressureSpec> {
        let nodes = 0..self.spec.nodes.len() as u32;
        nodes.flat_map(|node| self.stops_of(node))
    }

    /// Where the file gives the threshold of a place.
    fn xoff_at(&self, need: &Need) -> Option<&At> {
        let rules = match need.place {
            Place::Queue => &self.file.flow_control,
            Place::Input | Place::Shared | Place::Pool => self.controls.of(need.channel).rules,
        };
        rules.stops().map(|stops| &stops.xoff.at)
    }

    /// The credit of a class over an input.
    pub(super) fn credit(&self, input: u32, class: u8) -> Option<&ClassCreditSpec> {
        let credits = &channel_of(self.spec, input).credits;
        credits.get(usize::from(class))?.as_ref()
    }

    /// What the ports of an input keep for classes under counters.
    pub(super) fn counters(&self, input: u32) -> Option<&CountersSpec> {
        channel_of(self.spec, input).counters.as_ref()
    }

    pub(super) fn has_credit(&self, input: u32, class: u8) -> bool {
        self.credit(input, class).is_some()
    }

    /// Lanes of a class with credit over an input: one, or each flow or host has one.
    pub(super) fn lanes(&self, input: u32, class: u8) -> u64 {
        let classes = channel_of(self.spec, input).queues.len();
        let at = input as usize * classes + usize::from(class);
        self.lanes
            .get(at)
            .map_or(1, |lanes| u64::from(*lanes).max(1))
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
        self.all_stops().any(|rules| rules.watches(class))
    }

    pub(super) fn ignores_stops(&self, input: u32) -> bool {
        self.spec.nodes[self.net.ends(input).0 as usize].is_deaf
    }

    /// An account in words.
    pub(super) fn parts(&self, need: &Need) -> Vec<String> {
        let mut inputs: Vec<(u32, &Brought)> = Vec::new();
        for own in &need.brought {
            inputs.extend(own.inputs.iter().map(|input| (*input, own)));
        }
        inputs.sort_by_key(|(input, _)| *input);
        let one = |(input, own): &(u32, &Brought)| {
            let (frames, bytes) = (own.stop.frames(), own.stop.sizes.largest);
            let smaller = match own.stop.left_over() {
                0 => String::new(),
                bytes => format!(" and {bytes} B in smaller ones"),
            };
            let cells = match own.stop.cell_bytes {
                0 | 1 => String::new(),
                cell => {
                    let cells = own.stop.frame_bytes() / u64::from(cell);
                    format!(" ({} of {cell} B each)", counted(cells, "cell"))
                }
            };
            let times = match own.times {
                1 => String::new(),
                times => format!(" for each of {times} hosts"),
            };
            format!(
                "`{}`: {} of {bytes} B{cells}{smaller}{times}",
                self.net.channel_name(*input),
                counted(frames, "frame")
            )
        };
        let more = |more| format!(" and {} more", counted(more, "input"));
        let listed = suggest::first(&inputs, LISTED, one, more);
        let mut notes = vec![format!("before stops take effect: {listed}")];
        let slowest = inputs.iter().map(|(_, own)| own.stop);
        notes.extend(slowest.max_by_key(Stop::span).map(|stop| stop.words()));
        if need.leaves > 0 {
            notes.push(format!("{} B less, which leave meanwhile", need.leaves));
        }
        notes
    }
}

/// Looks at every lossless class of every switch; the account of all its queues and inputs.
pub(crate) fn check(look: &Whole<'_>, mistakes: &mut Diagnostics) -> Vec<Need> {
    if look.all_stops().next().is_none() {
        return Vec::new();
    }
    let mut account = look.outputs();
    tell(look, &account, mistakes);
    let inputs = look.inputs();
    tell(look, &inputs, mistakes);
    account.extend(inputs);
    small_outputs(look, mistakes);
    threats::check(look, mistakes);
    account
}

/// The worst where no loss is meant, and the worst where it is.
fn tell(look: &Whole<'_>, account: &[Need], mistakes: &mut Diagnostics) {
    let is_meant = |need: &&Need| {
        let (from, to) = look.net.ends(need.channel);
        let node = if need.place == Place::Queue { from } else { to };
        look.consent.is_meant(node, need.class)
    };
    let short = account.iter().filter(|need| need.missing() > 0);
    let (meant, lost) = short.partition(is_meant);
    tell_worst(look, lost, false, mistakes);
    tell_worst(look, meant, true, mistakes);
}

fn tell_worst(look: &Whole<'_>, short: Vec<&Need>, meant: bool, mistakes: &mut Diagnostics) {
    let others = short.len().saturating_sub(1);
    let worst = short.into_iter().max_by_key(|need| need.missing());
    let Some((worst, at)) = worst.and_then(|need| Some((need, look.xoff_at(need)?))) else {
        return;
    };
    let (what, name) = (worst.place.word(), look.net.channel_name(worst.channel));
    let (class, there) = (worst.class, worst.has());
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
            worst.needs(),
            worst.xoff,
            worst.limit
        ),
    );
    for note in look.parts(worst) {
        diagnostic = diagnostic.note(note);
    }
    if others > 0 {
        diagnostic = diagnostic.note(format!("{others} more have too little room"));
    }
    let share = worst.limit.saturating_sub(worst.needs()) as f64 / worst.limit.max(1) as f64;
    let lower = (share > 0.0).then(|| {
        let percent = (share * 100.0).floor();
        format!("lower `xoff` to `\"{percent} %\"`, and `xon` below it")
    });
    let more = match lower {
        Some(_) => "or give it more memory",
        None => "give it more memory",
    };
    mistakes.push(
        diagnostic
            .help_if(lower)
            .help(more)
            .help_if((!meant).then(|| threats::consent(class))),
    );
}

/// Where inputs are counted, an output queue with a limit must hold what its inputs may send it.
fn small_outputs(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    for (channel, class) in look.crossings.crossed() {
        let limit = look
            .queue(channel, class)
            .and_then(|queue| queue.limit_bytes);
        let Some(limit) = limit else { continue };
        let counted = |input: u32| look.input(input, class)?.limit_bytes;
        let inputs = look.crossings.inputs(look.net, channel, class);
        let sum = inputs
            .filter_map(|(input, _)| counted(input))
            .fold(0, u64::saturating_add);
        if sum <= limit {
            continue;
        }
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
