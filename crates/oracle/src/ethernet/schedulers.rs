//! What ports that serve their classes otherwise than by strict priority are told.

use backwater_kernel::Time;
use backwater_net::frames::spec::SchedulerSpec;

use super::network::{Frame, Network, WIRE_BYTES, channel_spec};
use crate::service::{Arrival, Candidate, Wire};

impl Network {
    fn leg(&self, channel: usize, class: usize) -> usize {
        self.channels[channel].queues.len() - 1 - class
    }

    /// What a frame counts for.
    fn counted_bytes(&self, channel: usize, frame: &Frame) -> u64 {
        match channel_spec(&self.spec, channel).scheduler {
            SchedulerSpec::Drr { .. } => frame.bytes,
            _ => frame.bytes + WIRE_BYTES,
        }
    }

    /// A frame that is about to join gets its rank.
    pub fn rank(&mut self, now: Time, channel: usize, frame: &mut Frame) {
        frame.arrived = now;
        frame.ready_at = now;
        let mut queues = self.channels[channel].queues.iter();
        let wire = match self.channels[channel].busy_until {
            None => Wire::Free,
            Some(_) => {
                let sending = queues.clone().find_map(|queue| queue.sending.as_ref());
                sending.map_or(Wire::Control, |frame| Wire::Data(frame.rank))
            }
        };
        let arrival = Arrival {
            leg: self.leg(channel, frame.class),
            came_over: None,
            now,
            bytes: self.counted_bytes(channel, frame),
            wire,
            port_is_empty: queues.all(|queue| queue.waiting.is_empty()),
            fault: None,
        };
        let Some(port) = &mut self.channels[channel].port else {
            return;
        };
        let place = port.arrive(arrival).expect("nothing is too late");
        (frame.rank, frame.ready_at) = (place.rank, place.ready_at);
    }

    /// The classes that may send, in the order of legs, with the place of the frame that would go.
    pub fn candidates(&self, channel: usize, now: Time) -> Vec<(Candidate, usize)> {
        let classes = (0..self.channels[channel].queues.len()).rev();
        let candidate = |class: usize| {
            let place = self.first(channel, class)?;
            let frame = &self.queue(channel, class).waiting[place];
            let candidate = Candidate {
                leg: self.leg(channel, class),
                group: self.queue_spec(channel, class).priority,
                arrived: frame.arrived,
                bytes: self.counted_bytes(channel, frame),
                rank: frame.rank,
            };
            (frame.ready_at <= now).then_some((candidate, place))
        };
        classes.filter_map(candidate).collect()
    }

    /// Every port learns which classes may send.
    pub fn settle(&mut self, now: Time) {
        for channel in 0..self.channels.len() {
            if self.channels[channel].port.is_none() {
                continue;
            }
            let ready = self.candidates(channel, now).into_iter();
            let ready: Vec<Candidate> = ready.map(|(candidate, _)| candidate).collect();
            if let Some(port) = &mut self.channels[channel].port {
                port.settle(&ready, now);
            }
        }
    }

    /// All that waited of a class is gone.
    pub fn note_empty(&mut self, channel: usize, class: usize) {
        let leg = self.leg(channel, class);
        if let Some(port) = &mut self.channels[channel].port {
            port.note_empty(leg);
        }
    }

    /// When frames that wait may go.
    pub fn hold_times(&self, now: Option<Time>) -> Vec<Time> {
        let queues = self.channels.iter().flat_map(|channel| &channel.queues);
        let frames = queues.flat_map(|queue| &queue.waiting);
        let times = frames.map(|frame| frame.ready_at);
        times.filter(|at| now.is_none_or(|now| *at > now)).collect()
    }
}
