//! Cells at ports that tell rates.

use backwater_ends::control::Control;
use backwater_kernel::EventQueue;

use super::{BACKGROUND, BEHIND};
use crate::hop::kind::UnitKind;
use crate::hop::timer::Timer;
use crate::hop::unit::{MARKED, NONE};
use crate::outcome::RatePortOutcome;
use crate::probe::Probe;
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The first timers of ports that measure.
    pub(crate) fn start_rate_ports(&mut self) {
        for id in 0..self.rates.ports.len() {
            self.await_interval(id);
        }
    }

    fn await_interval(&mut self, port_id: usize) {
        let port = &self.rates.ports[port_id];
        if let Some(at) = port.rule.timer() {
            self.schedule(Timer::Interval.at(at, port.channel));
        }
    }

    /// A measuring interval may be over. (It may have ended sooner, by count; then the timer was
    /// that of the one before.)
    pub(crate) fn on_interval_timer(&mut self, channel: u32) {
        let now = self.now;
        let port_id = self.rates.of_channel[channel as usize] as usize;
        let port = &mut self.rates.ports[port_id];
        if port.rule.timer().is_some_and(|at| at <= now) {
            let view = port.view(now);
            if let Some(interval) = port.rule.on_timer(&view) {
                self.probe.on_interval(now, channel, interval);
            }
        }
        self.await_interval(port_id);
    }

    /// The unit at `place` is about to join the queue of `leg_id` at a port that tells rates.
    #[inline(never)]
    pub(crate) fn join_rate_port(&mut self, leg_id: u32, place: u32) {
        let now = self.now;
        let channel = self.network.legs[leg_id as usize].sender.channel;
        let seat = self.rates.seats[leg_id as usize];
        if seat == BEHIND {
            return;
        }
        let port = &mut self.rates.ports[self.rates.of_channel[channel as usize] as usize];
        let unit = self.network.units.get(place);
        let (bits, kind) = (8 * unit.bytes, unit.kind);
        if seat != BACKGROUND {
            port.queue_cells += 1;
            port.queue_max = port.queue_max.max(port.queue_cells);
            port.cells += 1;
            self.probe.on_rate_queue(now, channel, port.queue_cells);
        }
        let view = port.view(now);
        let ended = port.rule.on_cell(&view, seat, bits);
        if let Some(interval) = ended {
            self.probe.on_interval(now, channel, interval);
        }
        if seat == BACKGROUND || kind == UnitKind::BackwardRm {
            return;
        }
        if kind == UnitKind::ForwardRm {
            let mut cell = self.network.units.rm(place);
            let before = cell;
            port.rule.on_forward(&view, seat, &mut cell);
            port.marked += (cell != before) as u64;
            return self.network.units.set_rm(place, cell);
        }
        if port.rule.marks(&view) {
            port.marked += 1;
            self.network.units.get_mut(place).marks |= MARKED;
        }
        if let Some((ci, ni)) = port.rule.notice(&view, seat) {
            self.send_notice(leg_id, ci, ni);
        }
    }

    /// A unit of `leg_id` left the queue of a port that tells rates.
    pub(crate) fn leave_rate_port(&mut self, leg_id: u32) {
        if self.rates.seats[leg_id as usize] >= BEHIND {
            return;
        }
        let channel = self.network.legs[leg_id as usize].sender.channel;
        let port = &mut self.rates.ports[self.rates.of_channel[channel as usize] as usize];
        port.queue_cells -= 1;
        self.probe
            .on_rate_queue(self.now, channel, port.queue_cells);
    }

    /// A backward RM cell has come over `channel_id` and goes on: the port the other way, which
    /// the data of its circuit uses, writes into it.
    #[cold]
    pub(crate) fn answer_backward(&mut self, channel_id: u32, leg_id: u32, place: u32) {
        let Some(&port_id) = self.rates.of_channel.get((channel_id ^ 1) as usize) else {
            return;
        };
        let opposite = self.rates.opposite[leg_id as usize];
        if port_id == NONE || opposite == NONE {
            return;
        }
        let seat = self.rates.seats[opposite as usize];
        let port = &mut self.rates.ports[port_id as usize];
        let view = port.view(self.now);
        let mut cell = self.network.units.rm(place);
        let before = cell;
        port.rule.on_backward(&view, seat, &mut cell);
        port.feedbacks += 1;
        port.marked += ((cell.ci, cell.ni) != (before.ci, before.ni)) as u64;
        if cell.er != before.er {
            let flow = self.network.legs[opposite as usize].sender.flow;
            let control = &self.network.flows[flow as usize].control;
            cell.er = control.written(cell.er);
        }
        self.network.units.set_rm(place, cell);
    }

    /// What a port that tells rates has found.
    pub(crate) fn rate_port_outcome(&self, channel: u32) -> Option<RatePortOutcome> {
        let port_id = *self.rates.of_channel.get(channel as usize)?;
        let port = self.rates.ports.get(port_id as usize)?;
        let mut outcome = RatePortOutcome {
            cells_total: port.cells,
            queue_max: port.queue_max as u64,
            feedbacks_total: port.feedbacks,
            marked_total: port.marked,
            ..RatePortOutcome::default()
        };
        port.rule.outcome(&mut outcome);
        Some(outcome)
    }
}
