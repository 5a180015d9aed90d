//! Settings of the schemes: what the file says, and the defaults that follow from the topology.

use backwater_kernel::Duration;

use super::network::{FRAME_BYTES, Network};
use super::unit::Unit;
use super::{ComparedFlow, Scheme, Settings, Thresholds, memory, text};
use crate::given::compare::{
    ComparisonFile, LEAST_FRAMES, LEAST_INTERVAL, LEAST_MARKS, LEAST_WINDOW, MARKS, MOST_MARKS,
    Order, PATHS, Pause, Schemes, Switch, XON,
};
use crate::given::frames::flow_control::XOFF;
use crate::language::kinds::OrShare;
use crate::language::suggest;
use crate::language::typed::Word;
use crate::prelude::*;

/// Least XOFF threshold, in full frames.
const LEAST_HIGH: u64 = 2;

/// The schemes of the file, in the order of tables.
pub(super) fn schemes(given: &Schemes, mistakes: &mut Diagnostics) -> Vec<Scheme> {
    let names: Vec<&str> = Scheme::ALL.iter().map(Word::word).collect();
    let Some(only) = given.only.as_ref() else {
        return Scheme::ALL.into();
    };
    let mut schemes = Vec::new();
    for (name, at) in only {
        match Scheme::of_name(name) {
            Some(scheme) => schemes.push(scheme),
            None => Diagnostic::error(
                "unknown-name",
                format!("there is no scheme `{}`", clip(name)),
            )
            .at(at, "not one of the schemes")
            .help_if(suggest::did_you_mean(name, names.iter().copied()))
            .note(format!("schemes: {}", names.join(", ")))
            .tell(mistakes),
        }
    }
    if only.is_empty() {
        Diagnostic::error("missing-key", "nothing is compared")
            .at(&given.only.at, "no scheme here")
            .note(format!("schemes: {}", names.join(", ")))
            .help("leave `only` out to compare all")
            .tell(mistakes);
    }
    schemes.sort_unstable();
    schemes.dedup();
    schemes
}

/// Settings of `schemes`; of others they may make no sense, and nothing is said of that.
pub(super) fn settings(
    file: &ComparisonFile,
    network: &Network,
    flows: &[ComparedFlow],
    schemes: &[Scheme],
    mistakes: &mut Diagnostics,
) -> Settings {
    let (given, switch) = (&file.schemes, &file.switch);
    let (reno, n23, abr) = (&given.reno, &given.n23, &given.abr);
    let held = flows.iter().map(|flow| network.held(&flow.path)).max();
    let held = held.unwrap_or(0);
    let round_trips = flows.iter().map(|flow| network.round_trip(&flow.path));
    let longest = round_trips.max().unwrap_or(Duration(1));
    let buffer = *switch.buffer;
    let mut stops = Stops {
        switch,
        schemes,
        mistakes,
    };
    let output_room = network.largest_output_room();
    let usual = XOFF.value.of(buffer).unwrap_or(u64::MAX);
    let host_room = output_room.max(room_by_host(network, flows));
    let outputs = |room: u64| (room, buffer.saturating_sub(room).min(usual));
    let mut of_outputs = |scheme, own: &Pause, room: u64| Thresholds {
        notify: Some(own.notify.word()),
        ..stops.thresholds(scheme, [own.xoff, own.xon], outputs(room))
    };
    let pause = of_outputs(Scheme::Pause, &given.pause, output_room);
    let destination = of_outputs(Scheme::Destination, &given.destination, host_room);
    let input_room = network.largest_input_room();
    let inputs = (input_room, buffer.saturating_sub(input_room));
    let pfc = stops.thresholds(Scheme::Pfc, [given.pfc.xoff, given.pfc.xon], inputs);
    let abr_unit = Unit::given(abr.unit);
    let least_units = match abr_unit {
        Unit::Frame => LEAST_FRAMES.value,
        Unit::Cell => LEAST_INTERVAL.value,
    };
    let least_interval = network.slowest(least_units * abr_unit.wire_bytes());
    let settings = Settings {
        buffer_bytes: buffer,
        takes_turns: file.scheduler.kind == Order::RoundRobin,
        recovery: reno.recovery.word(),
        tcp_window: reno.window.unwrap_or_else(|| usual_window(held, buffer)),
        min_rto: reno.min_rto,
        mark_above: (given.dctcp.mark_above).unwrap_or_else(|| usual_marks(held, buffer)),
        n2: n23.n2,
        n23_unit: Unit::given(n23.unit),
        n23_target: n23.target,
        pause,
        destination,
        pfc,
        abr_unit,
        abr_target: abr.target,
        interval: abr.interval.unwrap_or(longest.max(least_interval)),
        icr: abr.icr,
        headroom: abr.headroom,
        tdf: abr.tdf,
    };
    memory::check(
        &settings,
        network,
        flows,
        (schemes, &switch.buffer.at),
        mistakes,
    );
    settings
}

/// Room above XOFF where a stop is sent for each host.
fn room_by_host(network: &Network, flows: &[ComparedFlow]) -> u64 {
    let backs = flows.iter().map(|flow| (flow.way_back(), flow.from));
    let backs: Vec<_> = backs.collect();
    let backs = backs
        .iter()
        .filter_map(|(back, to)| Some((back.as_deref()?, *to)));
    let ways = flows.iter().map(|flow| (&flow.path[..], flow.to));
    network.largest_output_room_by_host(ways.chain(backs))
}

/// The window of TCP over a path that holds so much.
fn usual_window(held: u64, buffer: u64) -> u64 {
    let window = PATHS.value.saturating_mul(held.saturating_add(buffer));
    window.clamp(LEAST_WINDOW.value, 1 << 30)
}

/// What queues hold where marks begin.
fn usual_marks(held: u64, buffer: u64) -> u64 {
    part_of(held, MARKS.value)
        .max(LEAST_MARKS.value * u64::from(FRAME_BYTES))
        .min(part_of(buffer, MOST_MARKS.value).max(1))
}

/// A part of a number, rounded down.
pub(super) fn part_of(value: u64, (above, below): (u64, u64)) -> u64 {
    value / below * above
}

/// Reads thresholds of schemes that stop.
struct Stops<'a> {
    switch: &'a Switch,
    schemes: &'a [Scheme],
    mistakes: &'a mut Diagnostics,
}

impl Stops<'_> {
    /// Thresholds that leave `room` above XOFF, which is at `usual` where the file does not say.
    fn thresholds(
        &mut self,
        scheme: Scheme,
        [xoff, xon]: [Option<OrShare<u64>>; 2],
        (room, usual): (u64, u64),
    ) -> Thresholds {
        let buffer = *self.switch.buffer;
        let least = LEAST_HIGH * u64::from(FRAME_BYTES);
        if xoff.is_none() && usual < least && self.schemes.contains(&scheme) {
            let (needed, name) = (room.saturating_add(least), scheme.name());
            Diagnostic::error(
                "small-buffer",
                format!("under `{name}` frames would be lost before a stop takes effect"),
            )
            .at(&self.switch.buffer.at, format!("{buffer} B of memory"))
            .note(format!(
                "stops over these links need {room} B above the threshold"
            ))
            .help(format!(
                "set `buffer` of `[switch]` to {needed} B or more, or leave `{name}` out with \
                     `--only`"
            ))
            .tell(self.mistakes);
        }
        let high = xoff.map_or(usual, |xoff| xoff.of(buffer).unwrap_or(u64::MAX));
        Thresholds {
            xoff: xoff.map_or_else(|| text::bytes(usual), text::threshold),
            xon: match xon {
                Some(xon) => text::threshold(xon),
                None => text::bytes(part_of(high, XON.value)),
            },
            notify: None,
        }
    }
}
