//! What a session does when its clock, an answer or a message comes.

use backwater_ends::application::units::Traffic;
use backwater_ends::control::SourceControl;
use backwater_kernel::EventQueue;

use super::Branches;
use crate::flow::session::message::Message;
use crate::hop::timer::Timer;
use crate::hop::unit::NONE;
use crate::outcome::SessionAnswer;
use crate::probe::Probe;
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// Sessions open and close by the clock.
    pub(crate) fn start_sessions(&mut self) {
        let Some(sessions) = &self.network.sessions else {
            return;
        };
        for (id, session) in sessions.flows.iter().enumerate() {
            let Some(session) = session else {
                continue;
            };
            let open = session.spec.open;
            self.events.push(Timer::Open.at(open, id as u32));
            if let Some(close) = session.spec.close {
                self.events.push(Timer::Close.at(close, id as u32));
            }
        }
    }

    /// The source of `flow_id` asks.
    pub(crate) fn open_session(&mut self, flow_id: u32) {
        let now = self.now;
        if let Some(session) = self.network.session_mut(flow_id) {
            session.outcome.asked_at = Some(now);
            self.ask_branches(flow_id, NONE);
        }
    }

    /// The set-up goes on over all branches at the end of `leg_id`, once all set-ups of this
    /// instant have come.
    fn ask_branches(&mut self, flow_id: u32, leg_id: u32) {
        let count = self.network.branches(flow_id, leg_id);
        if let Some(branches) = self.network.branches_mut(flow_id, leg_id) {
            branches.unanswered = count as u32;
        }
        for index in 0..count {
            let branch = self.network.branch(flow_id, leg_id, index);
            self.schedule(Timer::Reserve.at(self.now, branch));
        }
    }

    /// The set-up is at the sending port of `leg_id`.
    pub(crate) fn reserve_leg(&mut self, leg_id: u32) {
        if self.network.try_reserve(leg_id) {
            self.send_message(leg_id, Message::SetUp);
        } else {
            self.on_answer(leg_id, false);
        }
    }

    /// The set-up has crossed the channel of `leg_id`.
    pub(crate) fn on_set_up(&mut self, leg_id: u32) {
        let leg = &self.network.legs[leg_id as usize];
        if leg.receiver.is_leaf() {
            self.send_message(leg_id, Message::Acceptance);
        } else {
            self.ask_branches(leg.sender.flow, leg_id);
        }
    }

    /// The node where `leg_id` starts knows what has become of it. With the last answer of its
    /// branches, it answers.
    pub(crate) fn on_answer(&mut self, leg_id: u32, is_accepted: bool) {
        let sender = &self.network.legs[leg_id as usize].sender;
        let (flow_id, parent) = (sender.flow, sender.parent);
        if let Some(port) = self.network.port_mut(leg_id) {
            port.is_accepted = is_accepted;
        }
        let Some(branches) = self.network.branches_mut(flow_id, parent) else {
            return;
        };
        branches.unanswered -= 1;
        branches.is_refused |= !is_accepted;
        let Branches {
            unanswered,
            is_refused,
        } = *branches;
        if unanswered > 0 {
            return;
        }
        if is_refused {
            self.tear_down_branches(flow_id, parent);
        }
        match (parent, is_refused) {
            (NONE, true) => self.on_refused(flow_id),
            (NONE, false) => self.on_accepted(flow_id),
            (leg, true) => self.send_message(leg, Message::Refusal),
            (leg, false) => self.send_message(leg, Message::Acceptance),
        }
    }

    fn on_refused(&mut self, flow_id: u32) {
        let now = self.now;
        let Some(session) = self.network.session_mut(flow_id) else {
            return;
        };
        session.outcome.answered_at = Some(now);
        if let Some((_, channel, missing)) = session.refusal {
            session.outcome.answer = SessionAnswer::Refused { channel, missing };
        }
    }

    fn on_accepted(&mut self, flow_id: u32) {
        let now = self.now;
        let Some(session) = self.network.session_mut(flow_id) else {
            return;
        };
        session.outcome.answered_at = Some(now);
        session.outcome.answer = SessionAnswer::Admitted;
        let by = now.since(session.traffic_start);
        if session.closes_at_once {
            return self.tear_down_branches(flow_id, NONE);
        }
        let traffic = &mut self.network.flows[flow_id as usize].traffic;
        traffic.postpone(by);
        if let Some(start) = traffic.start() {
            self.schedule(Timer::Offer.at(start, flow_id));
        }
    }

    /// The source of `flow_id` falls silent; what its port holds is still sent.
    pub(crate) fn close_session(&mut self, flow_id: u32) {
        let Some(session) = self.network.session_mut(flow_id) else {
            return;
        };
        match session.outcome.answer {
            SessionAnswer::Pending => session.closes_at_once = true,
            SessionAnswer::Refused { .. } => {}
            SessionAnswer::Admitted => {
                self.silence(flow_id);
                self.tear_down_branches(flow_id, NONE);
            }
        }
    }

    /// Nothing more is handed to the port.
    fn silence(&mut self, flow_id: u32) {
        let flow = &mut self.network.flows[flow_id as usize];
        flow.traffic = Traffic::Silent;
        flow.control = SourceControl::default();
        flow.backlog = 0;
        if let Some(shaping) = &mut flow.shaping {
            shaping.fall_silent();
        }
    }

    /// A tear-down follows on all branches at the end of `leg_id` that have reserved.
    fn tear_down_branches(&mut self, flow_id: u32, leg_id: u32) {
        for index in 0..self.network.branches(flow_id, leg_id) {
            let branch = self.network.branch(flow_id, leg_id, index);
            if let Some(port) = self.network.port_mut(branch)
                && port.is_accepted
            {
                (port.is_accepted, port.is_closing) = (false, true);
                self.network.legs[branch as usize].sender.is_watched = true;
                self.send_tear_down_if_due(branch);
            }
        }
    }

    /// A tear-down of `leg_id` goes when no data waits there.
    pub(crate) fn send_tear_down_if_due(&mut self, leg_id: u32) {
        let is_empty = self.network.legs[leg_id as usize].sender.queue.len == 0;
        if let Some(port) = self.network.port_mut(leg_id)
            && port.is_closing
            && is_empty
        {
            port.is_closing = false;
            self.send_message(leg_id, Message::TearDown);
        }
    }

    /// The tear-down has crossed the channel of `leg_id`.
    pub(crate) fn on_tear_down(&mut self, leg_id: u32) {
        let now = self.now;
        let leg = &self.network.legs[leg_id as usize];
        let flow_id = leg.sender.flow;
        if !leg.receiver.is_leaf() {
            return self.tear_down_branches(flow_id, leg_id);
        }
        // A session that was refused never reached all of them.
        if let Some(session) = self.network.session_mut(flow_id) {
            session.leaves_open -= 1;
            if session.leaves_open == 0 {
                session.outcome.closed_at = Some(now);
            }
        }
    }
}
