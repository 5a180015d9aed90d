//! Flits cross switches and channels, and arrive.

use backwater_flit::spec::{Release, Switch};

use super::Move;
use super::arbiter::{Key, pick};
use super::network::{End, Flit, Flying, Network, Stored, is_drained, output_buffer};

impl Network {
    pub fn move_flits(&mut self, now: u64) {
        for node in self.turn.clone() {
            match self.spec.router.switch {
                Switch::Multiplexed { speedup, .. } if !self.nodes[node].is_terminal => {
                    self.send_buffered(node, now);
                    for _ in 0..speedup {
                        for (port, lane) in self.matched(node, now) {
                            self.leave(node, port, lane, now);
                        }
                    }
                }
                _ => self.cross(node, now),
            }
        }
    }

    pub fn outputs_in_turn(&self, node: usize) -> Vec<usize> {
        let outputs = 0..self.nodes[node].outputs.len();
        if self.outputs_backwards {
            outputs.rev().collect()
        } else {
            outputs.collect()
        }
    }

    /// Every lane has its own input: each output channel takes one lane that can be sent into.
    fn cross(&mut self, node: usize, now: u64) {
        for output in self.outputs_in_turn(node) {
            let mut ready: Vec<(usize, usize, usize, Key)> = Vec::new();
            for (port, input) in self.nodes[node].inputs.iter().enumerate() {
                for lane in 0..input.lanes.len() {
                    if let Some((to, out, key)) = self.sendable(node, port, lane, now)
                        && to == output
                    {
                        ready.push((port, lane, out, key));
                    }
                }
            }
            let id = self.nodes[node].outputs[output];
            let candidates: Vec<(usize, Key)> =
                ready.iter().map(|entry| (entry.2, entry.3)).collect();
            let arbiter = self.spec.router.channel_arbiter;
            let pointer = self.channels[id].lane_pointer;
            let Some(out) = pick(arbiter, pointer, &candidates, &mut self.arbitration) else {
                continue;
            };
            self.channels[id].lane_pointer = out + 1;
            if let Some(entry) = ready.iter().find(|entry| entry.2 == out) {
                self.leave(node, entry.0, entry.1, now);
            }
        }
    }

    /// Output, its lane and the packet's key, if the lane here can send a flit.
    pub fn sendable(
        &self,
        node: usize,
        port: usize,
        lane: usize,
        now: u64,
    ) -> Option<(usize, usize, Key)> {
        let in_lane = &self.nodes[node].inputs[port].lanes[lane];
        let (output, out) = in_lane.target?;
        if now < in_lane.moves_from {
            return None;
        }
        let flit = in_lane.buffer.front()?.flit;
        let channel = &self.channels[self.nodes[node].outputs[output]];
        let has_credit = channel.lanes[out].credits.is_none_or(|credits| credits > 0);
        has_credit.then_some((output, out, self.packets[flit.packet].key))
    }

    /// Channels of a router send what the switch put into their buffers.
    fn send_buffered(&mut self, node: usize, now: u64) {
        for output in self.outputs_in_turn(node) {
            let id = self.nodes[node].outputs[output];
            if let Some((lane, flit)) = self.channels[id].output_buffer.pop_front() {
                self.send(id, lane, flit, now);
            }
        }
    }

    /// The flit at the front of a lane leaves it for its output.
    fn leave(&mut self, node: usize, port: usize, lane: usize, now: u64) {
        let input = &mut self.nodes[node].inputs[port];
        let upstream = input.channel;
        let in_lane = &mut input.lanes[lane];
        let (Some(stored), Some((output, out))) = (in_lane.buffer.pop_front(), in_lane.target)
        else {
            return self.break_law("a lane without flit or target was served".into());
        };
        let flit = stored.flit;
        let is_tail = self.is_tail(flit);
        if is_tail {
            let in_lane = &mut self.nodes[node].inputs[port].lanes[lane];
            in_lane.target = None;
            in_lane.front_since = now + 1;
        }
        if let Some(channel) = upstream {
            self.slot_freed(channel, lane, is_tail, now);
        } else if flit.index == 0 {
            self.packets[flit.packet].entered = Some(now);
        }
        let id = self.nodes[node].outputs[output];
        let state = &mut self.channels[id].lanes[out];
        let holder = state.holder;
        if let Some(credits) = &mut state.credits {
            *credits -= 1;
        }
        if is_tail && self.spec.router.release == Release::TailSent {
            state.holder = None;
            state.free_from = now + 1;
        }
        if holder != Some(flit.packet) {
            self.break_law(format!(
                "packet {} sends into lane {out} of channel {id}, held by {holder:?}",
                flit.packet
            ));
        }
        if output_buffer(&self.spec) > 0 && !self.nodes[node].is_terminal {
            self.channels[id].output_buffer.push_back((out, flit));
        } else {
            self.send(id, out, flit, now);
        }
    }

    /// A flit left the buffer at the end of a channel.
    fn slot_freed(&mut self, channel: usize, lane: usize, is_tail: bool, now: u64) {
        let delay = u64::from(self.spec.router.credit_delay);
        let drained = is_drained(&self.spec);
        let channel = &mut self.channels[channel];
        let state = &mut channel.lanes[lane];
        match &mut state.credits {
            Some(credits) if delay == 0 => *credits += 1,
            _ => channel.credits_coming.push((now + delay, lane)),
        }
        if is_tail && drained {
            state.holder = None;
            state.free_from = now + delay.max(1);
        }
    }

    /// A flit leaves on a channel.
    fn send(&mut self, id: usize, lane: usize, flit: Flit, now: u64) {
        if self.channels[id].last_sent == Some(now) {
            self.break_law(format!("channel {id} carries two flits"));
        }
        self.log_move(id, lane, flit, now);
        if flit.index == 0 {
            self.packets[flit.packet].hops += 1;
        }
        let drains = self.is_tail(flit) && is_drained(&self.spec);
        let channel = &mut self.channels[id];
        channel.last_sent = Some(now);
        let usable = now + channel.flight;
        channel.flying.push_back(Flying { usable, lane, flit });
        if drains && matches!(channel.end, End::Terminal(_)) {
            channel.lanes[lane].holder = None;
            channel.lanes[lane].free_from = usable;
        }
    }

    fn log_move(&mut self, id: usize, lane: usize, flit: Flit, now: u64) {
        self.flit_hops += 1;
        self.last_move = Some(now);
        let packet = &self.packets[flit.packet];
        if let Some(log) = &mut self.log {
            log.push(Move {
                cycle: now,
                channel: id as u32,
                lane: lane as u8,
                source: packet.source,
                destination: packet.destination,
                birth: packet.birth,
                flit: flit.index,
            });
        }
    }

    /// Flits that can leave the next router in the next cycle join its buffer.
    pub fn arrivals(&mut self, now: u64) {
        for id in 0..self.channels.len() {
            let End::Router { node, port } = self.channels[id].end else {
                continue;
            };
            while let Some(flying) = self.channels[id].flying.front().copied() {
                if flying.usable > now + 1 {
                    break;
                }
                self.channels[id].flying.pop_front();
                let stored = Stored {
                    flit: flying.flit,
                    usable: flying.usable,
                };
                self.check_order(id, flying.lane, flying.flit);
                let in_lane = &mut self.nodes[node].inputs[port].lanes[flying.lane];
                in_lane.buffer.push_back(stored);
            }
        }
    }
}
