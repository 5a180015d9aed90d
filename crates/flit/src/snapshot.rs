//! What each channel has done so far, read from counters that a run keeps anyway.

use alloc::vec;
use alloc::vec::Vec;

use crate::Simulation;
use crate::fabric::Fabric;
use crate::lane::NONE;
use crate::probe::{Network, Probe};

/// One channel, between two cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChannelState {
    /// Flits that have crossed it since the start.
    pub crossed: u64,
    /// Places in the buffers at its far end that the sender may not use: taken, or not known to be
    /// free again.
    pub taken: u32,
    /// A VC of it holds a packet and has no credit.
    pub is_blocked: bool,
}

impl<P: Probe> Simulation<P> {
    /// The state of every channel: those between routers, then injection, then ejection.
    pub fn snapshot(&self) -> Vec<ChannelState> {
        let fabric = &self.fabric;
        let mut states = vec![ChannelState::default(); fabric.layout.out_of.len()];
        fabric.tell_states(&mut states, fabric, |_| true);
        states
    }
}

impl Network<'_> {
    /// Of one VC of a channel, as the spec numbers it: places that the sender knows to be free, and
    /// flits that stand in the buffer; 0 of both into a terminal.
    pub fn places(&self, channel: u32, lane: u32) -> (u16, u16) {
        let (fabric, layout) = (self.fabric, &self.fabric.layout);
        let target = layout.target[channel as usize];
        if target == NONE {
            return (0, 0);
        }
        let out = layout.out_of[channel as usize];
        let sender = &fabric.output[((out << layout.shift) + lane) as usize];
        let buffer = &fabric.input[((target << layout.shift) + lane) as usize];
        (sender.credits, buffer.count[0] + buffer.count[1])
    }
}

impl Network<'_> {
    /// Of each VC with a buffer, by channel: a flit waits for it and there is no credit.
    pub fn stopped(&self) -> impl Iterator<Item = bool> {
        let (fabric, layout) = (self.fabric, &self.fabric.layout);
        let channels = layout.target.iter().zip(&layout.out_of);
        let outs = channels.filter(|(target, _)| **target != NONE);
        outs.flat_map(move |(_, out)| {
            (0..layout.all_lanes.count_ones()).map(move |lane| {
                let sender = &fabric.output[((out << layout.shift) + lane) as usize];
                let is_held = sender.link != layout.no_in();
                is_held && sender.credits == 0 && fabric.has_flit(sender.link)
            })
        })
    }
}

impl Fabric {
    /// Tells the states of output channels that are its own, of a network in which counters began
    /// anew when those of `whole` did.
    pub(crate) fn tell_states(
        &self,
        states: &mut [ChannelState],
        whole: &Fabric,
        is_own: impl Fn(u32) -> bool,
    ) {
        let crossed = self.crossed(whole);
        for (out, &channel) in (0..).zip(&self.layout.spec_out) {
            let Some(state) = states.get_mut(channel as usize) else {
                continue;
            };
            if is_own(out) {
                *state = self.channel_state(out);
                state.crossed = crossed[out as usize];
            }
        }
    }

    fn channel_state(&self, out: u32) -> ChannelState {
        let mut state = ChannelState::default();
        if self.out_channels[out as usize].spend == 0 {
            return state;
        }
        let first = out << self.layout.shift;
        for index in 0..self.layout.all_lanes.count_ones() {
            let lane = self.output[(first + index) as usize];
            let is_held = lane.link != self.layout.no_in();
            state.taken += u32::from(self.depth.saturating_sub(lane.credits));
            state.is_blocked |= is_held && lane.credits == 0 && self.has_flit(lane.link);
        }
        state
    }

    fn has_flit(&self, lane: u32) -> bool {
        self.input[lane as usize].front != NONE && self.input[lane as usize].count[0] > 0
    }
}
