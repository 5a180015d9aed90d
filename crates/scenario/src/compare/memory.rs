//! The memory of switches under credit: what each circuit or link gets of it, and whether that
//! will do.

use backwater_kernel::Rate;
use backwater_kernel::words::counted;

use super::network::{Link, Network};
use super::scheme::{Circuits, Gate, Scheme};
use super::unit::{CONTROL_BYTES, FRAME_BYTES, Unit};
use super::{ComparedFlow, Settings};
use crate::circuits::control::n3_for;
use crate::language::kinds::OrWord;
use crate::prelude::*;

/// What a unit of credit for frames is good for: InfiniBand counts in as many bytes.
pub(super) const CREDIT_BYTES: u64 = 64;
/// Units that a full frame costs.
const FRAME_UNITS: u64 = FRAME_BYTES.div_ceil(CREDIT_BYTES);

/// Circuits whose units come into each node, flows back included.
pub(super) fn circuits(network: &Network, flows: &[ComparedFlow]) -> Vec<u64> {
    let mut circuits = vec![0; network.nodes.len()];
    for flow in flows {
        let back = flow.way_back();
        for channel in flow.path.iter().chain(back.iter().flatten()) {
            circuits[network.receiver(*channel)] += 1;
        }
    }
    circuits
}

/// Units of an equal part of the memory of a switch for each of its circuits: N2 + N3.
pub(super) fn part(settings: &Settings, ports: u64, circuits: u64) -> u64 {
    let bytes = settings.buffer_bytes.saturating_mul(ports);
    bytes / circuits.max(1) / settings.n23_unit.memory_bytes()
}

/// N3 of a circuit over `link` whose part of the memory is so many units.
pub(super) fn circuit_zone(settings: &Settings, link: &Link, part: u64) -> u64 {
    let unit = settings.n23_unit;
    let wire = |bytes| link.rate.serialization(bytes);
    let whole = wire(unit.wire_bytes()) + wire(unit.message_bytes()) + link.delay * 2;
    let left = part.saturating_sub(settings.n2);
    let needed = bandwidth(settings, link).map(|rate| {
        let units = n3_for(whole, rate, unit.wire_bytes() as u32);
        u64::from(units)
    });
    left.min(needed.unwrap_or(left))
}

/// N2 and N3 of every link, for all its frames: the memory of an input.
pub(super) fn link_zones(settings: &Settings, network: &Network) -> [u64; 2] {
    let all = settings.buffer_bytes / CREDIT_BYTES;
    let n2 = settings.n2 * FRAME_UNITS;
    let left = all.saturating_sub(n2);
    let needed = network.links.iter().map(|link| {
        let rate = bandwidth(settings, link)?;
        // The credit may wait behind a frame, and what is left may not do for the next one.
        let frame = Unit::Frame.wire_bytes();
        let whole = link.rate.serialization(2 * frame + CONTROL_BYTES) + link.delay * 2;
        let frames = u64::from(n3_for(whole, rate, frame as u32)) + 1;
        Some(frames * FRAME_UNITS)
    });
    let needed = needed.max().flatten();
    [n2, left.min(needed.unwrap_or(left))]
}

/// What a circuit or a link shall reach, if the file says that.
fn bandwidth(settings: &Settings, link: &Link) -> Option<Rate> {
    settings.n23_target.map(|target| match target {
        OrWord::Word => link.rate,
        OrWord::Value(own) => own.of(link.rate),
    })
}

/// Says if the zones of a scheme do not fit into the memory; `at` is where that is given.
pub(super) fn check(
    settings: &Settings,
    network: &Network,
    flows: &[ComparedFlow],
    (schemes, at): (&[Scheme], &At),
    mistakes: &mut Diagnostics,
) {
    let too_small = |scheme: Scheme, what: String, needed: u64| {
        let name = scheme.name();
        Diagnostic::error(
            "small-buffer",
            format!("the memory is too small for `{name}`"),
        )
        .at(at, format!("{} B for each port", settings.buffer_bytes))
        .note(what)
        .help(format!(
            "set `buffer` of `[switch]` to {needed} B or more, lower `schemes.n23.n2`, or leave \
             `{name}` out with `--only`"
        ))
    };
    let unit = settings.n23_unit.memory_bytes();
    let circuits = circuits(network, flows);
    // What each port of a switch must have for its circuits.
    let needed = |switch: &usize| {
        let least = (settings.n2 + 1) * unit * circuits[*switch];
        least.div_ceil(network.ports(*switch).max(1))
    };
    let most = (network.hosts..network.nodes.len()).max_by_key(needed);
    let short = most.filter(|switch| {
        let share = part(settings, network.ports(*switch), circuits[*switch]);
        circuits[*switch] > 0 && share <= settings.n2
    });
    let n23 = Scheme::Circuits(Circuits::N23);
    if let Some(switch) = short.filter(|_| schemes.contains(&n23)) {
        let (ports, circuits) = (network.ports(switch), circuits[switch]);
        let what = format!(
            "`{}` has {} and {}, and each needs N2 + 1 = {} units of {unit} B or more",
            network.nodes[switch],
            counted(ports, "port"),
            counted(circuits, "circuit"),
            settings.n2 + 1
        );
        mistakes.push(too_small(n23, what, needed(&switch)));
    }
    let least = (settings.n2 + 1) * FRAME_UNITS;
    if let Some(scheme) = first_under(schemes, Gate::N23Class)
        && settings.buffer_bytes / CREDIT_BYTES < least
    {
        let what = format!(
            "an input needs N2 + 1 = {} full frames of {FRAME_UNITS} units of {CREDIT_BYTES} B",
            settings.n2 + 1
        );
        mistakes.push(too_small(scheme, what, least * CREDIT_BYTES));
    }
    if let Some(scheme) = first_under(schemes, Gate::Cbfc)
        && settings.buffer_bytes / CREDIT_BYTES < FRAME_UNITS
    {
        let cells = counted(FRAME_UNITS, "cell");
        let what = format!("a full frame costs {cells} of {CREDIT_BYTES} B");
        mistakes.push(too_small(scheme, what, FRAME_UNITS * CREDIT_BYTES));
    }
}

/// The first of the schemes that have this gate.
pub(super) fn first_under(schemes: &[Scheme], gate: Gate) -> Option<Scheme> {
    let has = |scheme: &&Scheme| matches!(scheme, Scheme::Frames(_, own) if *own == gate);
    schemes.iter().find(has).copied()
}
