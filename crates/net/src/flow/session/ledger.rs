//! Who has reserved what.

use backwater_kernel::Rate;

use super::{Branches, Port, Session};
use crate::hop::unit::NONE;
use crate::network::Network;
use crate::outcome::{SessionAnswer, SessionOutcome};

impl Network {
    /// The flow is set up while the network runs.
    pub(crate) fn has_session(&self, flow_id: u32) -> bool {
        self.session(flow_id).is_some()
    }

    pub(super) fn session(&self, flow_id: u32) -> Option<&Session> {
        self.sessions.as_ref()?.flows[flow_id as usize].as_ref()
    }

    pub(super) fn session_mut(&mut self, flow_id: u32) -> Option<&mut Session> {
        self.sessions.as_mut()?.flows[flow_id as usize].as_mut()
    }

    /// Size of the messages of a flow's session.
    pub(crate) fn message_bytes(&self, flow_id: u32) -> u32 {
        let session = self.session(flow_id);
        session.map_or(1, |session| session.spec.message_bytes)
    }

    /// What has become of the session of a flow. In a part of a run without its source: which port
    /// refused it here.
    pub(crate) fn session_outcome(&self, flow_id: u32) -> Option<SessionOutcome> {
        let session = self.session(flow_id)?;
        let mut outcome = session.outcome;
        if let (None, Some((_, channel, missing))) = (outcome.asked_at, session.refusal) {
            outcome.answer = SessionAnswer::Refused { channel, missing };
        }
        Some(outcome)
    }

    /// The rate reserved on `channel` now; `None` if no flow of the network has a session.
    pub fn reserved(&self, channel: u32) -> Option<Rate> {
        let bps = self.sessions.as_ref()?.channels[channel as usize].reserved;
        Some(Rate(bps.min(u64::MAX as u128) as u64))
    }

    /// The sending port of `leg_id` gives back what the flow had reserved there.
    pub(crate) fn release(&mut self, leg_id: u32) {
        let sender = &self.legs[leg_id as usize].sender;
        let (flow_id, channel) = (sender.flow as usize, sender.channel as usize);
        let Some(sessions) = &mut self.sessions else {
            return;
        };
        let port = &mut sessions.ports[leg_id as usize];
        if let (true, Some(session)) = (port.is_reserved, &sessions.flows[flow_id]) {
            port.is_reserved = false;
            sessions.channels[channel].reserved -= session.rate as u128;
        }
    }

    /// Reserves at the sending port of `leg_id`; false if its channel has not the rate left.
    pub(super) fn try_reserve(&mut self, leg_id: u32) -> bool {
        let sender = &self.legs[leg_id as usize].sender;
        let (flow_id, channel) = (sender.flow as usize, sender.channel);
        let Some(sessions) = &mut self.sessions else {
            return false;
        };
        let Some(session) = &mut sessions.flows[flow_id] else {
            return false;
        };
        match sessions.channels[channel as usize].reserve(session.rate) {
            Ok(()) => {
                sessions.ports[leg_id as usize].is_reserved = true;
                true
            }
            Err(missing) => {
                let known = session.refusal.map_or(u32::MAX, |(leg, ..)| leg);
                if leg_id < known {
                    session.refusal = Some((leg_id, channel, missing));
                }
                false
            }
        }
    }

    pub(super) fn port_mut(&mut self, leg_id: u32) -> Option<&mut Port> {
        let sessions = self.sessions.as_mut()?;
        sessions.ports.get_mut(leg_id as usize)
    }

    /// The branches at the end of `leg_id`, or at the source if that is `NONE`.
    pub(super) fn branches_mut(&mut self, flow_id: u32, leg_id: u32) -> Option<&mut Branches> {
        match leg_id {
            NONE => self
                .session_mut(flow_id)
                .map(|session| &mut session.branches),
            leg => self.port_mut(leg).map(|port| &mut port.branches),
        }
    }
}
