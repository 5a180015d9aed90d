//! From checked tables to the network that the Ethernet engine runs.

mod checks;
mod crossings;
mod deadlock;
mod flows;
pub mod headroom;
mod layers;
mod limits;
mod lossless;
mod net;
mod promises;
mod queues;
mod routes;
mod series;
mod shared;
mod switches;
mod tcp;
mod threats;
mod topology;
mod traffic;

use ethernet::spec::{EthernetSpec, MemorySpec, NodeKind, SeriesSpec, Spread};
use kernel::{Duration, Time};

use self::crossings::Crossings;
use self::flows::Flows;
use self::lossless::Lossless;
use self::net::Net;
use self::promises::Consent;
pub use self::promises::GivenUp;
pub(crate) use self::tcp::flavour;

use crate::Limits;
use crate::diagnostics::Diagnostics;
use crate::record::Record;

/// What the Ethernet engine simulates.
#[derive(Clone, PartialEq, Debug)]
pub struct EthernetScenario {
    /// What to simulate.
    pub network: EthernetSpec,
    /// What to record.
    pub series: Vec<SeriesSpec>,
    /// Where lossless classes may lose frames, and which lines say so.
    pub given_up: Vec<GivenUp>,
}

/// Builds it, unless something is missing; mistakes go to `mistakes`, and with errors among them
/// the result is not to be used.
pub(crate) fn build(
    root: &Record,
    limits: &Limits,
    mistakes: &mut Diagnostics,
) -> Option<EthernetScenario> {
    let run = root.record("run")?;
    let seed = run.whole("seed").unwrap_or(1);
    let stop_at = run.time("duration").unwrap_or(Time(1));
    let warm_up = run.time("warm_up").unwrap_or(Time::ZERO);
    crate::checks::run_times(Some(run), stop_at, warm_up, mistakes);
    let net = topology::build(root, mistakes);
    let ports = switches::ports(root, flows::highest_class(root), mistakes);
    let flows = self::flows::flows(root, &net, seed, mistakes);
    checks::classes(root, ports.classes, mistakes);
    checks::back_pressure(root, ports, mistakes);
    checks::frames(root, &flows, mistakes);
    let series = series::series(root, &net, &flows, ports, stop_at, mistakes);
    let links = queues::links(root, &net, ports, mistakes);
    let nodes = switches::nodes(root, &net, &links, ports, stop_at, mistakes);
    let routes = routes::given(root, &net, mistakes);
    let crossings = crossings::follow(&net, &routes, &flows, mistakes);
    let mut network = EthernetSpec {
        seed,
        stop_at,
        warm_up,
        nodes,
        links,
        routes,
        spread: match root.record("switch").map(|switch| switch.word("spread")) {
            Some("frames") => Spread::Frames,
            _ => Spread::Flows,
        },
        flows: flows.specs.clone(),
        stall_after: run.duration("stall").unwrap_or(Duration(1)),
    };
    checks::blocked(root, &network, mistakes);
    let consent = Consent::read(root, &net, ports, mistakes);
    let mut given_up = Vec::new();
    if mistakes.errors() == 0 {
        let parts = (&crossings, &flows, &consent);
        whole(root, &net, parts, &mut network, mistakes);
        given_up = consent.promise(&mut network, mistakes);
        routes::follow(&network, &flows, &crossings, mistakes);
        limits::fits(root, &network, limits, mistakes);
    }
    Some(EthernetScenario {
        network,
        series,
        given_up,
    })
}

/// What can't work in the network as a whole; fills in the headroom of shared memory.
fn whole(
    root: &Record,
    net: &Net<'_>,
    (crossings, flows, consent): (&Crossings, &Flows<'_>, &Consent),
    network: &mut EthernetSpec,
    mistakes: &mut Diagnostics,
) {
    checks::marks(root, crossings, flows, network, mistakes);
    checks::loads(net, flows, network, mistakes);
    let look = Lossless {
        root,
        net,
        spec: network,
        crossings,
        consent,
    };
    if crossings.is_partial {
        checks::too_many_ways(root, mistakes);
    } else {
        lossless::check(&look, mistakes);
        checks::stall(&look, mistakes);
        deadlock::check(&look, mistakes);
    }
    for (node, shared) in shared::headroom(&look, mistakes) {
        if let NodeKind::Switch(switch) = &mut network.nodes[node as usize].kind {
            switch.memory = MemorySpec::Shared(shared);
        }
    }
}
