//! Frames for several stations: copies where the branches of their tree part.

use backwater_kernel::Time;
use backwater_net::frames::probe::LossCause;

use super::network::{Frame, Network, Point};

impl Network {
    /// Channels by which a frame goes on from a node.
    pub fn ways_on(&self, node: usize, frame: &Frame) -> Vec<usize> {
        match &self.trees[frame.flow] {
            Some(tree) => tree.get(&node).into_iter().flatten().copied().collect(),
            None if node == frame.destination => Vec::new(),
            None => vec![self.next_hop(node, frame)],
        }
    }

    /// Stations that a frame may still reach over a channel.
    pub fn behind(&self, channel: usize, frame: &Frame) -> u64 {
        let on = self.ways_on(self.head(channel), frame);
        match on.is_empty() {
            true => 1,
            false => on.iter().map(|channel| self.behind(*channel, frame)).sum(),
        }
    }

    /// Is another copy of a frame that came over an input still there?
    pub fn has_other_copy(&self, frame: &Frame) -> bool {
        let Some(input) = frame.came_over else {
            return false;
        };
        let here = self.came_in(input, frame.class);
        let mut here = here.iter();
        here.any(|other| (other.flow, other.number) == (frame.flow, frame.number))
    }

    /// A frame comes to the queues of its class in front of these channels: each takes a copy, or
    /// drops it.
    pub fn admit_to(&mut self, now: Time, channels: &[usize], mut frame: Frame) {
        if let [channel] = channels {
            self.trim(*channel, &mut frame);
        }
        let refusals = channels
            .iter()
            .map(|channel| self.refusal(*channel, &frame));
        let refusals: Vec<Option<LossCause>> = refusals.collect();
        let taken: Vec<usize> = (0..channels.len())
            .filter(|at| refusals[*at].is_none())
            .collect();
        self.count_arrival(&frame, taken.is_empty());
        if let Some(first) = taken.first() {
            self.take_memory(channels[*first], &frame);
        }
        for (channel, refusal) in channels.iter().zip(refusals) {
            match refusal {
                Some(cause) => self.drop_frame(now, *channel, &frame, cause),
                None => self.joins(now, *channel, frame.clone()),
            }
        }
        if let (Some(input), false) = (frame.came_over, taken.is_empty()) {
            self.after_join(now, Point::Input(input, frame.class), &frame);
        }
    }
}
