//! Control timers: requests for credit, refresh of credit, end-to-end time-outs.

use backwater_kernel::{Event, EventQueue, Phase, Time};

use crate::cell_tcp::TCP_TIMER;
use crate::channel::TicketKind;
use crate::deliver::{REFRESH_TIMER, REQUEST_TIMER, SOURCE_TIMER};
use crate::probe::Probe;
use crate::rate_ports::INTERVAL_TIMER;
use crate::session::{CLOSE_TIMER, OPEN_TIMER, RESERVE_TIMER};
use crate::simulation::Simulation;
use crate::source_control::Control;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    pub(crate) fn on_control_timer(&mut self, entity: u32, timer: u32) {
        match timer {
            REQUEST_TIMER => self.on_request_timer(entity),
            REFRESH_TIMER => self.on_refresh_timer(entity),
            SOURCE_TIMER => self.on_end_to_end_timer(entity),
            OPEN_TIMER => self.open_session(entity),
            CLOSE_TIMER => self.close_session(entity),
            RESERVE_TIMER => self.reserve(entity),
            INTERVAL_TIMER => self.on_interval_timer(entity),
            TCP_TIMER => self.on_tcp_timer(entity),
            _ => {}
        }
    }

    /// Sender-Request-Credit (Kung 1993, section 4.5): a sender that waited too long asks.
    fn on_request_timer(&mut self, leg_id: u32) {
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
        self.schedule(Event::new(due, Phase::Control, leg_id, REQUEST_TIMER));
    }

    /// A receiver that has sent no credit for long sends it unasked.
    fn on_refresh_timer(&mut self, leg_id: u32) {
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
        self.schedule(Event::new(due, Phase::Control, leg_id, REFRESH_TIMER));
    }

    fn on_end_to_end_timer(&mut self, flow_id: u32) {
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
}
