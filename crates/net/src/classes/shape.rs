//! What a network of frames has, and what it lacks.
//!
//! Functions that every frame passes through have one constant parameter, `HAS`: what the networks
//! may have that they are compiled for. What such a network lacks, they do without. The form that
//! is compiled for [`ANYTHING`] serves every network; the others are [`FORMS`].

use crate::classes::routes::Routes;
use crate::classes::{Classes, FrameFlow, Node};
use crate::hop::wire::Channel;
use crate::network::Network;

/// A bit for each of those below.
pub(crate) type Has = u32;

/// Several classes.
pub(crate) const CLASSES: Has = 1;
/// Queues sorted by lanes.
pub(crate) const LANES: Has = 1 << 1;
/// Credit, or stations with a pace of their own.
pub(crate) const CREDIT: Has = 1 << 2;
/// Schedulers other than strict priority.
pub(crate) const SCHEDULERS: Has = 1 << 3;
/// Wires that lose frames.
pub(crate) const ERRORS: Has = 1 << 4;
/// It is a part of one.
pub(crate) const PARTS: Has = 1 << 5;
/// Switches that cut through.
pub(crate) const CUT_THROUGH: Has = 1 << 6;
/// Ways that are chosen frame by frame.
pub(crate) const TABLES: Has = 1 << 7;
/// Frames for several stations.
pub(crate) const MULTICAST: Has = 1 << 8;
/// Flows without a row.
pub(crate) const MEMBERS: Has = 1 << 9;
/// Messages, which may wait for those of other flows.
pub(crate) const MESSAGES: Has = 1 << 10;
/// Watchdogs.
pub(crate) const WATCHDOGS: Has = 1 << 11;
/// Memory that inputs share.
pub(crate) const SHARED: Has = 1 << 12;
/// Inputs whose last arrival matters.
pub(crate) const TIME_OUT: Has = 1 << 13;
/// Switches that mark frames, or write into them.
pub(crate) const MARKS: Has = 1 << 14;
/// Queues that stop neighbours.
pub(crate) const OUTPUTS: Has = 1 << 15;
/// Switches that count what came over each input.
pub(crate) const INPUTS: Has = 1 << 16;
/// Flows over TCP.
pub(crate) const TCP: Has = 1 << 17;
/// Queue pairs.
pub(crate) const PAIRS: Has = 1 << 18;

/// Everything, known or not.
pub(crate) const ANYTHING: Has = Has::MAX;

/// Datagrams between ports of one class.
pub(crate) const DATAGRAMS: Has = INPUTS;
/// The same with TCP.
pub(crate) const STREAMS: Has = INPUTS | OUTPUTS | TCP;
/// The same with queue pairs.
pub(crate) const QUEUE_PAIRS: Has = INPUTS | MARKS | PAIRS;

/// Forms that are compiled beside that for [`ANYTHING`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Form {
    /// [`ANYTHING`].
    #[default]
    General,
    /// [`DATAGRAMS`].
    Datagrams,
    /// [`STREAMS`].
    Streams,
    /// [`QUEUE_PAIRS`].
    QueuePairs,
}

/// The narrower forms, the one that has least first.
const FORMS: [(Form, Has); 3] = [
    (Form::Datagrams, DATAGRAMS),
    (Form::Streams, STREAMS),
    (Form::QueuePairs, QUEUE_PAIRS),
];

impl Form {
    /// For a network that has this.
    pub fn of(has: Has) -> Form {
        let mut forms = FORMS.iter();
        let form = forms.find(|(_, compiled)| has & !compiled == 0);
        form.map_or(Form::General, |(form, _)| *form)
    }

    pub fn name(self) -> &'static str {
        match self {
            Form::General => "general",
            Form::Datagrams => "datagrams",
            Form::Streams => "streams",
            Form::QueuePairs => "queue pairs",
        }
    }
}

/// May there be any of this?
#[inline(always)]
pub(crate) const fn may(has: Has, bit: Has) -> bool {
    has & bit != 0
}

impl Network {
    /// What it has.
    pub(crate) fn shape(&self) -> Has {
        let classes = &self.classes;
        let channels = |bit| self.channels.iter().any(|channel| channel.is(bit));
        let flows = |bit| classes.flows.iter().any(|flow| flow.is(bit));
        let nodes = |is: fn(&Node) -> bool| classes.nodes.iter().any(is);
        let (tcp, pairs) = classes.stations.protocols();
        let marks = classes
            .queues
            .iter()
            .any(|queue| queue.marks || queue.acts_on_leave);
        let all = [
            (classes.count > 1, CLASSES),
            (!classes.lanes.is_empty(), LANES),
            (has_credit(classes) || channels(Channel::CREDITS), CREDIT),
            (channels(Channel::SCHEDULED), SCHEDULERS),
            (channels(Channel::ERRORS), ERRORS),
            (channels(Channel::CROSSES), PARTS),
            (channels(Channel::CUTS_THROUGH), CUT_THROUGH),
            (
                !matches!(classes.routes, Routes::Paths { .. }) || classes.turns.is_some(),
                TABLES,
            ),
            (flows(FrameFlow::MULTICAST), MULTICAST),
            (classes.rows != u32::MAX, MEMBERS),
            (classes.stations.has_messages(), MESSAGES),
            (nodes(|node| node.watchdog.is_some()), WATCHDOGS),
            (nodes(|node| node.shared.is_some()), SHARED),
            (nodes(|node| node.has_time_out), TIME_OUT),
            (marks, MARKS),
            (
                nodes(|node| node.lossless != 0 && !node.detects_inputs),
                OUTPUTS,
            ),
            (nodes(|node| node.counts_inputs), INPUTS),
            (tcp, TCP),
            (pairs, PAIRS),
        ];
        let all = all.into_iter().filter(|(is_so, _)| *is_so);
        all.fold(0, |has, (_, bit)| has | bit)
    }
}

fn has_credit(classes: &Classes) -> bool {
    !classes.credits.lanes.is_empty() || !classes.credits.counters.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_gets_the_form_that_has_all_of_it_and_least_else() {
        let table = [
            (0, Form::Datagrams),
            (INPUTS, Form::Datagrams),
            (INPUTS | TCP, Form::Streams),
            (OUTPUTS, Form::Streams),
            (PAIRS | MARKS, Form::QueuePairs),
            (PAIRS | TCP, Form::General),
            (INPUTS | CLASSES, Form::General),
            (ANYTHING, Form::General),
        ];
        for (has, form) in table {
            assert_eq!(Form::of(has), form, "{has:b}");
        }
    }
}
