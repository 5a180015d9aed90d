//! RM cells that switches make (BN = 1): over the channels against the circuit, hop by hop, before
//! all that waits there.

use super::network::{ARRIVE, Happening, Network};
use super::rates::Notice;
use super::{Fault, Kind, Start};

/// A notice on its way to the source of `flow`, against `leg`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Travelling {
    /// When it came to the port.
    since_ps: u64,
    leg: usize,
    flow: usize,
    says: Notice,
}

impl Network {
    /// The node where `leg` begins tells the source of `flow`; the source's own port needs not.
    pub fn notify(&mut self, leg: usize, flow: usize, says: Notice, now: u64) {
        let path = &self.flows[flow].path;
        let before = path.iter().position(|one| *one == leg);
        let before = before.and_then(|place| place.checked_sub(1));
        let Some(leg) = before.map(|place| path[place]) else {
            return;
        };
        let channel = self.channel_of[leg] ^ 1;
        let waiting = &mut self.channels[channel].notices;
        waiting.push(Travelling {
            since_ps: now,
            leg,
            flow,
            says,
        });
        waiting.sort();
        self.awake.insert(channel);
    }

    /// The first notice of a channel goes.
    pub fn start_notice(&mut self, index: usize, now: u64) {
        let notice = self.channels[index].notices.remove(0);
        let bytes = self.flows[notice.flow].unit_bytes;
        let effect = self.launch(index, bytes, now);
        self.report.starts.push(Start {
            at_ps: now,
            leg: notice.leg as u32,
            number: u64::from(notice.says.ci) + 2 * u64::from(notice.says.ni),
            kind: Kind::Notice,
        });
        self.report.notices += 1;
        if let Some(effect) = effect {
            self.enter(effect, ARRIVE, index, Happening::Hear(notice));
        }
    }

    /// It has come over the channel against its leg.
    pub fn pass_notice(&mut self, notice: Travelling, now: u64) {
        let Travelling {
            leg, flow, says, ..
        } = notice;
        let skips = self.fault == Some(Fault::NoticesSkipNodes);
        if self.flows[flow].path[0] != leg && !skips {
            return self.notify(leg, flow, says, now);
        }
        if let Some(source) = &mut self.flows[flow].source {
            source.on_notice(says, now);
            if self.fault == Some(Fault::NoticesAnswer) {
                source.unanswered = 0;
            }
            let acr = source.acr;
            self.note(flow, acr, now);
        }
        self.plan(flow, now);
    }
}
