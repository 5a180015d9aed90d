//! Sessions: reservations made and given back while the network runs.
//!
//! Zhang 1991, section 2.2: "data transmissions follow three logical phases: flow set-up, data
//! transmission, and flow tear-down"; the paper leaves the protocol open. Here a set-up reserves
//! the flow's rate at each port it leaves, as long as the sum stays within the channel's rate. A
//! leaf accepts. A node answers when all of its branches have: with an acceptance if all of them
//! accepted, else with a refusal, after which it tears down those that had accepted. So behind a
//! leg that has answered everything is reserved, or all is given back or about to be.
//!
//! A tear-down follows the last data unit out of each port and gives back the reservation there.
//! Nothing is repeated, since nothing can be lost: links with errors in control units and links
//! that are cut for a while are refused.
//! Not modelled: admission by anything but the sum of rates, changes of a session's rate, routes
//! chosen at set-up.
//!
//! Set-ups that reach a port in one instant reserve in the order of flows in the scenario, after
//! refusals of this instant have given back, before tear-downs of this instant do.

mod ledger;
pub(crate) mod message;
mod signal;
mod steps;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{BuildError, Rate, Time};

use crate::flow::CircuitFlow;
use crate::hop::leg::Leg;
use crate::outcome::{SessionAnswer, SessionOutcome};
use crate::spec::{FlowSpec, NetworkSpec, SessionSpec, SourceControlSpec, TrafficSpec};

/// All sessions of a network.
pub(crate) struct Sessions {
    /// By channel: rate reserved and rate there is, in bits per second.
    channels: Vec<Booking>,
    /// By leg.
    ports: Vec<Port>,
    /// By flow.
    flows: Vec<Option<Session>>,
}

#[derive(Clone, Copy)]
struct Booking {
    reserved: u128,
    rate: u64,
}

/// The sending port of one leg, and the node behind it.
#[derive(Clone, Copy, Default)]
struct Port {
    is_reserved: bool,
    /// Everything behind it has accepted.
    is_accepted: bool,
    /// A tear-down follows when the queue is empty.
    is_closing: bool,
    /// The branches at the far end.
    branches: Branches,
}

/// Answers that a node waits for.
#[derive(Clone, Copy, Default)]
struct Branches {
    unanswered: u32,
    is_refused: bool,
}

/// One flow's session.
struct Session {
    spec: SessionSpec,
    /// Bits per second.
    rate: u64,
    /// When its traffic was to start.
    traffic_start: Time,
    /// The branches at the source.
    branches: Branches,
    /// The first leg, in the order of the scenario, whose port refused: its channel, and the
    /// rate it lacked.
    refusal: Option<(u32, u32, Rate)>,
    /// It closed before it was answered.
    closes_at_once: bool,
    /// Leaves that the tear-down has not reached.
    leaves_open: u32,
    outcome: SessionOutcome,
}

impl Sessions {
    /// Nothing is open; flows without a session have reserved. `None` if all are.
    pub fn new(legs: &[Leg], all: &[CircuitFlow], spec: &NetworkSpec) -> Option<Box<Sessions>> {
        if spec.flows.iter().all(|flow| flow.session.is_none()) {
            return None;
        }
        let free = |rate: Rate| Booking {
            reserved: 0,
            rate: rate.0,
        };
        let links = spec.links.iter();
        let mut channels: Vec<Booking> = links
            .flat_map(|link| [free(link.channels[0].rate), free(link.channels[1].rate)])
            .collect();
        for flow in spec.flows.iter().filter(|flow| flow.session.is_none()) {
            for leg in &flow.legs {
                channels[leg.channel as usize].reserved += reserved_bps(flow) as u128;
            }
        }
        let flows = spec.flows.iter().enumerate();
        Some(Box::new(Sessions {
            channels,
            ports: vec![Port::default(); legs.len()],
            flows: flows
                .map(|(id, flow)| Some(Session::new(flow, all[id].leaves, flow.session?)))
                .collect(),
        }))
    }
}

impl Session {
    fn new(flow: &FlowSpec, leaves: u32, spec: SessionSpec) -> Session {
        Session {
            spec,
            rate: reserved_bps(flow),
            traffic_start: flow.traffic.start(),
            branches: Branches::default(),
            refusal: None,
            closes_at_once: false,
            leaves_open: leaves,
            outcome: SessionOutcome {
                asked_at: None,
                answered_at: None,
                answer: SessionAnswer::Pending,
                closed_at: None,
            },
        }
    }
}

impl Booking {
    /// Reserves `rate`, or says how much is missing. Nothing always fits.
    fn reserve(&mut self, rate: u64) -> Result<(), Rate> {
        let sum = self.reserved + rate as u128;
        if rate == 0 || sum <= self.rate as u128 {
            self.reserved = sum;
            return Ok(());
        }
        let missing = sum - self.rate as u128;
        Err(Rate(missing.min(u64::MAX as u128) as u64))
    }
}

fn reserved_bps(flow: &FlowSpec) -> u64 {
    flow.reserve.map_or(0, |reserve| reserve.rate.0)
}

/// Refuses sessions that could not end well.
pub(crate) fn check(spec: &NetworkSpec) -> Result<(), BuildError> {
    for (id, flow) in spec.flows.iter().enumerate() {
        if let Some(session) = &flow.session
            && let Err(what) = check_session(spec, id as u32, flow, session)
        {
            return Err(BuildError(format!("flow `{}`: {what}", flow.name)));
        }
    }
    Ok(())
}

fn check_session(
    spec: &NetworkSpec,
    id: u32,
    flow: &FlowSpec,
    session: &SessionSpec,
) -> Result<(), String> {
    if session.message_bytes == 0 {
        return Err("a message of its session needs at least one byte".into());
    }
    if session.close.is_some_and(|close| close <= session.open) {
        return Err("its session closes before it opens".into());
    }
    let answers = flow.traffic == TrafficSpec::Server
        || spec.flows.iter().any(|other| other.partner == Some(id));
    if answers {
        return Err("it carries answers of another flow, and can't wait for a session".into());
    }
    let repeats = matches!(flow.source_control, SourceControlSpec::Aimd { .. });
    if repeats && session.close.is_some() {
        return Err("a source that sends again what was lost can't fall silent at once".into());
    }
    for (index, leg) in flow.legs.iter().enumerate() {
        let link = &spec.links[leg.channel as usize / 2];
        let loses = [&link.channels[0].errors, &link.channels[1].errors]
            .iter()
            .any(|errors| errors.control_loss > 0.0 || errors.control_corruption > 0.0);
        if loses {
            return Err(format!(
                "leg {index} crosses a link with errors in control units; the messages of its \
                 session are not repeated"
            ));
        }
        if spec
            .outages
            .iter()
            .any(|cut| cut.channel / 2 == leg.channel / 2)
        {
            return Err(format!(
                "leg {index} crosses a link that is cut for a while; the messages of its session \
                 are not repeated"
            ));
        }
    }
    Ok(())
}
