//! What connections do when cells and timers come.

use backwater_kernel::{EventQueue, Time};

use crate::flow::{self, Delivery};
use crate::hop::timer::Timer;
use crate::outcome::CellTcpOutcome;
use crate::probe::Probe;
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// Sets the first timer of every connection.
    pub(crate) fn start_connections(&mut self) {
        let Some(tcp) = &mut self.network.tcp else {
            return;
        };
        for connection in &mut tcp.list {
            if let Some(first) = connection.arm(Time::ZERO) {
                let opener = connection.flows[0];
                tcp.events += 1;
                self.events.push(Timer::Tcp.at(first, opener));
            }
        }
    }

    /// A cell of data got its number; source control lets it go. To be called for every such cell,
    /// in order, whatever becomes of it.
    #[inline]
    pub(crate) fn on_cell_sent(&mut self, flow_id: u32, number: u32) {
        if self.network.flows[flow_id as usize].delivery == Delivery::Frame {
            self.assign_cell(flow_id, number);
        }
    }

    fn assign_cell(&mut self, flow_id: u32, number: u32) {
        if let Some(tcp) = &mut self.network.tcp
            && let Some((index, end)) = tcp.of(flow_id)
        {
            tcp.list[index].on_cell_sent(end, number);
        }
    }

    /// A cell of data reached the destination of `flow_id`.
    pub(crate) fn on_frame_cell(&mut self, flow_id: u32, number: u32) {
        let (now, is_warm) = (self.now, self.is_warm);
        let Some(tcp) = &mut self.network.tcp else {
            return;
        };
        let Some((index, end)) = tcp.of(flow_id) else {
            return;
        };
        let connection = &mut tcp.list[index];
        let Some(segment) = connection.on_cell(end, number) else {
            return;
        };
        let answered = connection.on_segment(now, end.other(), &segment, is_warm);
        if let Some(issued) = answered {
            let counts = &mut self.network.flows[flow_id as usize].counts;
            flow::record_response(&mut counts.responses, issued, now);
        }
        self.attend(index);
    }

    /// The timer of the connection that `flow_id` opens.
    pub(crate) fn on_tcp_timer(&mut self, flow_id: u32) {
        let now = self.now;
        let Some(tcp) = &mut self.network.tcp else {
            return;
        };
        tcp.events -= 1;
        if let Some((index, _)) = tcp.of(flow_id)
            && tcp.list[index].on_timer(now)
        {
            self.attend(index);
        }
    }

    /// Is nothing to come but timers of connections that wait for nothing any more? A timer that
    /// is stopped leaves its event behind.
    #[inline]
    pub(crate) fn has_only_leftovers(&self) -> bool {
        let tcp = self.network.tcp.as_ref();
        tcp.is_some_and(|tcp| tcp.is_left_over(self.events.len()) && self.may_rest())
    }

    /// Offers the cells of new frames to source control, and sees to the next timer.
    fn attend(&mut self, index: usize) {
        let now = self.now;
        let Some(tcp) = &mut self.network.tcp else {
            return;
        };
        let connection = &mut tcp.list[index];
        let (flows, cells) = (connection.flows, connection.take_cells());
        if let Some(due) = connection.arm(now) {
            tcp.events += 1;
            self.schedule(Timer::Tcp.at(due, flows[0]));
        }
        for (flow_id, cells) in flows.into_iter().zip(cells) {
            if cells > 0 {
                self.offer_frames(flow_id, cells);
            }
        }
    }

    fn offer_frames(&mut self, flow_id: u32, cells: u64) {
        let flow = &mut self.network.flows[flow_id as usize];
        flow.backlog = flow.backlog.saturating_add(cells);
        flow.announce(self.now, cells);
        self.resume(flow_id);
    }

    /// What was found of the connection that `flow_id` opens, if it opens one.
    pub(crate) fn tcp_outcome(&self, flow_id: u32) -> Option<CellTcpOutcome> {
        self.network.tcp.as_ref()?.outcome(flow_id)
    }
}
