//! Units wait: in the memory of a node, and in the queues of the legs that go on from there.

use backwater_kernel::EventQueue;

use crate::hop::leg::Watchers;
use crate::probe::Probe;
use crate::scheduler::Scheduler;
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The unit has a place in the node's memory; its branches may send it.
    #[inline(always)]
    pub(crate) fn store(&mut self, leg_id: u32, place: u32) {
        let now = self.now;
        let network = &mut self.network;
        let receiver = &mut network.legs[leg_id as usize].receiver;
        receiver.fill.add(now);
        let (children, first_child) = (receiver.children, receiver.first_child);
        self.probe.on_fill(now, leg_id, receiver.fill.value());
        let node_id = receiver.node;
        let node = &mut network.nodes[node_id as usize];
        node.stored.add(now);
        self.probe.on_stored(now, node_id, node.stored.value());
        match children {
            0 => self.await_release(first_child, leg_id, place),
            1 => self.enqueue(first_child, place),
            _ => self.branch(leg_id, place),
        }
    }

    /// One copy in memory, one entry in the queue of each branch.
    fn branch(&mut self, leg_id: u32, place: u32) {
        let leg = &self.network.legs[leg_id as usize].receiver;
        let (first, count) = (leg.first_child as usize, leg.children as u32);
        let mut unit = *self.network.units.get(place);
        unit.shared = self.network.copies.insert(count);
        let born = self.network.units.born(place);
        self.network.units.remove(place);
        for index in first..first + count as usize {
            let child = self.network.children[index];
            let branch = self.network.units.insert(unit, born.ps());
            self.enqueue(child, branch);
        }
    }

    /// The unit waits for the channel of `leg_id`.
    #[inline]
    pub(crate) fn enqueue(&mut self, leg_id: u32, place: u32) {
        let network = &mut self.network;
        network.units.get_mut(place).leg = leg_id;
        let seen_by = network.legs[leg_id as usize].sender.seen_by;
        if seen_by != Watchers::NOBODY {
            if seen_by.rates() {
                self.join_rate_port(leg_id, place);
            }
            if seen_by.ranks() {
                return self.enqueue_ranked(leg_id, place);
            }
            if seen_by.lines() {
                return self.join_line(leg_id, place);
            }
        }
        let network = &mut self.network;
        let sender = &mut network.legs[leg_id as usize].sender;
        sender.queue.push(&mut network.units, place);
        self.probe.on_queue(self.now, leg_id, sender.queue.len);
        if sender.queue.len > 1 {
            return;
        }
        if sender.is_open() {
            let channel_id = sender.channel;
            if let Scheduler::RoundRobin(turns) =
                &mut network.channels[channel_id as usize].scheduler
            {
                turns.ready(sender.place);
            }
            self.wake(channel_id);
        } else {
            self.watch_credit(leg_id);
            self.note_blocked(leg_id);
        }
    }

    /// The unit waits in the line of its port.
    #[inline]
    fn join_line(&mut self, leg_id: u32, place: u32) {
        let (now, network) = (self.now, &mut self.network);
        let number = network.units.get(place).number;
        let sender = &mut network.legs[leg_id as usize].sender;
        sender.queue.push(&mut network.units, place);
        let (channel_id, waiting) = (sender.channel, sender.queue.len);
        if let Scheduler::Line(line) = &mut network.channels[channel_id as usize].scheduler {
            line.join(now, leg_id);
        }
        self.probe.on_rank(now, leg_id, number, now.ps());
        self.probe.on_queue(now, leg_id, waiting);
        self.wake(channel_id);
    }
}
