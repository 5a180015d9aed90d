//! How a multiplexed switch matches inputs and outputs.

use backwater_flit::spec::{Allocator, Switch};

use super::arbiter::{Key, pick};
use super::network::{Network, output_buffer};

/// A lane that could send.
struct Request {
    port: usize,
    lane: usize,
    output: usize,
    key: Key,
}

/// The smallest key for each index that occurs.
fn smallest(entries: impl Iterator<Item = (usize, Key)>) -> Vec<(usize, Key)> {
    let mut found: Vec<(usize, Key)> = entries.collect();
    found.sort_unstable();
    found.dedup_by_key(|entry| entry.0);
    found
}

impl Network {
    /// One pass of the switch of a router: ports and their lanes that send a flit.
    pub fn matched(&mut self, node: usize, now: u64) -> Vec<(usize, usize)> {
        let Switch::Multiplexed { allocator, .. } = self.spec.router.switch else {
            return Vec::new();
        };
        let requests = self.switch_requests(node, now);
        match allocator {
            Allocator::SeparableInputFirst => self.input_first(node, &requests),
            Allocator::SeparableOutputFirst => self.output_first(node, &requests, 1),
            Allocator::Islip { iterations } => self.output_first(node, &requests, iterations),
        }
    }

    fn switch_requests(&self, node: usize, now: u64) -> Vec<Request> {
        let limit = output_buffer(&self.spec);
        let mut requests = Vec::new();
        for (port, input) in self.nodes[node].inputs.iter().enumerate() {
            for lane in 0..input.lanes.len() {
                let Some((output, _, key)) = self.sendable(node, port, lane, now) else {
                    continue;
                };
                let id = self.nodes[node].outputs[output];
                if limit == 0 || self.channels[id].output_buffer.len() < limit {
                    requests.push(Request {
                        port,
                        lane,
                        output,
                        key,
                    });
                }
            }
        }
        requests
    }

    fn pick_in_switch(&mut self, pointer: usize, candidates: &[(usize, Key)]) -> Option<usize> {
        let arbiter = self.spec.router.channel_arbiter;
        pick(arbiter, pointer, candidates, &mut self.arbitration)
    }

    fn input_first(&mut self, node: usize, requests: &[Request]) -> Vec<(usize, usize)> {
        let mut proposals: Vec<&Request> = Vec::new();
        for port in 0..self.nodes[node].inputs.len() {
            let own: Vec<&Request> = requests.iter().filter(|r| r.port == port).collect();
            let lanes: Vec<(usize, Key)> = own.iter().map(|r| (r.lane, r.key)).collect();
            let pointer = self.nodes[node].inputs[port].lane_pointer;
            let lane = self.pick_in_switch(pointer, &lanes);
            proposals.extend(own.into_iter().filter(|r| Some(r.lane) == lane));
        }
        let mut matched = Vec::new();
        for output in self.outputs_in_turn(node) {
            let own = proposals.iter().filter(|r| r.output == output);
            let ports: Vec<(usize, Key)> = own.clone().map(|r| (r.port, r.key)).collect();
            let id = self.nodes[node].outputs[output];
            let port = self.pick_in_switch(self.channels[id].input_pointer, &ports);
            for granted in own.filter(|r| Some(r.port) == port) {
                self.channels[id].input_pointer = granted.port + 1;
                self.nodes[node].inputs[granted.port].lane_pointer = granted.lane + 1;
                matched.push((granted.port, granted.lane));
            }
        }
        matched
    }

    fn output_first(
        &mut self,
        node: usize,
        requests: &[Request],
        iterations: u8,
    ) -> Vec<(usize, usize)> {
        let mut left: Vec<&Request> = requests.iter().collect();
        let mut matched = Vec::new();
        for iteration in 0..iterations {
            let offers = self.offers(node, &left);
            let accepted = self.accepted(node, &left, &offers);
            for request in accepted {
                if iteration == 0 {
                    let input = &mut self.nodes[node].inputs[request.port];
                    input.lane_pointer = request.lane + 1;
                    input.output_pointer = request.output + 1;
                    let id = self.nodes[node].outputs[request.output];
                    self.channels[id].input_pointer = request.port + 1;
                }
                matched.push((request.port, request.lane));
                left.retain(|r| r.port != request.port && r.output != request.output);
            }
        }
        matched
    }

    /// Output and the input it offers itself to.
    fn offers(&mut self, node: usize, left: &[&Request]) -> Vec<(usize, usize)> {
        let mut offers = Vec::new();
        for output in self.outputs_in_turn(node) {
            let wanting = left.iter().filter(|r| r.output == output);
            let ports = smallest(wanting.map(|r| (r.port, r.key)));
            let id = self.nodes[node].outputs[output];
            let pointer = self.channels[id].input_pointer;
            if let Some(port) = self.pick_in_switch(pointer, &ports) {
                offers.push((output, port));
            }
        }
        offers
    }

    fn accepted<'a>(
        &mut self,
        node: usize,
        left: &[&'a Request],
        offers: &[(usize, usize)],
    ) -> Vec<&'a Request> {
        let mut accepted = Vec::new();
        for port in 0..self.nodes[node].inputs.len() {
            let offered = |output: usize| offers.contains(&(output, port));
            let own: Vec<&&Request> = left
                .iter()
                .filter(|r| r.port == port && offered(r.output))
                .collect();
            let outputs = smallest(own.iter().map(|r| (r.output, r.key)));
            let pointer = self.nodes[node].inputs[port].output_pointer;
            let Some(output) = self.pick_in_switch(pointer, &outputs) else {
                continue;
            };
            let for_it = own.iter().filter(|r| r.output == output);
            let lanes: Vec<(usize, Key)> = for_it.map(|r| (r.lane, r.key)).collect();
            let pointer = self.nodes[node].inputs[port].lane_pointer;
            let lane = self.pick_in_switch(pointer, &lanes);
            let chosen = |r: &&&'a Request| r.port == port && Some(r.lane) == lane;
            accepted.extend(left.iter().find(chosen).copied());
        }
        accepted
    }
}
