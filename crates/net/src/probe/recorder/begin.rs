//! Where a series listens, and what holds there before the run.

use backwater_ends::control::SourceControl;

use super::{Recorder, queue_key};
use crate::hop::unit::NONE;
use crate::network::Network;
use crate::spec::{Measure, Subject};

impl Recorder {
    /// The run begins for a track.
    pub(super) fn begin(&mut self, id: u32, network: &Network) {
        let track = &mut self.tracks[id as usize];
        let (measure, of) = (track.spec.measure, track.spec.of);
        let is_by_class = network.classes.count > 0;
        track.rate = of.channel().map_or(track.rate, |channel| {
            network.channels[channel as usize].rate
        });
        match (of, measure) {
            (Subject::Class { .. }, Measure::Input | Measure::Headroom) => self.asked.push(id),
            (Subject::Class { channel, class }, _) => {
                track.follow(queue_key(channel, class), 0);
                self.channels[channel as usize].push(id);
            }
            (Subject::Channel(_) | Subject::Leg { .. }, _) if measure.is_of_legs() => {
                for (leg, found) in (0..).zip(&network.legs) {
                    let sender = &found.sender;
                    let is_of = of.flow().is_none_or(|flow| flow == sender.flow);
                    if of.channel() != Some(sender.channel) || !is_of {
                        continue;
                    }
                    self.legs[leg as usize].push(id);
                    let is_controlled = sender.control != NONE;
                    let credit = if is_controlled {
                        sender.credit.into()
                    } else {
                        0
                    };
                    let first = if measure == Measure::Credit {
                        credit
                    } else {
                        0
                    };
                    track.follow(leg, first);
                    track.stops.follow(leg, !is_controlled || credit > 0);
                }
            }
            (Subject::Channel(channel) | Subject::Leg { channel, .. }, _) => {
                self.channels[channel as usize].push(id);
            }
            (Subject::Node(node), _) if is_by_class => {
                for (channel, found) in (0..).zip(&network.channels) {
                    if found.from == node {
                        self.channels[channel as usize].push(id);
                        let classes = 0..network.classes();
                        classes.for_each(|class| track.follow(queue_key(channel, class), 0));
                    }
                }
            }
            (Subject::Node(node), _) => self.nodes[node as usize].push(id),
            (Subject::Flow(_), Measure::Window) => self.asked.push(id),
            (Subject::Flow(flow), _) => {
                let control = network.flows.get(flow as usize).map(|flow| &flow.control);
                if let (Measure::AllowedRate, Some(SourceControl::Abr(abr))) = (measure, control) {
                    // There is no source rate before the second forward RM cell.
                    track.follow(NONE, abr.allowed_rate().0.min(1 << 62) as i64);
                }
                self.flows[flow as usize].push(id);
            }
            (Subject::Flows, _) => self.flows.iter_mut().for_each(|flow| flow.push(id)),
        }
        track.begin(is_by_class);
    }
}

impl Measure {
    /// Legs tell of it, not their channel.
    fn is_of_legs(self) -> bool {
        matches!(
            self,
            Measure::Stopped
                | Measure::Forwarded
                | Measure::Credit
                | Measure::Fill
                | Measure::Queue
                | Measure::Delay
                | Measure::Wait
        )
    }
}
