//! Lane allocation: headers ask for a lane of a channel.

use backwater_flit::route::{Choice, Choices};
use backwater_flit::spec::{Arbiter, LaneChoice};
use backwater_kernel::BuildError;

use super::arbiter::{Key, pick};
use super::network::{Network, wrong};

/// A header and what it asks for in this cycle.
struct Request {
    port: usize,
    lane: usize,
    packet: usize,
    output: usize,
    allowed: u32,
}

impl Network {
    /// Credits that can be used by flits leaving now.
    pub fn collect_credits(&mut self, now: u64) {
        for channel in &mut self.channels {
            for (usable, lane) in &channel.credits_coming {
                if *usable <= now
                    && let Some(credits) = &mut channel.lanes[*lane].credits
                {
                    *credits += 1;
                }
            }
            channel.credits_coming.retain(|coming| coming.0 > now);
        }
    }

    pub fn allocate_lanes(&mut self, now: u64) -> Result<(), BuildError> {
        for node in 0..self.nodes.len() {
            // All choose on the lanes as they are before anyone gets one.
            let requests = self.requests(node, now)?;
            for output in 0..self.nodes[node].outputs.len() {
                let own = requests.iter().filter(|request| request.output == output);
                self.allocate_output(node, output, own.collect(), now);
            }
        }
        Ok(())
    }

    fn requests(&mut self, node: usize, now: u64) -> Result<Vec<Request>, BuildError> {
        let mut requests = Vec::new();
        for port in 0..self.nodes[node].inputs.len() {
            for lane in 0..self.nodes[node].inputs[port].lanes.len() {
                let Some(packet) = self.competing(node, port, lane, now) else {
                    continue;
                };
                let choices = self.choices(node, port, packet)?;
                let Some(choice) = self.target(node, packet, &choices, now) else {
                    continue;
                };
                requests.push(Request {
                    port,
                    lane,
                    packet,
                    output: usize::from(choice.port),
                    allowed: choice.lanes,
                });
            }
        }
        Ok(requests)
    }

    /// The packet whose header is at the front, without a lane and ready.
    fn competing(&self, node: usize, port: usize, lane: usize, now: u64) -> Option<usize> {
        let input = &self.nodes[node].inputs[port];
        let in_lane = &input.lanes[lane];
        let front = in_lane.buffer.front()?;
        if front.flit.index != 0 || in_lane.target.is_some() {
            return None;
        }
        let delay = match input.channel {
            Some(_) => u64::from(self.spec.router.header_delay),
            None => 0,
        };
        let ready = front.usable.max(in_lane.front_since) + delay;
        (ready <= now).then_some(front.flit.packet)
    }

    fn choices(&mut self, node: usize, port: usize, packet: usize) -> Result<Choices, BuildError> {
        let way = &mut self.packets[packet].way;
        let mut choices = Choices::default();
        match self.nodes[node].inputs[port].channel {
            None => choices.add_equal(Choice {
                port: 0,
                lanes: self.routing.injection_lanes(way),
            }),
            Some(_) => self.routing.route(node as u32, way, &mut choices),
        }
        let lanes = u32::from(self.spec.router.lanes);
        let outputs = self.nodes[node].outputs.len();
        let fits = |choice: &Choice| {
            let within = u64::from(choice.lanes) < 1 << lanes;
            usize::from(choice.port) < outputs && choice.lanes != 0 && within
        };
        if choices.len == 0 || choices.equal > choices.len || !choices.as_slice().iter().all(fits) {
            return wrong(format!("no such choices at node {node}: {choices:?}"));
        }
        Ok(choices)
    }

    fn target(&self, node: usize, packet: usize, choices: &Choices, now: u64) -> Option<Choice> {
        let free = |choice: &Choice| {
            let output = usize::from(choice.port);
            self.free_lanes(node, output, choice.lanes, packet, now)
                .len()
        };
        let (equal, rest) = choices.as_slice().split_at(usize::from(choices.equal));
        let most = equal.iter().map(free).max().unwrap_or(0);
        if most > 0 {
            return equal.iter().find(|choice| free(choice) == most).copied();
        }
        rest.iter().find(|choice| free(choice) > 0).copied()
    }

    /// Lanes among `allowed` that the packet could have, lowest first.
    fn free_lanes(
        &self,
        node: usize,
        output: usize,
        allowed: u32,
        packet: usize,
        now: u64,
    ) -> Vec<usize> {
        let channel = &self.channels[self.nodes[node].outputs[output]];
        let length = u32::from(self.packets[packet].length);
        let is_free = |lane: &usize| {
            let state = &channel.lanes[*lane];
            let has_room = match state.credits {
                Some(credits) => !self.spec.router.cut_through || credits >= length,
                None => true,
            };
            let is_allowed = allowed >> *lane & 1 == 1;
            is_allowed && state.holder.is_none() && state.free_from <= now && has_room
        };
        (0..channel.lanes.len()).filter(is_free).collect()
    }

    /// One of the `free` lanes of an output, lowest first.
    fn chosen(&self, output: usize, free: &[usize], last: Option<(usize, usize)>) -> usize {
        let next = match (self.spec.router.lane_choice, last) {
            (LaneChoice::RoundRobin, Some((same, lane))) if same == output => {
                free.iter().find(|index| **index > lane)
            }
            _ => None,
        };
        *next.unwrap_or(&free[0])
    }

    /// The input lane whose header is next. In turn, each set of lanes goes around by itself.
    fn next_header(
        &mut self,
        channel: usize,
        waiting: &[&Request],
        candidates: &[(usize, Key)],
    ) -> Option<usize> {
        let arbiter = self.spec.router.lane_arbiter;
        if arbiter != Arbiter::RoundRobin {
            return pick(arbiter, 0, candidates, &mut self.arbitration);
        }
        let allowed = waiting.first()?.allowed;
        let pairs = waiting.iter().zip(candidates);
        let same = pairs.filter(|(request, _)| request.allowed == allowed);
        let same: Vec<(usize, Key)> = same.map(|(_, candidate)| *candidate).collect();
        let pointers = &mut self.channels[channel].header_pointers;
        let pointer = pointers.entry(allowed).or_insert(0);
        let winner = pick(arbiter, *pointer, &same, &mut self.arbitration)?;
        *pointer = winner + 1;
        Some(winner)
    }

    fn allocate_output(
        &mut self,
        node: usize,
        output: usize,
        mut waiting: Vec<&Request>,
        now: u64,
    ) {
        let lanes_per_port = usize::from(self.spec.router.lanes);
        let index_of = |request: &Request| request.port * lanes_per_port + request.lane;
        let id = self.nodes[node].outputs[output];
        loop {
            waiting.retain(|request| {
                let packet = request.packet;
                !self
                    .free_lanes(node, output, request.allowed, packet, now)
                    .is_empty()
            });
            let candidates: Vec<(usize, Key)> = waiting
                .iter()
                .map(|request| (index_of(request), self.packets[request.packet].key))
                .collect();
            let Some(winner) = self.next_header(id, &waiting, &candidates) else {
                return;
            };
            let Some(place) = waiting.iter().position(|entry| index_of(entry) == winner) else {
                return;
            };
            let request = waiting.remove(place);
            let packet = request.packet;
            let free = self.free_lanes(node, output, request.allowed, packet, now);
            let last = self.nodes[node].inputs[request.port].lanes[request.lane].last_target;
            let lane = self.chosen(output, &free, last);
            self.channels[id].lanes[lane].holder = Some(packet);
            let input = &mut self.nodes[node].inputs[request.port];
            let delay = match input.channel {
                Some(_) => u64::from(self.spec.router.allocation_delay),
                None => 0,
            };
            let in_lane = &mut input.lanes[request.lane];
            in_lane.target = Some((output, lane));
            in_lane.last_target = in_lane.target;
            in_lane.moves_from = now + delay;
        }
    }
}
