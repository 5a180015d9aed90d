//! The two ends of a flow: offering units, taking them in, answering.

use backwater_ends::application::units::ENDLESS;
use backwater_ends::control::{Ack, Control, Item, Next};
use backwater_kernel::{EventQueue, Time};

use crate::flow::{self, Delivery};
use crate::hop::timer::Timer;
use crate::hop::unit::Unit;
use crate::network::Freed;
use crate::probe::Probe;
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The application of `flow_id` has something to say.
    #[inline]
    pub(crate) fn on_source_timer(&mut self, flow_id: u32) {
        let flow = &mut self.network.flows[flow_id as usize];
        if flow.shaping.is_some() {
            return self.offer_shaped(flow_id);
        }
        let emission = flow.traffic.on_timer(self.now);
        flow.backlog = flow.backlog.saturating_add(emission.units);
        flow.announce(self.now, emission.units);
        self.ask_again(flow_id, emission.next);
        self.pump(flow_id);
    }

    pub(crate) fn ask_again(&mut self, flow_id: u32, next: Option<Time>) {
        if let Some(next) = next {
            self.schedule(Timer::Offer.at(next, flow_id));
        }
    }

    /// Hands units to the port as far as source control lets it: of a scheme with slots in phase
    /// Inject only. A pulled flow hands over one at a time, so that an endless backlog stays a
    /// number.
    #[inline]
    pub(crate) fn pump(&mut self, flow_id: u32) {
        loop {
            let flow = &mut self.network.flows[flow_id as usize];
            let is_fed = flow.backlog != 0;
            match flow
                .control
                .next(self.now, is_fed || flow.shaping.is_some())
            {
                Next::Now(Item::Data) => {}
                Next::Now(Item::Control) => {
                    self.send_control(flow_id);
                    continue;
                }
                Next::At(at) => return self.await_slot(flow_id, at),
                Next::Wait => return,
            }
            if flow.is_pulled && self.is_supplied(flow_id) {
                return;
            }
            if !is_fed && !self.feed(flow_id) {
                return;
            }
            self.hand_over(flow_id);
            if self.is_asked_to_stop() {
                return;
            }
        }
    }

    /// Every branch at the source has a unit waiting.
    fn is_supplied(&self, flow_id: u32) -> bool {
        let roots = self.network.roots(flow_id).iter();
        let waits = |root: &u32| self.network.legs[*root as usize].sender.queue.len > 0;
        roots.clone().all(waits)
    }

    fn hand_over(&mut self, flow_id: u32) {
        let now = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        if flow.backlog != ENDLESS {
            flow.backlog -= 1;
        }
        let number = flow.next_number;
        flow.next_number = number.wrapping_add(1);
        flow.control.on_sent(now, flow.backlog == 0);
        self.await_timer(flow_id);
        self.on_cell_sent(flow_id, number);
        self.inject(flow_id, number);
    }

    /// Sees to it that source control is called when it wants to be.
    #[inline]
    pub(crate) fn await_timer(&mut self, flow_id: u32) {
        let flow = &mut self.network.flows[flow_id as usize];
        if let Some(at) = flow.control.timer()
            && at < flow.timer_at
        {
            flow.timer_at = at;
            self.schedule(Timer::EndToEnd.at(at, flow_id));
        }
    }

    /// Source control of `flow_id` wanted to be called.
    pub(crate) fn on_end_to_end_timer(&mut self, flow_id: u32) {
        let flow = &mut self.network.flows[flow_id as usize];
        if flow.timer_at == self.now {
            flow.timer_at = Time::MAX;
        }
        let again = flow.control.on_timer(self.now);
        flow.follow();
        flow.backlog = flow.backlog.saturating_add(again as u64);
        flow.counts.retransmitted += again as u64;
        self.await_timer(flow_id);
        self.resume(flow_id);
    }

    /// A unit leaves the hands of source control.
    #[inline]
    fn inject(&mut self, flow_id: u32, number: u32) {
        let flow = &self.network.flows[flow_id as usize];
        if flow.shaping.is_some() {
            return self.inject_shaped(flow_id, number);
        }
        self.enter(flow_id, number, flow.unit_bytes);
    }

    /// A unit enters the queues at its source.
    #[inline]
    pub(crate) fn enter(&mut self, flow_id: u32, number: u32, bytes: u32) {
        let flow = &mut self.network.flows[flow_id as usize];
        flow.counts.offered += flow.leaves as u64;
        let unit = Unit::data(self.now, number, bytes);
        let (first, count) = (flow.first_root as usize, flow.roots as usize);
        for index in first..first + count {
            let root = self.network.children[index];
            let place = self.network.units.insert(unit, self.now.ps());
            self.enqueue(root, place);
            let waiting = self.network.legs[root as usize].sender.queue.len as u64;
            let counts = &mut self.network.flows[flow_id as usize].counts;
            counts.backlog_max = counts.backlog_max.max(waiting);
        }
    }

    /// A unit left its source: an endless source makes the next one. A unit of such a source is
    /// born when it starts: nothing waited for it.
    #[inline]
    pub(crate) fn after_source_start(&mut self, flow_id: u32, leg_id: u32, place: u32) {
        let network = &mut self.network;
        let flow = &mut network.flows[flow_id as usize];
        if !flow.is_pulled {
            return;
        }
        network.units.set_born(place, self.now);
        let sender = &mut network.legs[leg_id as usize].sender;
        if sender.queue.len > 0 {
            return;
        }
        if flow.roots > 1 || sender.seen_by.schedules() || flow.shaping.is_some() {
            return self.pump(flow_id);
        }
        if flow.backlog == 0 {
            return;
        }
        if flow.backlog != ENDLESS {
            flow.backlog -= 1;
        }
        let number = flow.next_number;
        flow.next_number = number.wrapping_add(1);
        flow.counts.offered += flow.leaves as u64;
        let unit = Unit {
            leg: leg_id,
            ..Unit::data(self.now, number, flow.unit_bytes)
        };
        let next = network.units.insert(unit, self.now.ps());
        sender.queue.push(&mut network.units, next);
    }

    /// The destination takes a unit in.
    #[inline]
    pub(crate) fn consume(&mut self, leg_id: u32, place: u32) {
        let now = self.now;
        let unit = *self.network.units.get(place);
        let flow_id = self.network.legs[leg_id as usize].sender.flow;
        if unit.kind.is_rm() {
            return self.consume_rm(flow_id, place);
        }
        let born = self.network.units.born(place);
        self.network.units.remove(place);
        let flow = &mut self.network.flows[flow_id as usize];
        flow.efci = unit.is_marked();
        flow.counts.delivered += 1;
        flow.counts.delivered_bytes += unit.bytes as u64;
        flow::record(&mut flow.counts.delay, born, now);
        self.probe.on_delivered(now, leg_id, born, unit.bytes);
        if flow.delivery != Delivery::Plain {
            self.answer(flow_id, unit.number);
        }
    }

    fn answer(&mut self, flow_id: u32, number: u32) {
        let flow = &mut self.network.flows[flow_id as usize];
        let partner = flow.partner;
        match flow.delivery {
            Delivery::Plain => {}
            Delivery::Acknowledge => {
                // Where nothing is sent again, a gap is a loss and is stepped over.
                let steps_over_gaps = flow.control.position().is_none();
                if number == flow.expected || steps_over_gaps {
                    flow.expected = number.wrapping_add(1);
                    flow.counts.accepted += 1;
                }
                let expected = flow.expected;
                self.inject(partner, expected);
            }
            Delivery::Feedback => {
                let source = &mut self.network.flows[partner as usize];
                let ack = Ack {
                    expected: number.into(),
                    ..Ack::default()
                };
                source.control.on_ack(self.now, &ack);
                source.follow();
                self.resume(partner);
            }
            Delivery::Request => self.serve(flow_id, partner),
            Delivery::Response => self.hear(partner, flow_id),
            Delivery::Frame => self.on_frame_cell(flow_id, number),
        }
    }

    /// A unit of a request reached the server that answers on `server_id`.
    fn serve(&mut self, client_id: u32, server_id: u32) {
        let client = &mut self.network.flows[client_id as usize].traffic;
        let Some(request) = client.on_request_unit() else {
            return;
        };
        let (now, seed) = (self.now, self.seed);
        let server = &mut self.network.flows[server_id as usize].traffic;
        let ready = server.serve(now, request, seed, server_id);
        self.ask_again(server_id, ready);
    }

    /// A unit of a response reached the client that asks on `client_id`.
    fn hear(&mut self, client_id: u32, server_id: u32) {
        let now = self.now;
        let client = &mut self.network.flows[client_id as usize].traffic;
        let Some((issued, next)) = client.on_response_unit(now) else {
            return;
        };
        let counts = &mut self.network.flows[server_id as usize].counts;
        flow::record_response(&mut counts.responses, issued, now);
        self.ask_again(client_id, next);
    }

    /// The unit waits in the destination's buffer until its sink takes it.
    pub(crate) fn await_release(&mut self, sink_id: u32, leg_id: u32, place: u32) {
        let sink = &mut self.network.sinks[sink_id as usize];
        sink.waiting.push(&mut self.network.units, place);
        if !sink.release_due {
            sink.release_due = true;
            let at = sink.sink.next_release(self.now);
            self.schedule(Timer::Release.at(at, leg_id));
        }
    }

    /// The sink of `leg_id` takes a unit.
    pub(crate) fn release(&mut self, leg_id: u32) {
        let now = self.now;
        let sink_id = self.network.legs[leg_id as usize].receiver.first_child as usize;
        let sink = &mut self.network.sinks[sink_id];
        sink.release_due = false;
        if sink.waiting.len == 0 {
            return;
        }
        let place = sink.waiting.pop(&self.network.units);
        sink.sink.on_release(now);
        if sink.waiting.len > 0 {
            sink.release_due = true;
            let at = sink.sink.next_release(now);
            self.schedule(Timer::Release.at(at, leg_id));
        }
        let bytes = self.network.units.get(place).bytes;
        self.consume(leg_id, place);
        self.free_unit(Freed {
            leg: leg_id,
            bytes,
            until: now,
        });
    }
}
