//! Settings of the schemes: what the file says, and the defaults that follow from the topology.

use backwater_kernel::Duration;

use super::network::{FRAME_BYTES, Network};
use super::pairs::Pairs;
use super::scheme::{Control, Gate, Scheme, Transport};
use super::unit::Unit;
use super::{ComparedFlow, Settings, Thresholds, memory, text};
use crate::given::compare::{
    ComparisonFile, LEAST_FRAMES, LEAST_INTERVAL, LEAST_MARKS, LEAST_WINDOW, MARKS, MOST_MARKS,
    Order, PATHS, Pause, Schemes, Switch, XON,
};
use crate::given::frames::flow_control::XOFF;
use crate::language::kinds::OrShare;
use crate::language::record::Record;
use crate::language::typed::Word;
use crate::prelude::*;

/// Least XOFF threshold, in full frames.
const LEAST_HIGH: u64 = 2;

/// The schemes of the file, in the order of tables.
pub(super) fn schemes(given: &Schemes, mistakes: &mut Diagnostics) -> Vec<Scheme> {
    let Some(only) = given.only.as_ref() else {
        return Scheme::USUAL.into();
    };
    let mut schemes = Vec::new();
    let mut names: Vec<(&str, &At)> = Vec::new();
    for (name, at) in only {
        let known = names.iter().find(|(known, _)| *known == name.as_str());
        if let Some((_, first)) = known {
            Diagnostic::error("contradiction", format!("`{}` is given twice", clip(name)))
                .twice(at, first)
                .help("leave one of them out")
                .tell(mistakes);
        }
        names.push((name, at));
        let chosen = Scheme::chosen(name);
        if chosen.is_empty() {
            unknown(name, at).tell(mistakes);
        }
        schemes.extend(chosen);
    }
    if only.is_empty() {
        Diagnostic::error("missing-key", "nothing is compared")
            .at(&given.only.at, "no scheme here")
            .note(Scheme::all_names())
            .help("leave `only` out to compare the usual ten")
            .tell(mistakes);
    }
    let mut every = Scheme::every();
    every.retain(|scheme| schemes.contains(scheme));
    every
}

/// A name that is none.
fn unknown(name: &str, at: &At) -> Diagnostic {
    let meant = Scheme::meant(name).map(|meant| format!("did you mean `{meant}`?"));
    Diagnostic::error(
        "unknown-name",
        format!("there is no scheme `{}`", clip(name)),
    )
    .at(at, "not one of the schemes")
    .help_if(meant)
    .note(Scheme::all_names())
}

/// Settings of `schemes`; of others they may make no sense, and nothing is said of that.
pub(super) fn settings(
    file: &ComparisonFile,
    network: &Network,
    flows: &[ComparedFlow],
    (schemes, root): (&[Scheme], &Record),
    mistakes: &mut Diagnostics,
) -> Settings {
    let (given, switch) = (&file.schemes, &file.switch);
    let (reno, n23, abr) = (&given.reno, &given.n23, &given.abr);
    let held = flows.iter().map(|flow| network.held(&flow.path)).max();
    let held = held.unwrap_or(0);
    let round_trips = flows.iter().map(|flow| network.round_trip(&flow.path));
    let longest = round_trips.max().unwrap_or(Duration(1));
    let buffer = *switch.buffer;
    let mut stops = Stops { switch, mistakes };
    let output_room = network.largest_output_room();
    let usual = XOFF.value.of(buffer).unwrap_or(u64::MAX);
    let host_room = |all| output_room.max(room_by_host(network, flows, all));
    let outputs = |room: u64| (room, buffer.saturating_sub(room).min(usual));
    let under = |gate| memory::first_under(schemes, gate);
    let mut of_outputs = |scheme, own: &Pause, room: u64| Thresholds {
        notify: Some(own.notify.word()),
        ..stops.thresholds(scheme, [own.xoff, own.xon], outputs(room))
    };
    let pause = of_outputs(under(Gate::Pause), &given.pause, output_room);
    let datagrams = Scheme::Frames(Control::Udp, Gate::Destination);
    let datagrams = Some(datagrams).filter(|scheme| schemes.contains(scheme));
    let destination = of_outputs(datagrams, &given.destination, host_room(false));
    let answered = answered_by_destination(schemes);
    let destination_answered = of_outputs(answered, &given.destination, host_room(true));
    let input_room = network.largest_input_room();
    let inputs = (input_room, buffer.saturating_sub(input_room));
    let pfc = stops.thresholds(under(Gate::Pfc), [given.pfc.xoff, given.pfc.xon], inputs);
    pairs_make_sense(given, (buffer, longest), mistakes);
    let abr_unit = Unit::given(abr.unit);
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
        destination_answered,
        pfc,
        pairs: Pairs::new(root, network, buffer),
        abr_unit,
        abr_target: abr.target,
        interval: abr
            .interval
            .unwrap_or(longest.max(least_interval(network, abr_unit))),
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

/// Refuses what queue pairs could make nothing of, whatever the links.
fn pairs_make_sense(
    given: &Schemes,
    (buffer, round_trip): (u64, Duration),
    mistakes: &mut Diagnostics,
) {
    let timeout = &given.pairs.roce.timeout;
    if let (Some(own), Some(at)) = (timeout.value, timeout.place())
        && own < round_trip
    {
        let ns = |span: Duration| span.ps().div_ceil(1_000);
        Diagnostic::error("out-of-range", "`timeout` is shorter than a round trip")
            .at(at, "all would be sent again before an answer can come")
            .note(format!("the longest round trip is {} ns", ns(round_trip)))
            .help("write several round trips, or leave it out")
            .tell(mistakes);
    }
    let ecn = &given.pairs.dcqcn.ecn;
    if let Some(own) = &ecn.value
        && *own.max > buffer
    {
        Diagnostic::error(
            "out-of-range",
            "queues can't hold so much that all is marked",
        )
        .at(&own.max.at, format!("all from {} B on", *own.max))
        .note(format!("a switch has {buffer} B (`buffer` of `[switch]`)"))
        .help("write a smaller `max`, or leave `ecn` out")
        .tell(mistakes);
    }
}

/// The least averaging interval of ERICA where it is not given.
fn least_interval(network: &Network, unit: Unit) -> Duration {
    let units = match unit {
        Unit::Frame => LEAST_FRAMES.value,
        Unit::Cell => LEAST_INTERVAL.value,
    };
    network.slowest(units * unit.wire_bytes())
}

/// The first scheme that stops by destination and whose flows are answered.
fn answered_by_destination(schemes: &[Scheme]) -> Option<Scheme> {
    let has = |scheme: &&Scheme| match scheme {
        Scheme::Frames(control, Gate::Destination) => control.transport() != Transport::Udp,
        _ => false,
    };
    schemes.iter().find(has).copied()
}

/// Room above XOFF where a stop is sent for each host, those included that all flows come from if
/// all are answered.
fn room_by_host(network: &Network, flows: &[ComparedFlow], all: bool) -> u64 {
    let back = |flow: &ComparedFlow| match all {
        true => Some(flow.reversed()),
        false => flow.way_back(),
    };
    let backs = flows.iter().map(|flow| (back(flow), flow.from));
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
    mistakes: &'a mut Diagnostics,
}

impl Stops<'_> {
    /// Thresholds that leave `room` above XOFF, which is at `usual` where the file does not say, if
    /// a scheme needs them.
    fn thresholds(
        &mut self,
        scheme: Option<Scheme>,
        [xoff, xon]: [Option<OrShare<u64>>; 2],
        (room, usual): (u64, u64),
    ) -> Thresholds {
        let buffer = *self.switch.buffer;
        let least = LEAST_HIGH * u64::from(FRAME_BYTES);
        if let Some(scheme) = scheme.filter(|_| xoff.is_none() && usual < least) {
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
