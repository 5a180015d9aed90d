//! Who sends what to whom.

use std::collections::BTreeMap;

use ethernet::spec::{FlowSpec, TCP_IP_BYTES, TrafficSpec, TransportSpec, UDP_IP_BYTES};
use kernel::{Purpose, Stream};

use super::net::Net;
use super::{tcp, traffic};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::patterns;
use crate::reader::clip;
use crate::record::Record;
use crate::source::At;

/// Flows that a scenario may have.
const MOST_FLOWS: u64 = 4_000_000;
/// RTP header, bytes.
const RTP_BYTES: u32 = 12;

/// The table that made each flow, in the order of flows.
pub(crate) struct Flows<'r> {
    pub specs: Vec<FlowSpec>,
    pub records: Vec<&'r Record>,
}

/// The highest class that anything names.
pub(crate) fn highest_class(root: &Record) -> u8 {
    let of = |key: &str, class: &str| {
        let records = root.records(key).iter();
        records.filter_map(|record| record.whole(class)).max()
    };
    let pressure = root.record("back_pressure");
    let lossless = pressure.and_then(|p| p.wholes("classes").iter().max().copied());
    let named = [
        of("flows", "class"),
        of("patterns", "class"),
        of("classes", "class"),
        lossless,
    ];
    named.into_iter().flatten().max().unwrap_or(0) as u8
}

/// The flows of the file: first `[[flows]]`, then `[[patterns]]`.
pub(crate) fn flows<'r>(
    root: &'r Record,
    net: &Net<'_>,
    seed: u64,
    mistakes: &mut Diagnostics,
) -> Flows<'r> {
    let mut flows = Flows {
        specs: Vec::new(),
        records: Vec::new(),
    };
    let empty = |key| root.records(key).is_empty() && !root.faulty.contains(&key);
    if empty("flows") && empty("patterns") {
        mistakes.push(
            Diagnostic::error(
                "no-flows",
                "the scenario has no flows: nothing would be sent",
            )
            .at(root.at.clone(), "no `[[flows]]` and no `[[patterns]]`")
            .help("add one: `[[flows]]` with `name = \"F\"`, `from = \"S\"`, `to = \"D\"`"),
        );
    }
    if net.names.is_empty() {
        return flows;
    }
    for record in root.records("flows") {
        if let Some(pairs) = named(record, net, mistakes) {
            add(root, record, &pairs, false, &mut flows, mistakes);
        }
    }
    for (index, record) in root.records("patterns").iter().enumerate() {
        let mut dice = Stream::new(seed, index as u64, Purpose::Pattern);
        if let Some(pairs) = by_rule(record, net, &mut dice, mistakes) {
            add(root, record, &pairs, true, &mut flows, mistakes);
        }
    }
    duplicates(&flows, mistakes);
    flows
}

fn named(record: &Record, net: &Net<'_>, mistakes: &mut Diagnostics) -> Option<Vec<(u32, u32)>> {
    let mut stations = |key: &str| -> Option<Vec<u32>> {
        record.field(key)?;
        let found = record.list(key).iter().map(|(name, at)| {
            let found = net.find_station(name, at);
            found.map_err(|diagnostic| mistakes.push(*diagnostic)).ok()
        });
        let found: Vec<Option<u32>> = found.collect();
        found.into_iter().collect()
    };
    let (from, to) = (stations("from"), stations("to"));
    let (from, to) = (from?, to?);
    let pairs: Vec<(u32, u32)> = match (from.as_slice(), to.as_slice()) {
        ([from], to) => to.iter().map(|to| (*from, *to)).collect(),
        (from, [to]) => from.iter().map(|from| (*from, *to)).collect(),
        (from, to) if from.len() == to.len() => {
            from.iter().copied().zip(to.iter().copied()).collect()
        }
        (from, to) => {
            mistakes.push(
                Diagnostic::error("bad-flow", "`from` and `to` do not pair up")
                    .at(record.at("to"), format!("{} stations", to.len()))
                    .at(record.at("from"), format!("{} stations", from.len()))
                    .help("name as many on both sides, or one station on one of them"),
            );
            return None;
        }
    };
    if let Some((same, _)) = pairs.iter().find(|(from, to)| from == to) {
        mistakes.push(
            Diagnostic::error(
                "bad-flow",
                format!("`{}` sends to itself", clip(net.name(*same))),
            )
            .at(record.at("to"), "also where it starts")
            .help("a flow goes from one station to another"),
        );
        return None;
    }
    if pairs.is_empty() {
        mistakes.push(
            Diagnostic::error("bad-flow", "a flow needs two stations")
                .at(record.at("to"), "an empty list")
                .help("name one station or more: `to = \"D\"`"),
        );
        return None;
    }
    let count = record.whole("count").unwrap_or(1);
    let total = count.saturating_mul(pairs.len() as u64);
    if total > MOST_FLOWS {
        refuse(record.at("count"), total, mistakes);
        return None;
    }
    let repeated = pairs.into_iter();
    let repeated = repeated.flat_map(|pair| std::iter::repeat_n(pair, count as usize));
    Some(repeated.collect())
}

fn refuse(at: At, total: u64, mistakes: &mut Diagnostics) {
    mistakes.push(
        Diagnostic::error("too-large", "too many flows")
            .at(at, format!("with this, {total} flows or more"))
            .note(format!("at most {MOST_FLOWS} flows")),
    );
}

fn by_rule(
    record: &Record,
    net: &Net<'_>,
    dice: &mut Stream,
    mistakes: &mut Diagnostics,
) -> Option<Vec<(u32, u32)>> {
    let stations = net.stations();
    if stations.len() < 2 {
        mistakes.push(
            Diagnostic::error("bad-pattern", "a pattern needs two stations or more")
                .at(
                    record.at("kind"),
                    format!("the network has {}", stations.len()),
                )
                .help("name more in `[network]`, or raise the numbers of `[topology]`"),
        );
        return None;
    }
    let size = stations.len() as u64;
    let total = match record.word("kind") {
        "random-pairs" => record.whole("count")?,
        "all-to-all" => size * (size - 1),
        _ => size,
    };
    if total > MOST_FLOWS {
        refuse(record.at("kind"), total, mistakes);
        return None;
    }
    Some(match record.word("kind") {
        "random-pairs" => patterns::random_pairs(&stations, total, dice),
        "permutation" => patterns::permutation(&stations, dice),
        "all-to-all" => {
            let others = |from: u32| stations.iter().map(move |to| (from, *to));
            let pairs = stations.iter().flat_map(|from| others(*from));
            pairs.filter(|(from, to)| from != to).collect()
        }
        "all-to-one" => {
            let at = record.field("to")?.at.clone();
            let to = net.find_station(record.text("to"), &at);
            let to = to.map_err(|diagnostic| mistakes.push(*diagnostic)).ok()?;
            let others = stations.iter().filter(|from| **from != to);
            others.map(|from| (*from, to)).collect()
        }
        _ => return None,
    })
}

fn add<'r>(
    root: &'r Record,
    record: &'r Record,
    pairs: &[(u32, u32)],
    is_pattern: bool,
    flows: &mut Flows<'r>,
    mistakes: &mut Diagnostics,
) {
    let total = (flows.specs.len() + pairs.len()) as u64;
    if total > MOST_FLOWS {
        refuse(record.at.clone(), total, mistakes);
        return;
    }
    let traffic = record.record("traffic").map(traffic::traffic);
    let traffic = traffic.unwrap_or(TrafficSpec::Infinite {
        start: kernel::Time::ZERO,
        bytes: None,
    });
    let transport = transport(root, record, &traffic, mistakes);
    let is_one = pairs.len() == 1 && !is_pattern && record.whole("count").is_none();
    for (index, (source, destination)) in pairs.iter().enumerate() {
        let name = record.text("name");
        flows.specs.push(FlowSpec {
            name: match is_one {
                true => name.into(),
                false => format!("{name}[{}]", index + 1),
            },
            source: *source,
            destination: *destination,
            class: record.whole("class").unwrap_or(0) as u8,
            is_tagged: record.truth("tagged").unwrap_or(false),
            transport,
            traffic: traffic.clone(),
        });
        flows.records.push(record);
    }
}

fn transport(
    root: &Record,
    record: &Record,
    traffic: &TrafficSpec,
    mistakes: &mut Diagnostics,
) -> TransportSpec {
    let transfers = matches!(
        traffic,
        TrafficSpec::Files { .. } | TrafficSpec::Requests { .. }
    );
    let is_infinite = matches!(traffic, TrafficSpec::Infinite { .. });
    let usual = if transfers || is_infinite {
        "tcp"
    } else {
        "udp"
    };
    let word = match record.field("transport") {
        Some(_) => record.word("transport"),
        None => usual,
    };
    if word != usual && !is_infinite {
        let kind = record.record("traffic").map_or("", |t| t.word("kind"));
        mistakes.push(
            Diagnostic::error(
                "bad-transport",
                format!("`{kind}` traffic does not go over {word}"),
            )
            .at(
                record.at("transport"),
                format!("this traffic needs `{usual}`"),
            )
            .note("over tcp: infinite, files and requests; over udp: infinite and the rest")
            .help("leave `transport` out, or choose other traffic"),
        );
    }
    let useless: &[&str] = if word == "tcp" {
        &["payload", "rtp"]
    } else {
        &["tcp"]
    };
    for key in useless {
        if let Some(field) = record.field(key) {
            mistakes.push(
                Diagnostic::error("no-meaning", format!("`{key}` has no meaning over {word}"))
                    .at(field.at.clone(), format!("this flow goes over {word}"))
                    .help("leave it out, or change `transport`")
                    .aside_after(record.record("traffic").map(|traffic| traffic.at("kind"))),
            );
        }
    }
    if word == "tcp" {
        return TransportSpec::Tcp(tcp::tcp(root, record, mistakes));
    }
    let is_video = matches!(traffic, TrafficSpec::Video(_));
    let has_rtp = record.truth("rtp").unwrap_or(is_video);
    let headers = UDP_IP_BYTES + if has_rtp { RTP_BYTES } else { 0 };
    let payload = record.count("payload");
    TransportSpec::Udp {
        payload_bytes: payload.unwrap_or_else(|| mtu(root) - headers),
        has_rtp,
    }
}

/// The largest IP packet of the network.
pub(crate) fn mtu(root: &Record) -> u32 {
    let link = root.record("link");
    link.and_then(|link| link.count("mtu")).unwrap_or(1_500)
}

/// The IP packet of a full segment or datagram.
pub(crate) fn packet_bytes(transport: &TransportSpec) -> u32 {
    match transport {
        TransportSpec::Tcp(tcp) => tcp.mss_bytes + TCP_IP_BYTES,
        TransportSpec::Udp {
            payload_bytes,
            has_rtp,
        } => payload_bytes + UDP_IP_BYTES + if *has_rtp { RTP_BYTES } else { 0 },
    }
}

fn duplicates(flows: &Flows<'_>, mistakes: &mut Diagnostics) {
    let mut first: BTreeMap<&str, &Record> = BTreeMap::new();
    for (spec, record) in flows.specs.iter().zip(&flows.records) {
        if let Some(first) = first.insert(&spec.name, record) {
            mistakes.push(
                Diagnostic::error(
                    "duplicate-name",
                    format!("two flows are called `{}`", clip(&spec.name)),
                )
                .at(record.at("name"), "the second")
                .at(first.at("name"), "the first")
                .help("give each `[[flows]]` its own name"),
            );
        }
    }
}
