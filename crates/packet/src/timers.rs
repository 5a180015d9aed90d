//! Control timers: requests for credit, refresh of credit, end-to-end time-outs.

use backwater_kernel::EventQueue;

use crate::channel::TicketKind;
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::source_control::SourceControl;
use crate::timer::Timer;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// Sender-Request-Credit (Kung 1993, section 4.5): a sender that waited too long asks.
    pub(crate) fn on_request_timer(&mut self, leg_id: u32) {
        let sender = &self.network.legs[leg_id as usize].sender;
        let link = &mut self.network.credits[sender.control as usize];
        link.timer_armed = false;
        let settings = &self.network.settings[link.settings as usize];
        let Some(after) = settings.request_after else {
            return;
        };
        if !sender.is_blocked() {
            return;
        }
        link.timer_armed = true;
        let mut due = link.blocked_since + after;
        if due <= self.now {
            link.requests += 1;
            link.blocked_since = self.now;
            due = self.now + after;
            self.want_control(leg_id, TicketKind::Request, 0);
        }
        self.schedule(Timer::Request.at(due, leg_id));
    }

    /// A receiver that has sent no credit for long sends it unasked.
    pub(crate) fn on_refresh_timer(&mut self, leg_id: u32) {
        let control = self.network.legs[leg_id as usize].sender.control;
        let link = &self.network.credits[control as usize];
        let settings = &self.network.settings[link.settings as usize];
        let Some(every) = settings.refresh_every else {
            return;
        };
        let mut due = link.last_credit + every;
        if due <= self.now {
            self.provoke_credit(leg_id);
            due = self.now + every;
        }
        self.schedule(Timer::Refresh.at(due, leg_id));
    }

    pub(crate) fn on_end_to_end_timer(&mut self, flow_id: u32) {
        let flow = &mut self.network.flows[flow_id as usize];
        let SourceControl::Aimd(aimd) = &mut flow.control else {
            return;
        };
        let (again, next) = aimd.on_timer(self.now);
        if again > 0 {
            flow.next_number = aimd.next_number();
            flow.backlog = flow.backlog.saturating_add(again as u64);
            flow.counts.retransmitted += again as u64;
        }
        if let Some(due) = next {
            self.schedule(Timer::EndToEnd.at(due, flow_id));
        }
        self.pump(flow_id);
    }
}
