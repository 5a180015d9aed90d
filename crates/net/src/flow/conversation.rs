//! Which flow answers which.

use alloc::string::String;

use crate::flow::Delivery;
use crate::flow::cell_tcp;
use crate::hop::unit::NONE;
use crate::spec::{FlowSpec, NetworkSpec, TrafficSpec};

/// It is a client: the partner flow, a server, carries the responses.
fn asks(flow: &FlowSpec) -> bool {
    matches!(
        flow.traffic,
        TrafficSpec::Client(_) | TrafficSpec::Requests(_)
    )
}

/// Refuses flows whose answers nobody carries.
pub(crate) fn check(spec: &NetworkSpec, flow_id: usize) -> Result<(), String> {
    let flow = &spec.flows[flow_id];
    let is_held = flow.source_control.is_acknowledged() || flow.abr().is_some();
    let needs_partner = asks(flow) || is_held;
    match flow.partner {
        Some(partner) if partner as usize >= spec.flows.len() => {
            Err("its partner does not exist".into())
        }
        None if needs_partner => Err("it needs a partner flow that carries answers back".into()),
        _ => cell_tcp::check(spec, flow_id),
    }
}

/// What delivered units set off, and the flow at the other end of the conversation. Only the
/// asking flow names its partner; `asked_by` holds the reverse.
pub(crate) fn conversation(spec: &NetworkSpec, flow_id: u32, asked_by: &[u32]) -> (Delivery, u32) {
    let flow = &spec.flows[flow_id as usize];
    let is_windowed = |flow: &FlowSpec| flow.source_control.is_acknowledged();
    let partner = flow.partner.unwrap_or(NONE);
    if asks(flow) {
        return (Delivery::Request, partner);
    }
    if is_windowed(flow) {
        return (Delivery::Acknowledge, partner);
    }
    let asker = asked_by[flow_id as usize];
    if matches!(flow.traffic, TrafficSpec::Tcp(_) | TrafficSpec::TcpBack) {
        return (Delivery::Frame, flow.partner.unwrap_or(asker));
    }
    match spec.flows.get(asker as usize) {
        Some(other) if asks(other) => (Delivery::Response, asker),
        Some(other) if is_windowed(other) => (Delivery::Feedback, asker),
        _ if flow.abr().is_some() => (Delivery::Plain, partner),
        _ => (Delivery::Plain, NONE),
    }
}
