//! Frames between hosts and switches: from checked tables to the network that the Ethernet engine
//! runs, and what is proved of it before it runs.
//!
//! A line here may touch `given`, `network`, `language`, and what `circuits` holds for both.
//! The next part of the network is a file that `build` calls once; the next proof stands beside
//! `lossless`, `deadlock` and `headroom`.

mod account;
mod asked;
mod carriers;
mod checks;
mod collectives;
mod controls;
pub(crate) mod counters;
mod credits;
mod crossings;
mod datagrams;
mod deadlock;
mod draws;
pub mod exported;
mod flight;
mod flow_list;
mod flow_sizes;
mod flow_table;
mod flows;
pub mod headroom;
mod jobs;
mod limits;
mod listeners;
mod lossless;
mod members;
mod memory;
mod needs_rows;
mod net;
mod nics;
mod offers;
mod overload;
pub(crate) mod packets;
mod promises;
mod queues;
mod ranks;
mod rate_control;
mod rates;
mod roce;
mod routes;
mod schedulers;
mod series;
mod shared;
mod spread;
pub(crate) mod stops;
mod switches;
mod tcp;
mod threats;
mod topology;
mod traffic;
mod trims;
mod trunks;
mod waits;
pub(crate) mod way;
mod workloads;

use backwater_net::frames::spec::{
    DrainSpec, EthernetSpec, FrameRules, MemorySpec, NicSpec, NodeKind, OutageSpec, RouteSpec,
    SeriesSpec,
};

use self::controls::Controls;
use self::crossings::Crossings;
use self::flows::Flows;
use self::lossless::Whole;
use self::memory::Memories;
use self::net::Net;
use self::promises::Consent;
pub use self::promises::GivenUp;

use crate::Limits;
use crate::given::frames::EthernetFile;
use crate::language::files::Files;
use crate::language::record::Record;
use crate::network::jitter;
use crate::prelude::*;

/// What the Ethernet engine simulates.
#[derive(Clone, PartialEq, Debug)]
pub struct EthernetScenario {
    /// What to simulate.
    pub network: EthernetSpec,
    /// What to record.
    pub series: Vec<SeriesSpec>,
    /// Where lossless classes may lose frames, and which lines say so.
    pub given_up: Vec<GivenUp>,
    /// Headroom of lossless classes under stops: what each queue and input needs and has.
    pub headroom: Vec<headroom::Need>,
}

/// How long it runs.
fn run<'f>(
    file: &'f EthernetFile,
    mistakes: &mut Diagnostics,
) -> Option<(&'f crate::given::frames::Run, backwater_kernel::Time)> {
    let run = file.run.sure()?;
    crate::circuits::checks::run_times(&run.duration, &run.warm_up, mistakes);
    Some((run, *run.duration))
}

/// What holds for the whole network.
fn rules(
    file: &EthernetFile,
    flows: &Flows<'_>,
    (routes, drains): (Vec<RouteSpec>, Vec<DrainSpec>),
    nics: (Vec<NicSpec>, Vec<u32>),
    net: &Net<'_>,
    mistakes: &mut Diagnostics,
) -> FrameRules {
    let stall = file.run.stall.unwrap_or(checks::USUAL_STALL);
    FrameRules {
        routes,
        spread: spread::of(&file.switch, mistakes),
        nics: nics.0,
        rails: nics.1,
        forwarders: net.forwarders(),
        stall_after: stall,
        drains,
        arrivals: flows
            .groups
            .iter()
            .map(|group| group.spec.clone())
            .collect(),
        collectives: flows.collectives.clone(),
        jobs: flows.jobs.clone(),
    }
}

/// Draws when flows start.
fn postpone(network: &mut EthernetSpec, jitter: Option<backwater_kernel::Duration>) {
    let seed = network.seed;
    let flows = network.flows.iter_mut();
    let starts = flows.filter_map(|flow| flow.traffic.start_mut());
    jitter::postpone(starts, seed, jitter);
}

fn outages(
    file: &EthernetFile,
    net: &Net<'_>,
    stop_at: backwater_kernel::Time,
    mistakes: &mut Diagnostics,
) -> Vec<OutageSpec> {
    let given: Vec<_> = file.links.iter().map(|own| &own.outages[..]).collect();
    crate::network::outages::outages(&net.entries, &given, stop_at, mistakes)
}

/// Builds it, unless something is missing; mistakes go to `mistakes`, and with errors among them
/// the result is not to be used.
pub(crate) fn build(
    root: &Record,
    limits: &Limits,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Option<EthernetScenario> {
    let file = &root.typed::<EthernetFile>();
    let (run, stop_at) = run(file, mistakes)?;
    let net = topology::build(file, limits, files, mistakes);
    let ports = switches::ports(file, flows::highest_class(file), mistakes);
    let controls = Controls::read(file, &net, ports, mistakes);
    let mut links = queues::links(&controls, mistakes);
    let own = switches::differing(file, &net, mistakes);
    stops::fill(&controls, &own, &mut links, mistakes);
    let flows = self::flows::flows(file, (&net, &links, limits), files, mistakes);
    checks::classes(file, ports.classes, mistakes);
    checks::flow_control(file, ports, mistakes);
    controls.check(mistakes);
    checks::frames(file, &flows, mistakes);
    let given = (file.series.as_slice(), root.chosen_outside());
    let series = series::series(
        given,
        (&net, &links),
        &flows,
        controls.counted(),
        stop_at,
        mistakes,
    );
    let memories = Memories::read(file, &net, mistakes);
    let nodes = switches::nodes(&controls, (&links, memories.as_ref()), &own);
    let drains = switches::drains(&net, &links, &own, mistakes);
    let nics = nics::nics(file, &net, &own, &flows, mistakes);
    let routes = routes::given(file, &net, mistakes);
    let crossings = crossings::follow(&net, &routes, &flows, mistakes);
    let outages = outages(file, &net, stop_at, mistakes);
    let mut network = EthernetSpec {
        seed: run.seed,
        stop_at,
        warm_up: *run.warm_up,
        nodes,
        links,
        rules: rules(file, &flows, (routes, drains), nics, &net, mistakes),
        flows: flows.specs.clone(),
        outages,
    };
    postpone(&mut network, run.start_jitter);
    checks::blocked(file, &network, mistakes);
    schedulers::check(file, &net, &network, mistakes);
    credits::add(&controls, &own, &mut network, mistakes);
    needs_rows::check(file, &network, &flows, mistakes);
    let consent = Consent::read(&controls, mistakes);
    let (mut given_up, mut headroom) = (Vec::new(), Vec::new());
    if mistakes.errors() == 0 {
        stops::ignored(&controls, &network, mistakes);
        let parts = (&crossings, &flows, (&consent, &controls), memories.as_ref());
        (headroom, given_up) = whole(file, &net, parts, &mut network, mistakes);
        routes::follow((&net, &network), &flows, &crossings, mistakes);
        credits::small_frames(&controls, &network, mistakes);
        rate_control::set_paths(&mut network);
        routes::reordering(file, (&net, &network), &flows, mistakes);
        mistakes.extend(limits::fits(file, &network, limits));
    }
    Some(EthernetScenario {
        network,
        series,
        given_up,
        headroom,
    })
}

/// What a network as a whole is looked at with.
type Parts<'a> = (
    &'a Crossings,
    &'a Flows<'a>,
    (&'a Consent, &'a Controls<'a>),
    Option<&'a Memories<'a>>,
);

/// What can't work in the network as a whole; fills in the headroom of shared memory, and tells
/// nodes what they promise. The account of all headroom, and what is given up.
fn whole(
    file: &Placed<EthernetFile>,
    net: &Net<'_>,
    (crossings, flows, (consent, controls), memories): Parts<'_>,
    network: &mut EthernetSpec,
    mistakes: &mut Diagnostics,
) -> (Vec<headroom::Need>, Vec<GivenUp>) {
    let look = Whole {
        file,
        net,
        flows,
        spec: network,
        crossings,
        consent,
        controls,
        lanes: backwater_net::frames::lane_counts(network).unwrap_or_default(),
        rate_message: listeners::message_bytes(network),
    };
    let (mut stall_after, mut account) = (None, Vec::new());
    checks::marks(&look, mistakes);
    listeners::check(&look, mistakes);
    listeners::trimmed(&look, mistakes);
    checks::old_tcp(&look, mistakes);
    checks::starts(&look, mistakes);
    checks::peaks(&look, mistakes);
    overload::check(&look, mistakes);
    if crossings.is_partial {
        mistakes.extend(checks::too_many_paths(file));
    } else {
        datagrams::check(&look, mistakes);
        account = lossless::check(&look, mistakes);
        mistakes.extend(checks::stall(&look));
        mistakes.extend(deadlock::check(&look));
        stall_after = checks::stall_in_short_runs(&look);
    }
    let shared = memories.map(|own| shared::headroom(&look, own, &mut account, mistakes));
    let shared = shared.unwrap_or_default();
    network.rules.stall_after = stall_after.unwrap_or(network.rules.stall_after);
    for (node, memory) in shared.memories {
        if let NodeKind::Switch(switch) = &mut network.nodes[node as usize].kind {
            switch.memory = MemorySpec::Shared(memory);
        }
    }
    let given_up = consent.promise(network, &shared.oversold, mistakes);
    (account, given_up)
}
