//! From checked tables to a comparison.

use std::collections::BTreeMap;

use kernel::{Duration, Rate};

use super::network::{FRAME_BYTES, Link, Network};
use super::{ComparedFlow, ComparedTraffic, Comparison, Settings, Thresholds, cells_for, text};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::reader::clip;
use crate::record::{Datum, Record};
use crate::source::At;
use crate::suggest;

/// Most bursts of a flow: each is a flow of its own where there are frames.
const MOST_BURSTS: u64 = 2_000;
/// Most of a message that TCP's first window can hold: 1000 segments of 1460 bytes.
const MOST_MESSAGE: u64 = 1_460_000;
/// Windows over a run where the file does not say.
const WINDOWS: u64 = 400;
/// Most windows over a run.
const MOST_WINDOWS: u64 = 1_000_000;
/// Least high threshold, in full frames.
const LEAST_HIGH: u64 = 2;

/// The comparison, unless something is missing; it may only be used if nothing is wrong.
pub(super) fn comparison(root: &Record, mistakes: &mut Diagnostics) -> Option<Comparison> {
    let run = root.record("run")?;
    let duration = run.duration("duration")?;
    let warm_up = run.duration("warm_up")?;
    let window = run.duration("window");
    let window = window.unwrap_or(Duration((duration.0 / WINDOWS).max(1)));
    times(run, duration, warm_up, window, mistakes);
    let network = network(root, mistakes)?;
    let flows = flows(root, &network, duration, mistakes)?;
    if mistakes.errors() > 0 {
        return None;
    }
    let settings = settings(root, &network, &flows, mistakes)?;
    Some(Comparison {
        title: root.text("title").into(),
        about: root.text("about").trim().into(),
        seed: run.whole("seed").unwrap_or(1),
        duration,
        warm_up,
        window,
        flows,
        rates: network
            .links
            .iter()
            .flat_map(|link| [link.rate; 2])
            .collect(),
        network,
        settings,
    })
}

fn times(
    run: &Record,
    duration: Duration,
    warm_up: Duration,
    window: Duration,
    mistakes: &mut Diagnostics,
) {
    if warm_up >= duration {
        mistakes.push(
            Diagnostic::error("bad-time", "the warm-up takes the whole run")
                .at(run.at("warm_up"), "statistics start here")
                .at(run.at("duration"), "the run ends here")
                .help("make `duration` longer, or `warm_up` shorter"),
        );
    }
    if window > Duration(duration.0 - warm_up.0.min(duration.0)) {
        mistakes.push(
            Diagnostic::error("bad-time", "no window fits between warm-up and end")
                .at(run.at("window"), "longer than what is measured")
                .help("make `window` shorter"),
        );
    } else if duration.0 / window.0.max(1) > MOST_WINDOWS {
        mistakes.push(
            Diagnostic::error("bad-time", "there are too many windows")
                .at(
                    run.at("window"),
                    format!("more than {MOST_WINDOWS} in a run"),
                )
                .help("make `window` longer"),
        );
    }
}

fn network(root: &Record, mistakes: &mut Diagnostics) -> Option<Network> {
    let names = root.record("network")?;
    let (hosts, switches) = (names.list("hosts"), names.list("switches"));
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut nodes = Vec::new();
    for (name, at) in hosts.iter().chain(switches) {
        if numbers.insert(name, nodes.len()).is_some() {
            mistakes.push(
                Diagnostic::error("duplicate-name", format!("two nodes are called `{name}`"))
                    .at(at.clone(), "the second"),
            );
        }
        nodes.push(name.clone());
    }
    let common = root.record("link")?;
    let mut links = Vec::new();
    for record in root.records("links") {
        let ends = record.list("between");
        let [a, b] = ends else {
            mistakes.push(
                Diagnostic::error("bad-link", "a link joins two nodes")
                    .at(record.at("between"), format!("these are {}", ends.len()))
                    .help("write `between = [\"A\", \"S1\"]`"),
            );
            continue;
        };
        let node = |(name, at): &(String, At), mistakes: &mut Diagnostics| {
            node(&numbers, "node", name, at, mistakes)
        };
        let (Some(a), Some(b)) = (node(a, mistakes), node(b, mistakes)) else {
            continue;
        };
        if a == b {
            mistakes.push(
                Diagnostic::error("bad-link", "a link joins two different nodes")
                    .at(record.at("between"), "the same node twice"),
            );
        }
        links.push(Link {
            a,
            b,
            rate: record.rate("rate").or(common.rate("rate"))?,
            delay: record.duration("delay").or(common.duration("delay"))?,
        });
    }
    for (host, (name, at)) in hosts.iter().enumerate() {
        let own = links.iter().filter(|link| link.a == host || link.b == host);
        let own = own.count();
        if own != 1 && mistakes.errors() == 0 {
            mistakes.push(
                Diagnostic::error("bad-link", format!("`{name}` must have one link"))
                    .at(at.clone(), format!("it has {own}"))
                    .note("a station of an Ethernet has one port, and hosts forward nothing"),
            );
        }
    }
    Some(Network {
        nodes,
        hosts: hosts.len(),
        links,
    })
}

fn node(
    numbers: &BTreeMap<&str, usize>,
    what: &str,
    name: &str,
    at: &At,
    mistakes: &mut Diagnostics,
) -> Option<usize> {
    let found = numbers.get(name).copied();
    if found.is_none() {
        mistakes.push(
            Diagnostic::error(
                "unknown-name",
                format!("there is no {what} `{}`", clip(name)),
            )
            .at(at.clone(), "not in `[network]`")
            .help_if(suggest::did_you_mean(name, numbers.keys().copied()))
            .note(format!(
                "nodes: {}",
                suggest::one_of(numbers.keys().copied())
            )),
        );
    }
    found
}

fn flows(
    root: &Record,
    network: &Network,
    duration: Duration,
    mistakes: &mut Diagnostics,
) -> Option<Vec<ComparedFlow>> {
    let hosts: BTreeMap<&str, usize> = network.nodes[..network.hosts]
        .iter()
        .enumerate()
        .map(|(number, name)| (name.as_str(), number))
        .collect();
    let mut flows: Vec<ComparedFlow> = Vec::new();
    for record in root.records("flows") {
        let name = record.text("name");
        if name.contains('[') || name.ends_with(" back") {
            mistakes.push(
                Diagnostic::error("bad-name", format!("a flow can't be called `{name}`"))
                    .at(record.at("name"), "a name of the scenarios' own")
                    .note("`NAME[1]` is a burst of `NAME`, `NAME back` what comes back"),
            );
        }
        if flows.iter().any(|flow| flow.name == name) {
            mistakes.push(
                Diagnostic::error("duplicate-name", format!("two flows are called `{name}`"))
                    .at(record.at("name"), "the second"),
            );
        }
        let mut host =
            |key: &str| node(&hosts, "host", record.text(key), &record.at(key), mistakes);
        let (Some(from), Some(to)) = (host("from"), host("to")) else {
            continue;
        };
        let path = network.path(from, to).filter(|path| !path.is_empty());
        let Some(path) = path else {
            mistakes.push(
                Diagnostic::error("no-way", format!("`{name}` finds no way"))
                    .at(record.at("to"), "not reached")
                    .at(record.at("from"), "from here")
                    .help("join the switches by `[[links]]`, or name two different hosts"),
            );
            continue;
        };
        let traffic = record.record("traffic")?;
        let first = network.link(path[0]).rate;
        flows.push(ComparedFlow {
            name: name.into(),
            group: record.text("group").into(),
            traffic: self::traffic(traffic, first, duration, mistakes)?,
            path,
            from,
            to,
        });
    }
    if flows.is_empty() && mistakes.errors() == 0 {
        mistakes.push(
            Diagnostic::error("missing-key", "nothing is sent")
                .at(root.at.clone(), "no `[[flows]]` here")
                .help("add `[[flows]]` with `name`, `from` and `to`"),
        );
    }
    Some(flows)
}

fn traffic(
    record: &Record,
    first: Rate,
    duration: Duration,
    mistakes: &mut Diagnostics,
) -> Option<ComparedTraffic> {
    let start = record.time("start")?;
    if start.0 >= duration.0 {
        mistakes.push(
            Diagnostic::error("bad-time", "it starts after the end of the run")
                .at(record.at("start"), "later than `run.duration`"),
        );
        return None;
    }
    match record.word("kind") {
        "greedy" => Some(ComparedTraffic::Greedy { start }),
        "constant" => Some(ComparedTraffic::Constant {
            start,
            rate: record.rate("rate")?,
        }),
        "bursts" => {
            let (bytes, every) = (record.whole("bytes")?, record.duration("every"));
            let left = duration.0 - start.0 - 1;
            let count = every.map_or(1, |every| left / every.0.max(1) + 1);
            bursts(record, first, bytes, every, count, mistakes);
            Some(ComparedTraffic::Bursts {
                start,
                bytes,
                every,
                count,
            })
        }
        "requests" => {
            for key in ["request", "response"] {
                if record.whole(key).is_some_and(|bytes| bytes > MOST_MESSAGE) {
                    mistakes.push(
                        Diagnostic::error("out-of-range", "the message is too large")
                            .at(record.at(key), format!("more than {MOST_MESSAGE} B"))
                            .note("it must fit into the first window of TCP: 1000 segments"),
                    );
                }
            }
            Some(ComparedTraffic::Requests {
                start,
                request: record.whole("request")?,
                response: record.whole("response")?,
                think: record.duration("think")?,
                random: record.word("think_law") == "exponential",
            })
        }
        _ => None,
    }
}

/// Bursts that don't overlap, and not too many.
fn bursts(
    record: &Record,
    first: Rate,
    bytes: u64,
    every: Option<Duration>,
    count: u64,
    mistakes: &mut Diagnostics,
) {
    let cell = first.serialization(super::CELL_BYTES);
    let takes = cell.checked_mul(cells_for(bytes));
    if let Some(every) = every
        && takes.is_none_or(|takes| takes >= every)
    {
        mistakes.push(
            Diagnostic::error("bad-time", "a burst is not over when the next begins")
                .at(record.at("every"), "too short")
                .at(
                    record.at("bytes"),
                    "at the rate of the first link, in cells",
                )
                .help("make the bursts smaller or rarer, or the source `greedy`"),
        );
    }
    if count > MOST_BURSTS {
        mistakes.push(
            Diagnostic::error("out-of-range", "there are too many bursts")
                .at(record.at("every"), format!("{count} in one run"))
                .note(format!("at most {MOST_BURSTS}")),
        );
    }
}

fn settings(
    root: &Record,
    network: &Network,
    flows: &[ComparedFlow],
    mistakes: &mut Diagnostics,
) -> Option<Settings> {
    let schemes = root.record("schemes")?;
    let switch = root.record("switch")?;
    let buffer_bytes = switch.whole("buffer")?;
    let [reno, n23, abr] = ["reno", "n23", "abr"].map(|key| schemes.record(key));
    let (reno, n23, abr) = (reno?, n23?, abr?);
    let held = flows.iter().map(|flow| network.held(&flow.path)).max();
    let round_trips = flows.iter().map(|flow| network.round_trip(&flow.path));
    let longest = round_trips.max().unwrap_or(Duration(1));
    let output_room = network.largest_output_room();
    let mut stops = |key: &str, room: u64| {
        let record = schemes.record(key)?;
        Some(thresholds(record, switch, buffer_bytes, room, mistakes))
    };
    Some(Settings {
        buffer_bytes,
        recovery: reno.word("recovery"),
        tcp_window: reno
            .whole("window")
            .unwrap_or((2 * (held.unwrap_or(0) + buffer_bytes)).clamp(65_536, 1 << 30)),
        min_rto: reno.duration("min_rto")?,
        n2: n23.whole("n2")?,
        n23_target: n23.field("target")?.toml.clone(),
        pause: stops("pause", output_room)?,
        destination: stops("destination", output_room)?,
        pfc: stops("pfc", network.largest_input_room())?,
        abr_target: abr.field("target")?.toml.clone(),
        interval: abr
            .duration("interval")
            .unwrap_or(longest.max(network.slowest_cells(100))),
        icr: abr.rate("icr"),
        headroom: abr.rate("headroom"),
        tdf: abr.field("tdf")?.toml.clone(),
    })
}

/// Thresholds that leave `room` above the high one.
fn thresholds(
    record: &Record,
    switch: &Record,
    buffer: u64,
    room: u64,
    mistakes: &mut Diagnostics,
) -> Thresholds {
    let free = buffer.saturating_sub(room);
    let is_output = record.section.key("notify").is_some();
    let high = if is_output {
        free.min(buffer / 5 * 4)
    } else {
        free
    };
    let least = LEAST_HIGH * u64::from(FRAME_BYTES);
    if high < least && !record.given("high") {
        let needed = room + least;
        mistakes.push(
            Diagnostic::error(
                "small-buffer",
                "frames would be lost before a stop takes effect",
            )
            .at(switch.at("buffer"), format!("{buffer} B of memory"))
            .note(format!(
                "stops over these links need {room} B above the threshold"
            ))
            .help(format!("set `buffer` of `[switch]` to {needed} B or more")),
        );
    }
    let given = |key: &str| record.field(key).map(|field| field.toml.clone());
    let low = match record.datum("high") {
        Some(Datum::Whole(bytes)) => text::bytes(bytes / 8 * 7),
        Some(Datum::Share(share)) => {
            let bytes = share.approximate() * buffer as f64 * 7.0 / 8.0;
            text::bytes(bytes as u64)
        }
        _ => text::bytes(high / 8 * 7),
    };
    Thresholds {
        high: given("high").unwrap_or_else(|| text::bytes(high)),
        low: given("low").unwrap_or(low),
        notify: if is_output { record.word("notify") } else { "" },
    }
}
