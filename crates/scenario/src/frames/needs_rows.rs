//! What is made, or computed, for each flow before the run, and so needs a row for each.

use backwater_ends::spec::RateControlSpec;
use backwater_kernel::Duration;
use backwater_net::frames::spec::{
    BackPressureSpec, EthernetSpec, FlowSpec, NodeKind, NodeSpec, Owner, TransportSpec,
};

use super::flows::Flows;
use crate::given::frames::EthernetFile;
use crate::prelude::*;

/// Says what flows without rows can't have.
pub(crate) fn check(
    file: &EthernetFile,
    network: &EthernetSpec,
    flows: &Flows<'_>,
    mistakes: &mut Diagnostics,
) {
    let Some(first) = flows.groups.first() else {
        return;
    };
    let mut refuse = |at: &At, why: &str| {
        Diagnostic::error("needs-rows", "this needs a row for each flow")
            .at(at, why)
            .at(first.table.at, "`rows = \"group\"`: no row for each flow")
            .help("leave `rows` out of `[[workloads]]`: then each flow has a row")
            .tell(mistakes);
    };
    if file.run.start_jitter.is_some() {
        refuse(
            &file.run.at,
            "`start_jitter` draws for each flow before the run",
        );
    }
    let by_host = |node: &NodeSpec| match &node.kind {
        NodeKind::Switch(switch) => switch.stops.all().any(BackPressureSpec::is_by_destination),
        NodeKind::Station { .. } => false,
    };
    if network.nodes.iter().any(by_host) {
        refuse(&file.flow_control.at, "stops flows by the host they go to");
    }
    let mut channels = network.links.iter().flat_map(|link| &link.channels);
    let mut credits = channels.by_ref().flat_map(|channel| &channel.credits);
    if credits.any(|credit| credit.is_some_and(|credit| credit.owner != Owner::Class)) {
        refuse(
            &file.flow_control.at,
            "gives lanes within a class credit of their own",
        );
    }
    for group in &flows.groups {
        for why in group.spec.kinds.iter().filter_map(of_path) {
            refuse(group.table.at, why);
        }
    }
}

/// What of a flow follows from its path.
fn of_path(flow: &FlowSpec) -> Option<&'static str> {
    let TransportSpec::Roce(roce) = &flow.transport else {
        return None;
    };
    match &roce.control {
        RateControlSpec::Hpcc(spec) if spec.base_rtt == Duration::ZERO => {
            Some("HPCC takes `base_rtt` from the path of each, unless the file says it")
        }
        RateControlSpec::Nscc(_) => Some("NSCC goes by the round trip of each path"),
        RateControlSpec::Swift(_) => Some("Swift counts the hops of each path"),
        RateControlSpec::Rocc(_) => Some("under RoCC switches know the way back of each flow"),
        RateControlSpec::None
        | RateControlSpec::Hpcc(_)
        | RateControlSpec::Dcqcn(_)
        | RateControlSpec::Timely(_)
        | RateControlSpec::Outside(_) => None,
    }
}
