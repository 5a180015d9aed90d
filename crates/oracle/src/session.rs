//! Sessions: Zhang 1991, section 2.2, as the chapter on sessions and pools puts it.
//!
//! What is reserved on a channel is counted anew whenever somebody asks.

use backwater_kernel::{Rate, Time};
use backwater_net::outcome::{SessionAnswer, SessionOutcome};
use backwater_net::spec::{ReserveSpec, SessionSpec, TrafficSpec};

use crate::fault::Fault;
use crate::network::{CircuitFlow, Network};
use crate::unit::{Message, Wish};

/// What the session of its flow knows of a leg.
#[derive(Clone, Copy, Default)]
pub(crate) struct Branch {
    /// The flow's rate is reserved at its port.
    pub is_booked: bool,
    /// All behind it has accepted, or not; `None` without an answer.
    pub answer: Option<bool>,
    /// A tear-down is to follow when nothing waits at its port.
    pub is_closing: bool,
    /// Leaves: the tear-down has come.
    pub is_closed: bool,
}

/// The session of a flow, as its source knows it.
pub(crate) struct Session {
    spec: SessionSpec,
    rate: u64,
    asked_at: Option<Time>,
    answered_at: Option<Time>,
    is_admitted: bool,
    /// It has closed.
    is_over: bool,
    closed_at: Option<Time>,
    /// Leg, channel and the rate that it lacked.
    refusals: Vec<(usize, u32, u64)>,
}

impl Session {
    pub fn new(spec: SessionSpec, reserve: Option<ReserveSpec>) -> Session {
        Session {
            spec,
            rate: reserve.map_or(0, |reserve| reserve.rate.0),
            asked_at: None,
            answered_at: None,
            is_admitted: false,
            is_over: false,
            closed_at: None,
            refusals: Vec::new(),
        }
    }

    pub fn outcome(&self) -> SessionOutcome {
        let first = self.refusals.iter().min();
        SessionOutcome {
            asked_at: self.asked_at,
            answered_at: self.answered_at,
            answer: match (self.answered_at, self.is_admitted, first) {
                (Some(_), true, _) => SessionAnswer::Admitted,
                (Some(_), false, Some((_, channel, missing))) => SessionAnswer::Refused {
                    channel: *channel,
                    missing: Rate(*missing),
                },
                _ => SessionAnswer::Pending,
            },
            closed_at: self.closed_at,
        }
    }
}

impl CircuitFlow {
    pub fn message_bytes(&self) -> u64 {
        let session = self.session.as_ref();
        session.map_or(0, |session| u64::from(session.spec.message_bytes))
    }

    /// The application may begin. What it would have done before now it does later, as a whole.
    fn begin(&mut self, now: Time, fault: Option<Fault>) {
        self.is_open = true;
        let start = match self.traffic {
            TrafficSpec::Constant { start, .. }
            | TrafficSpec::Poisson { start, .. }
            | TrafficSpec::OnOff { start, .. } => start,
            _ => now,
        };
        if start < now && fault != Some(Fault::UnmovedTraffic) {
            self.stood_still_ps = now.ps() - start.ps();
        }
    }

    /// The application falls silent, and what has not come to the port is forgotten.
    fn fall_silent(&mut self, fault: Option<Fault>) {
        self.is_open = false;
        if fault == Some(Fault::GatesGoOn) {
            return;
        }
        for gate in self.envelope.iter_mut().chain(&mut self.policer) {
            gate.waiting.clear();
        }
        self.heed.waiting.clear();
    }
}

impl Network {
    /// Instants at which sessions open and close.
    pub fn sessions_next(&self) -> Vec<Time> {
        let sessions = self.flows.iter().filter_map(|flow| flow.session.as_ref());
        let times = |session: &Session| [Some(session.spec.open), session.spec.close];
        sessions.flat_map(times).flatten().collect()
    }

    /// Set-ups that have come reserve, sessions open and close.
    pub fn run_sessions(&mut self, now: Time) {
        let mut asking = std::mem::take(&mut self.set_ups);
        for flow in &mut self.flows {
            if let Some(session) = flow.session.as_mut().filter(|one| one.spec.open == now) {
                session.asked_at = Some(now);
                asking.extend(&flow.roots);
            }
        }
        // In the order of flows.
        asking.sort();
        if self.fault == Some(Fault::LastFlowFirst) {
            asking.reverse();
        }
        for leg in asking {
            self.book(leg, now);
        }
        self.close_sessions(now);
        self.send_tear_downs(now);
    }

    fn close_sessions(&mut self, now: Time) {
        for flow in 0..self.flows.len() {
            let fault = self.fault;
            let state = &mut self.flows[flow];
            let closes = |session: &&mut Session| session.spec.close == Some(now);
            let Some(session) = state.session.as_mut().filter(closes) else {
                continue;
            };
            session.is_over = true;
            if session.is_admitted {
                state.fall_silent(fault);
                self.close_all(flow, now);
            }
        }
    }

    /// All first legs of a flow are to be torn down.
    fn close_all(&mut self, flow: usize, now: Time) {
        for root in self.flows[flow].roots.clone() {
            self.close_leg(root, now);
        }
    }

    /// A tear-down has come to the port of `leg`.
    fn close_leg(&mut self, leg: usize, now: Time) {
        let _ = now;
        self.legs[leg].branch.is_closing = true;
        if self.fault == Some(Fault::EarlyRelease) {
            self.legs[leg].branch.is_booked = false;
        }
    }

    /// Ports at which nothing waits of a flow that closes let the tear-down follow.
    pub fn send_tear_downs(&mut self, now: Time) {
        let overtakes = self.fault == Some(Fault::TearDownsOvertake);
        for leg in 0..self.legs.len() {
            let state = &mut self.legs[leg];
            if state.branch.is_closing && (state.queue.is_empty() || overtakes) {
                state.branch.is_closing = false;
                self.want(leg, Wish::Tell(Message::TearDown), now);
            }
        }
    }

    /// Bits per second reserved on a channel.
    fn reserved(&self, channel: usize) -> u64 {
        let here = self.legs.iter().filter(|leg| leg.channel == channel);
        let rates = here.map(|leg| {
            let flow = &self.flows[leg.flow];
            match &flow.session {
                None => flow.heed.reserved_bps(),
                Some(session) if leg.branch.is_booked => session.rate,
                Some(_) => 0,
            }
        });
        rates.sum()
    }

    /// A set-up is at the port of `leg`: it reserves and goes on, or not.
    fn book(&mut self, leg: usize, now: Time) {
        let (flow, channel) = (self.legs[leg].flow, self.legs[leg].channel);
        let before = self.reserved(channel);
        let there_is = self.channels[channel].rate.0;
        let Some(session) = self.flows[flow].session.as_mut() else {
            return;
        };
        let least_lack = u64::from(self.fault == Some(Fault::FullIsTooMuch));
        if session.rate > 0 && before + session.rate + least_lack > there_is {
            let missing = before + session.rate - there_is;
            session.refusals.push((leg, channel as u32, missing));
            self.note_answer(leg, false, now);
            return;
        }
        self.legs[leg].branch.is_booked = true;
        self.want(leg, Wish::Tell(Message::SetUp), now);
    }

    /// All behind `leg` has answered.
    fn note_answer(&mut self, leg: usize, accepts: bool, now: Time) {
        self.legs[leg].branch.answer = Some(accepts);
        let (flow, parent) = (self.legs[leg].flow, self.legs[leg].parent);
        let branches = match parent {
            Some(parent) => self.legs[parent].children.clone(),
            None => self.flows[flow].roots.clone(),
        };
        let answer = |leg: &usize| self.legs[*leg].branch.answer;
        let Some(answers) = branches.iter().map(answer).collect::<Option<Vec<bool>>>() else {
            return;
        };
        let all = answers.iter().all(|accepts| *accepts);
        if !all && self.fault != Some(Fault::NoRollBack) {
            for (leg, accepted) in branches.into_iter().zip(answers) {
                if accepted {
                    self.close_leg(leg, now);
                }
            }
        }
        match (parent, all) {
            (Some(parent), true) => self.want(parent, Wish::Tell(Message::Acceptance), now),
            (Some(parent), false) => self.want(parent, Wish::Tell(Message::Refusal), now),
            (None, _) => self.answer_source(flow, all, now),
        }
    }

    fn answer_source(&mut self, flow: usize, accepts: bool, now: Time) {
        let fault = self.fault;
        let state = &mut self.flows[flow];
        let Some(session) = state.session.as_mut() else {
            return;
        };
        session.answered_at = Some(now);
        session.is_admitted = accepts;
        match (accepts, session.is_over) {
            (true, true) => self.close_all(flow, now),
            (true, false) => state.begin(now, fault),
            (false, _) => {}
        }
    }

    /// A message has crossed the channel of `leg`, one way or the other.
    pub fn hear(&mut self, leg: usize, message: Message, now: Time) {
        let state = &mut self.legs[leg];
        match message {
            Message::SetUp if state.is_leaf() => {
                self.want(leg, Wish::Tell(Message::Acceptance), now);
            }
            Message::SetUp => self.set_ups.extend(&state.children),
            Message::Acceptance => self.note_answer(leg, true, now),
            Message::Refusal => {
                if self.fault != Some(Fault::RefusalsKeep) {
                    state.branch.is_booked = false;
                }
                self.note_answer(leg, false, now);
            }
            Message::TearDown if state.is_leaf() => {
                state.branch.is_closed = true;
                let flow = state.flow;
                self.note_closed(flow, now);
            }
            Message::TearDown => {
                for child in state.children.clone() {
                    self.close_leg(child, now);
                }
            }
        }
    }

    /// A destination has the tear-down; is it the last?
    fn note_closed(&mut self, flow: usize, now: Time) {
        let mut leaves = self
            .legs
            .iter()
            .filter(|leg| leg.flow == flow && leg.is_leaf());
        if leaves.all(|leaf| leaf.branch.is_closed)
            && let Some(session) = &mut self.flows[flow].session
        {
            session.closed_at = Some(now);
        }
    }
}
