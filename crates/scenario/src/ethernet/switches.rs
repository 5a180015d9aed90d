//! Nodes: switches with their memory and back-pressure, stations with their faults.

use std::collections::BTreeMap;

use ethernet::spec::{
    BackPressureSpec, BlockedSpec, Choose, Detect, Forwarding, LinkSpec, MemorySpec, Message,
    NodeKind, NodeSpec, Notify, Ratio, Select, SharedSpec, StormSpec, SwitchSpec, TimeOutSpec,
    WatchdogAction, WatchdogSpec,
};
use kernel::{Duration, Time};

use super::net::Net;
use super::queues::{self, Ports};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::record::{Datum, Record};

/// What every port needs to know before links and switches are built.
pub(crate) fn ports(root: &Record, highest: u8, mistakes: &mut Diagnostics) -> Ports {
    let switch = root.record("switch");
    let given = switch.and_then(|switch| switch.whole("classes"));
    let classes = given.unwrap_or(u64::from(highest) + 1) as u8;
    let all = (u16::from(u8::MAX) >> (8 - classes.clamp(1, 8))) as u8;
    let is_shared = root
        .record("buffer")
        .is_some_and(|b| b.record("shared").is_some());
    let pressure = root
        .record("back_pressure")
        .filter(|p| p.word("kind") != "none");
    let detect = pressure.and_then(|p| p.field("detect").map(|f| (p.word("detect"), f)));
    if let (true, Some(("outputs", field))) = (is_shared, detect) {
        mistakes.push(
            Diagnostic::error("no-meaning", "shared memory sees congestion at inputs")
                .at(field.at.clone(), "counts at output queues")
                .note("an input that holds more than its share of the memory is stopped")
                .help("leave `detect` out, or give each queue its own memory"),
        );
    }
    let lossless = pressure.map_or(0, |p| match p.field("classes") {
        Some(_) => mask(p.wholes("classes")),
        None => all,
    });
    Ports {
        classes,
        lossless,
        at_inputs: lossless != 0 && (is_shared || detect.is_some_and(|(word, _)| word == "inputs")),
        is_shared,
    }
}

/// A bit for each class.
pub(crate) fn mask(classes: &[u64]) -> u8 {
    classes
        .iter()
        .fold(0, |mask, class| mask | 1 << (class & 7))
}

/// Builds every node.
pub(crate) fn nodes(
    root: &Record,
    net: &Net<'_>,
    links: &[LinkSpec],
    ports: Ports,
    stop_at: Time,
    mistakes: &mut Diagnostics,
) -> Vec<NodeSpec> {
    let own = differing(root, net, mistakes);
    let common = root.record("watchdog").map(watchdog);
    let (switch, station) = (root.record("switch"), root.record("station"));
    let response = |table: Option<&Record>| {
        let span = table.and_then(|table| table.duration("response"));
        span.unwrap_or(Duration::ZERO)
    };
    let ids = 0..net.names.len() as u32;
    ids.map(|node| {
        let is_switch = net.forwards(node);
        let own = own.get(&node).copied();
        let span = own.and_then(|own| own.duration("response"));
        let own_watchdog = own.and_then(|own| own.record("watchdog")).map(watchdog);
        NodeSpec {
            name: net.name(node).into(),
            kind: match is_switch {
                true => NodeKind::Switch(switch_spec(root, net, links, node, ports)),
                false => NodeKind::Station {
                    storm: own
                        .and_then(|own| own.record("storm"))
                        .map(|s| storm(s, stop_at)),
                },
            },
            response: span.unwrap_or_else(|| response(if is_switch { switch } else { station })),
            is_deaf: own.and_then(|own| own.truth("deaf")).unwrap_or(false),
            watchdog: own_watchdog.or(common.filter(|_| is_switch)),
            // Filled in when all that speaks against it is known.
            promised: 0,
        }
    })
    .collect()
}

/// The entries of `[[nodes]]`, by node.
fn differing<'r>(
    root: &'r Record,
    net: &Net<'_>,
    mistakes: &mut Diagnostics,
) -> BTreeMap<u32, &'r Record> {
    let mut found: BTreeMap<u32, &Record> = BTreeMap::new();
    for record in root.records("nodes") {
        for (name, at) in record.list("name") {
            let node = match net.find(name, at) {
                Ok(node) => node,
                Err(diagnostic) => {
                    mistakes.push(*diagnostic);
                    continue;
                }
            };
            if let Some(first) = found.insert(node, record) {
                mistakes.push(
                    Diagnostic::error("contradiction", format!("`{name}` is given twice"))
                        .at(at.clone(), "the second")
                        .at(first.at("name"), "the first")
                        .help("say all of a node in one `[[nodes]]`"),
                );
            }
            if let Some(storm) = record.field("storm").filter(|_| net.forwards(node)) {
                mistakes.push(
                    Diagnostic::error("not-a-station", format!("`{name}` is a switch"))
                        .at(storm.at.clone(), "storms come from stations")
                        .help("give it to a station behind this switch"),
                );
            }
        }
    }
    found
}

fn storm(record: &Record, stop_at: Time) -> StormSpec {
    StormSpec {
        from: record.time("from").unwrap_or(Time::ZERO),
        until: record.time("until").unwrap_or(stop_at),
        classes: record
            .field("classes")
            .map(|_| mask(record.wholes("classes"))),
        quanta: record.whole("quanta").unwrap_or(65_535) as u16,
    }
}

fn watchdog(record: &Record) -> WatchdogSpec {
    let span = |key| record.duration(key).unwrap_or(Duration(200_000_000_000));
    WatchdogSpec {
        detect: span("detect"),
        restore: span("restore"),
        action: match record.word("action") {
            "forward" => WatchdogAction::Forward,
            _ => WatchdogAction::Drop,
        },
    }
}

fn switch_spec(
    root: &Record,
    net: &Net<'_>,
    links: &[LinkSpec],
    node: u32,
    ports: Ports,
) -> SwitchSpec {
    let switch = root.record("switch");
    let shared = root
        .record("buffer")
        .and_then(|buffer| buffer.record("shared"));
    // Headroom is filled in when the frames that cross each link are known.
    let memory = shared.map_or(MemorySpec::Queues, |shared| {
        MemorySpec::Shared(shared_spec(shared))
    });
    let queues = net.neighbours[node as usize].iter();
    let limits = queues.flat_map(|(_, channel)| {
        let link = &links[*channel as usize / 2];
        let side = if channel % 2 == 0 {
            &link.forward
        } else {
            &link.backward
        };
        side.queues.iter().filter_map(|queue| queue.limit_bytes)
    });
    let largest = limits.max().unwrap_or(0);
    SwitchSpec {
        forwarding: match switch.map(|switch| switch.word("forwarding")) {
            Some("cut-through") => Forwarding::CutThrough,
            _ => Forwarding::StoreAndForward,
        },
        latency: switch
            .and_then(|switch| switch.duration("latency"))
            .unwrap_or(Duration::ZERO),
        memory,
        back_pressure: root
            .record("back_pressure")
            .and_then(|record| back_pressure(record, ports, largest)),
    }
}

fn shared_spec(shared: &Record) -> SharedSpec {
    let bytes = |key: &str| shared.whole(key).unwrap_or(0);
    let ratio = |key: &str| match shared.datum(key) {
        Some(Datum::Ratio(numerator, denominator)) => Ratio {
            numerator: *numerator,
            denominator: *denominator,
        },
        _ => Ratio {
            numerator: 1,
            denominator: 8,
        },
    };
    SharedSpec {
        bytes: bytes("bytes"),
        reserve_bytes: bytes("reserve"),
        headroom_bytes: bytes("headroom"),
        pool_bytes: bytes("pool"),
        alpha: ratio("alpha"),
        output_alpha: ratio("output_alpha"),
        resume_offset_bytes: bytes("resume_offset"),
    }
}

fn back_pressure(record: &Record, ports: Ports, largest: u64) -> Option<BackPressureSpec> {
    let select = match record.word("kind") {
        "pause" => Select::Port,
        "class" => Select::Class,
        "destination" => Select::Destination(match record.word("choose") {
            "random" => Choose::Random {
                frames: record.count("frames").unwrap_or(1),
            },
            _ => Choose::AllFound,
        }),
        _ => return None,
    };
    let span = |table: &Record, key: &str| table.duration(key).unwrap_or(Duration(1));
    Some(BackPressureSpec {
        classes: ports.lossless,
        select,
        detect: if ports.at_inputs {
            Detect::Inputs
        } else {
            Detect::Outputs
        },
        notify: match record.word("notify") {
            "all" => Notify::All,
            "contributing" => Notify::Contributing,
            _ => Notify::Others,
        },
        message: message(record),
        time_out: record.record("time_out").map(|table| TimeOutSpec {
            after: span(table, "after"),
            grace: span(table, "grace"),
        }),
        blocked: record
            .record("blocked_share")
            .and_then(|table| blocked(record, table, largest)),
    })
}

fn message(record: &Record) -> Message {
    let Some(quanta) = record.whole("quanta") else {
        return Message::UntilCancelled;
    };
    let percent = record.decimal("refresh");
    Message::Quanta {
        quanta: quanta as u16,
        refresh_percent: percent.map(|part| ((part * 100.0).round() as u8).clamp(1, 99)),
    }
}

fn blocked(record: &Record, table: &Record, largest: u64) -> Option<BlockedSpec> {
    let bytes = |key: &str| {
        let datum = table.datum(key);
        datum.and_then(|datum| queues::bytes(datum, largest))
    };
    let high_bytes = bytes("high")?;
    let usual = |key| queues::common(record, key, largest);
    let margin = || Some(usual("high")?.saturating_sub(usual("low")?));
    let low_bytes = bytes("low").or_else(|| Some(high_bytes.saturating_sub(margin()?)));
    Some(BlockedSpec {
        high_bytes,
        low_bytes: low_bytes?,
    })
}
