//! Deliveries, the answers to them, births, and who moves up to the source lanes.

use backwater_kernel::BuildError;

use super::Delivery;
use super::network::{Answer, End, Flit, Flying, Network, Stored, sources_per_terminal, wrong};
use super::order::source_of;

impl Network {
    /// Flits whose flight on an ejection channel ends in this cycle.
    pub fn deliver(&mut self, now: u64) {
        let first_ejection = self.channels_between_routers() + self.spec.graph.inject.len();
        for channel in first_ejection..self.channels.len() {
            let is_due = |flying: &Flying| flying.usable == now;
            while let Some(flying) = self.channels[channel].flying.front().copied() {
                if !is_due(&flying) {
                    break;
                }
                self.channels[channel].flying.pop_front();
                self.delivered += 1;
                self.check_order(channel, flying.lane, flying.flit);
                let End::Terminal(terminal) = self.channels[channel].end else {
                    continue;
                };
                let destination = self.packets[flying.flit.packet].destination;
                if destination != terminal {
                    self.break_law(format!("terminal {terminal} got a flit for {destination}"));
                }
                if self.is_tail(flying.flit) {
                    self.arrived(flying.flit, now);
                }
            }
        }
    }

    fn arrived(&mut self, tail: Flit, now: u64) {
        let packet = &self.packets[tail.packet];
        let Some(entered) = packet.entered else {
            return self.break_law("a packet arrived that never entered".into());
        };
        let delivery = Delivery {
            source: packet.source,
            destination: packet.destination,
            class: packet.class,
            length: packet.length,
            birth: packet.birth,
            entered,
            delivered: now,
            hops: packet.hops,
        };
        self.deliveries.push(delivery);
        let (class, from, to) = (delivery.class, delivery.source, delivery.destination);
        if let Some(reaction) = self.generator.arrived(class, from, to, now) {
            let first = reaction.at_terminal as usize * sources_per_terminal(&self.spec);
            self.answers.push(Answer {
                cycle: reaction.cycle,
                source: first + reaction.source_lane as usize,
                born: reaction.born,
            });
        }
    }

    pub fn births(&mut self, now: u64) -> Result<(), BuildError> {
        for process in 0..self.due.len() {
            while self.due[process] == Some(now) {
                let (born, next) = self.generator.born(process as u32, now);
                if next.is_some_and(|next| next < now) {
                    return wrong(format!("process {process} goes back in time at {now}"));
                }
                self.due[process] = next;
                let source = process / self.spec.classes.len();
                let packet = self.new_packet(source, born, now);
                self.sources[source].queue.push_back(packet);
            }
        }
        let (due, later) = std::mem::take(&mut self.answers)
            .into_iter()
            .partition(|answer| answer.cycle <= now);
        self.answers = later;
        let due: Vec<Answer> = due;
        for answer in due {
            let packet = self.new_packet(answer.source, answer.born, now);
            self.sources[answer.source].queue.push_back(packet);
        }
        self.fill_source_lanes(now);
        Ok(())
    }

    fn fill_source_lanes(&mut self, now: u64) {
        let routers = self.spec.graph.routers as usize;
        for terminal in 0..self.spec.graph.inject.len() {
            let node = routers + terminal;
            for lane in 0..self.nodes[node].inputs[0].lanes.len() {
                if !self.nodes[node].inputs[0].lanes[lane].buffer.is_empty() {
                    continue;
                }
                let source = source_of(&self.spec, terminal, lane);
                let Some(packet) = self.next_packet(source, now) else {
                    continue;
                };
                let length = self.packets[packet].length;
                let flits = (0..length).map(|index| Stored {
                    flit: Flit { packet, index },
                    usable: now,
                });
                self.nodes[node].inputs[0].lanes[lane].buffer.extend(flits);
            }
        }
    }

    /// The front of the queue, or a packet of a source that always has one more.
    fn next_packet(&mut self, source: usize, now: u64) -> Option<usize> {
        if let Some(packet) = self.sources[source].queue.pop_front() {
            return Some(packet);
        }
        if !self.generator.pulls() {
            return None;
        }
        let born = self.generator.pull(source as u32)?;
        Some(self.new_packet(source, born, now))
    }
}
