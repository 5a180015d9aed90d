//! Where a series listens, and what holds there before the run.

use alloc::vec::Vec;

use backwater_ends::control::SourceControl;

use super::subscribers::{Subscriber, Subscribers};
use super::track::Track;
use super::{Recorder, asked, is_asked};
use crate::hop::unit::NONE;
use crate::network::Network;
use crate::spec::{Measure, Subject};

/// Who listens, by what is listened to.
#[derive(Default)]
pub(super) struct Listening {
    /// Classes of each port.
    classes: u32,
    legs: Vec<Listener>,
    channels: Vec<Listener>,
    queues: Vec<Listener>,
    nodes: Vec<Listener>,
    flows: Vec<Listener>,
}

type Listener = (Measure, u32, Subscriber);

impl Recorder {
    /// The run begins: every track listens where its subject is.
    pub(super) fn begin(&mut self, network: &Network) {
        self.classes = network.classes.count as u32;
        let mut all = Listening {
            classes: self.classes,
            ..Listening::default()
        };
        for (id, track) in (0..).zip(&mut self.tracks) {
            if is_asked(&track.spec, network) {
                self.asked.push(id);
                let first = asked(&track.spec, network);
                track.follow(first.map_or(0, |level| level as i64));
            } else {
                all.begin(id, track, network);
            }
            let of = track.spec.of.channel();
            let rate = of.map(|channel| network.channels[channel as usize].rate);
            track.rate = rate.unwrap_or(track.rate);
            track.begin(network.classes.count > 0);
        }
        self.legs = Subscribers::new(all.legs);
        self.channels = Subscribers::new(all.channels);
        self.queues = Subscribers::new(all.queues);
        self.nodes = Subscribers::new(all.nodes);
        self.flows = Subscribers::new(all.flows);
    }
}

impl Listening {
    fn begin(&mut self, id: u32, track: &mut Track, network: &Network) {
        let (measure, of) = (track.spec.measure, track.spec.of);
        let is_by_class = network.classes.count > 0;
        let whole = Subscriber { track: id, part: 0 };
        match of {
            Subject::Class { channel, class } if measure == Measure::Queue => {
                self.follow_queue(id, track, (channel, class));
            }
            Subject::Channel(_) | Subject::Leg { .. } if measure.is_of_legs() => {
                self.follow_legs(id, track, network);
            }
            Subject::Channel(channel)
            | Subject::Leg { channel, .. }
            | Subject::Class { channel, .. } => {
                self.channels.push((measure, channel, whole));
            }
            Subject::Node(node) if is_by_class => {
                for (channel, found) in (0..).zip(&network.channels) {
                    if found.from == node {
                        let classes = 0..network.classes();
                        classes.for_each(|class| self.follow_queue(id, track, (channel, class)));
                    }
                }
            }
            Subject::Node(node) => self.nodes.push((measure, node, whole)),
            Subject::Flow(flow) => {
                let control = network.flows.get(flow as usize).map(|flow| &flow.control);
                if let (Measure::AllowedRate, Some(SourceControl::Abr(abr))) = (measure, control) {
                    // There is no source rate before the second forward RM cell.
                    track.follow(abr.allowed_rate().0.min(1 << 62) as i64);
                }
                self.flows.push((measure, flow, whole));
            }
            Subject::Flows => {
                let flows = network.flows.len().max(network.classes.flows.len()) as u32;
                self.flows
                    .extend((0..flows).map(|flow| (measure, flow, whole)));
            }
        }
    }

    /// The queue of a class is a part of the track.
    fn follow_queue(&mut self, track_id: u32, track: &mut Track, queue: (u32, u8)) {
        let part = track.follow(0);
        let ear = Subscriber {
            track: track_id,
            part,
        };
        let key = self.classes * queue.0 + u32::from(queue.1);
        self.queues.push((Measure::Queue, key, ear));
    }

    /// The legs of the track's channel are its parts, or those of its flow there.
    fn follow_legs(&mut self, track_id: u32, track: &mut Track, network: &Network) {
        let (measure, of) = (track.spec.measure, track.spec.of);
        for (leg, found) in (0..).zip(&network.legs) {
            let sender = &found.sender;
            let is_of = of.flow().is_none_or(|flow| flow == sender.flow);
            if of.channel() != Some(sender.channel) || !is_of {
                continue;
            }
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
            let part = track.follow(first);
            track.stops.follow(!is_controlled || credit > 0);
            let ear = Subscriber {
                track: track_id,
                part,
            };
            self.legs.push((measure, leg, ear));
        }
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
