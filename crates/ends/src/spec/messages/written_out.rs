//! Lists that go on in rounds, with all rounds written out.

use alloc::vec::Vec;

use super::{Again, ComputeSpec, Happened, MessageSpec, MessagesSpec};

/// The same lists, by flow, each without rounds that are done again: what to compare with.
pub fn written_out(lists: &[&MessagesSpec]) -> Vec<MessagesSpec> {
    let later = |after: &[Happened], rounds: u32| {
        let of = |what: &Happened| lists[what.flow() as usize].again;
        let after = after.iter().map(|what| what.later(rounds, of(what)));
        after.collect()
    };
    let whole = |list: &&MessagesSpec| {
        let messages = (0..list.message_count() as u32).filter_map(|number| {
            let (spec, rounds) = list.message(number)?;
            Some(MessageSpec {
                after: later(&spec.after, rounds),
                step: spec.step + rounds * list.again.steps,
                ..spec.clone()
            })
        });
        let computes = (0..list.compute_count() as u32).filter_map(|number| {
            let (spec, rounds) = list.compute(number)?;
            Some(ComputeSpec {
                after: later(&spec.after, rounds),
                ..spec.clone()
            })
        });
        MessagesSpec {
            start: list.start,
            messages: messages.collect(),
            computes: computes.collect(),
            again: Again::default(),
        }
    };
    lists.iter().map(whole).collect()
}
