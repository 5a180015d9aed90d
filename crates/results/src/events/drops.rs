//! What units are lost by.

use backwater_net::outcome::{Drops, LossCause, Outcome};

use super::Network;
use crate::model::Cell;
use crate::table_of::TableOf;

/// A cause in a word or two.
pub fn cause(cause: LossCause) -> &'static str {
    words(cause).0
}

/// How a sentence goes on after a count of units lost to a cause.
pub fn fate(cause: LossCause) -> &'static str {
    words(cause).2
}

/// In a word or two, what it means, and how a sentence goes on after a count.
fn words(cause: LossCause) -> (&'static str, &'static str, &'static str) {
    match cause {
        LossCause::QueueFull => ("queue full", "the queue was full", "dropped by full queues"),
        LossCause::Buffer => (
            "buffer full",
            "the buffer of the flow, or the input's limit or headroom, was used up",
            "dropped by full buffers",
        ),
        LossCause::Pool => (
            "memory full",
            "the shared memory was used up",
            "refused by full pools",
        ),
        LossCause::Threshold => (
            "threshold",
            "the queue, the input or the flow held its share of what is free of the shared memory",
            "refused at the threshold of shared memory",
        ),
        LossCause::Watchdog => ("watchdog", "by a tripped watchdog", "dropped by watchdogs"),
        LossCause::Wire => ("wire", "an error, or the link was cut", "lost on the wire"),
        LossCause::PushOut => (
            "push-out",
            "pushed out of a full shared memory",
            "pushed out of full pools",
        ),
        LossCause::Envelope => (
            "envelope",
            "exceeded the envelope of the source",
            "dropped by envelopes",
        ),
        LossCause::Policer => (
            "policer",
            "exceeded the policer at the edge of the network",
            "dropped by policers",
        ),
        LossCause::Residence => (
            "residence",
            "traffic shaping would have held it for too long",
            "dropped by shapers",
        ),
    }
}

/// All that was dropped: of circuits as flows count it, of frames as queues do.
pub fn all(outcome: &Outcome) -> Drops {
    let queues = outcome.channels.iter();
    let queues = queues.flat_map(|channel| &channel.by_class.queues);
    let flows = outcome.flows.iter().map(|flow| &flow.drops);
    let mut all = Drops::default();
    for drops in flows.chain(queues.map(|queue| &queue.drops)) {
        all.merge(drops);
    }
    all
}

impl<R> TableOf<R> {
    /// So many units dropped in all and by each cause, and their `share` of what `meaning` says.
    pub fn dropped<N: Network>(
        self,
        drops: impl Fn(&R) -> &Drops,
        meaning: &str,
        share: impl Fn(&R) -> Cell,
    ) -> Self {
        self.number(format!("dropped [{}]: whatever the cause", N::UNITS))
            .of(|row| drops(row).total())
            .drops::<N>(&drops)
            .number(format!("dropped [%]: {meaning}"))
            .of(share)
    }

    /// So many units dropped by each of the causes that a network knows, in the whole run.
    pub fn drops<N: Network>(mut self, drops: impl Fn(&R) -> &Drops) -> Self {
        for by in N::CAUSES {
            let (name, meaning, _) = words(*by);
            let units = N::UNITS;
            self = self
                .number(format!("dropped {name} [{units}]: {meaning}; whole run"))
                .of(|row| drops(row).by(*by));
        }
        self
    }
}
