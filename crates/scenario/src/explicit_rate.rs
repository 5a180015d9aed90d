//! What ports tell ABR sources, and links that are cut for a while: from tables to channels.

use std::collections::BTreeMap;

use kernel::{Duration, Rate, Time};
use packet::spec::{
    AgingSpec, CapcSpec, CurrentRate, EprcaSpec, EricaSpec, ExplicitRateSpec, MarkSpec, OutageSpec,
    QueueControlSpec, RelativeRateSpec,
};

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::flows::expand;
use crate::record::Record;
use crate::topology::Graph;

/// A table of `[[links]]` and whether the link's first node is the table's second.
type Named<'r> = BTreeMap<u32, (&'r Record, bool)>;

/// The link that each table of `[[links]]` describes; the first table of a pair counts.
fn named<'r>(root: &'r Record, graph: &Graph) -> Named<'r> {
    let mut found = Named::new();
    for record in root.records("links") {
        let [(a, _), (b, _)] = record.list("between") else {
            continue;
        };
        let count = record.whole("count");
        for number in 1..=count.unwrap_or(1) {
            let number = count.map(|_| number);
            let node = |name: &str| graph.node(&expand(name, number));
            let (Some(a), Some(b)) = (node(a), node(b)) else {
                continue;
            };
            if let Some(channel) = graph.channel(a, b) {
                let turned = !channel.is_multiple_of(2);
                found.entry(channel / 2).or_insert((record, turned));
            }
        }
    }
    found
}

fn own_rule(table: Option<&Record>) -> Option<&Record> {
    table.and_then(|table| table.record("explicit_rate"))
}

/// The rule of each port that has one, by channel.
pub(crate) fn ports(
    root: &Record,
    graph: &Graph,
    mistakes: &mut Diagnostics,
) -> Vec<(u32, ExplicitRateSpec)> {
    let named = named(root, graph);
    let common = own_rule(root.record("link"));
    let trunk = own_rule(root.record("topology").and_then(|t| t.record("trunk")));
    let mut found = Vec::new();
    for channel in 0..2 * graph.links.len() as u32 {
        let (from, to) = graph.ends(channel);
        let rule = match named.get(&(channel / 2)) {
            Some((record, turned)) => {
                let forward = channel.is_multiple_of(2) != *turned;
                let side = record.record(if forward { "forward" } else { "backward" });
                own_rule(side).or_else(|| own_rule(Some(record))).or(common)
            }
            None if !graph.is_host(from) && !graph.is_host(to) => trunk.or(common),
            None => common,
        };
        if let (Some(rule), false) = (rule, graph.is_host(from))
            && let Some(rule) = spec(rule)
        {
            found.push((channel, rule));
        }
    }
    check_places(root, graph, &named, mistakes);
    check_rules(root, mistakes);
    found
}

/// The tables that stand for single links, where no port can follow them.
fn check_places(root: &Record, graph: &Graph, named: &Named<'_>, mistakes: &mut Diagnostics) {
    let is_host = |channel: u32| graph.is_host(graph.ends(channel).0);
    let mut refuse = |table: &Record, why: String| {
        mistakes.push(
            Diagnostic::error("no-switch", "a host tells no rates")
                .at(table.at("explicit_rate"), why)
                .note("the port at the sending end tells them, and hosts forward nothing")
                .help("put `explicit_rate` where a switch sends, or in `[link]` for all of them"),
        );
    };
    for (link, (record, turned)) in named {
        let channels = [2 * link, 2 * link + 1];
        let first = usize::from(*turned);
        let name = |channel: u32| graph.channel_name(channel);
        if record.given("explicit_rate") && channels.into_iter().all(is_host) {
            refuse(
                record,
                format!("both ends of `{}` are hosts", name(channels[first])),
            );
        }
        let sides = [
            ("forward", channels[first]),
            ("backward", channels[1 - first]),
        ];
        for (side, channel) in sides {
            let table = record
                .record(side)
                .filter(|side| side.given("explicit_rate"));
            if let (Some(table), true) = (table, is_host(channel)) {
                refuse(table, format!("`{}` leaves a host", name(channel)));
            }
        }
    }
    let common = root
        .record("link")
        .filter(|link| link.given("explicit_rate"));
    let no_switch = (0..graph.nodes.len() as u32).all(|node| graph.is_host(node));
    if let (Some(common), true) = (common, no_switch && !graph.nodes.is_empty()) {
        refuse(common, "the network has no switch".into());
    }
}

/// Every `explicit_rate` table of the file.
pub(crate) fn tables(root: &Record) -> Vec<&Record> {
    let links = root.records("links").iter();
    let sides = links
        .clone()
        .flat_map(|link| [link.record("forward"), link.record("backward")]);
    let trunk = root.record("topology").and_then(|t| t.record("trunk"));
    let tables = [root.record("link"), trunk].into_iter();
    let tables = tables.chain(links.map(Some)).chain(sides).flatten();
    tables
        .filter_map(|table| table.record("explicit_rate"))
        .collect()
}

/// Does any of them have a mistake?
pub(crate) fn are_faulty(root: &Record) -> bool {
    tables(root).iter().any(|table| !table.faulty.is_empty())
}

/// Numbers that contradict each other.
fn check_rules(root: &Record, mistakes: &mut Diagnostics) {
    for table in tables(root) {
        for (high, low) in [
            ("high", "low"),
            ("ni_high", "ni_low"),
            ("very_high", "high"),
        ] {
            let (Some(above), Some(below)) = (table.whole(high), table.whole(low)) else {
                continue;
            };
            if above < below {
                mistakes.push(
                    Diagnostic::error("bad-marks", format!("`{high}` is below `{low}`"))
                        .at(table.at(high), format!("{above} cells"))
                        .at(table.at(low), format!("{below} cells"))
                        .note("a queue that gets long at one mark gets short again at a lower one")
                        .help(format!("make `{high}` at least `{low}`")),
                );
            }
        }
        check_target(table, mistakes);
    }
}

fn check_target(table: &Record, mistakes: &mut Diagnostics) {
    let target = table.decimal("target");
    if target == Some(0.0) {
        mistakes.push(
            Diagnostic::error("bad-target", "a target of 0 lets no ABR cell through")
                .at(table.at("target"), "aims at nothing")
                .help("0.9 is usual; a rule is switched off with `kind = \"none\"`"),
        );
    } else if target.is_some_and(|target| target > 1.0) && table.record("queue").is_none() {
        mistakes.push(
            Diagnostic::warning("bad-target", "the port aims at more than the link carries")
                .at(table.at("target"), "above 1")
                .note("the queue then grows as long as sources have more to send")
                .help("0.9 is usual; 1.0 with `queue` (ERICA+), which keeps the queue short"),
        );
    }
    if table.decimal("delta").is_some_and(|delta| delta >= 1.0) {
        mistakes.push(
            Diagnostic::warning("bad-delta", "twice the target counts as no overload")
                .at(table.at("delta"), "loads up to 1 + `delta` are left alone")
                .note("a circuit above the fair share keeps what it was given before, up to that")
                .help("0.1 is usual"),
        );
    }
}

fn spec(record: &Record) -> Option<ExplicitRateSpec> {
    let number = |key: &str| record.decimal(key).unwrap_or(0.0);
    let cells = |key: &str| record.count(key).unwrap_or(0);
    let marks = |high: &str, low: &str| MarkSpec {
        high_cells: cells(high),
        low_cells: cells(low),
    };
    let interval = record.duration("interval").unwrap_or(Duration(1));
    Some(match record.word("kind") {
        "erica" => ExplicitRateSpec::Erica(erica(record, interval)),
        "efci" => ExplicitRateSpec::Efci(marks("high", "low")),
        "relative-rate" => ExplicitRateSpec::RelativeRate(RelativeRateSpec {
            congestion: marks("high", "low"),
            no_increase: marks("ni_high", "ni_low"),
            marks_backward: record.word("marks") != "forward",
            backward_notice_every: record.duration("notice_every"),
        }),
        "eprca" => ExplicitRateSpec::Eprca(EprcaSpec {
            weight: number("weight"),
            down_pressure: number("down_pressure"),
            reduction: number("reduction"),
            major_reduction: number("major_reduction"),
            congestion: marks("high", "low"),
            very_cells: cells("very_high"),
        }),
        "capc" => ExplicitRateSpec::Capc(CapcSpec {
            interval,
            target: number("target"),
            rise: number("rise"),
            rise_most: number("rise_most"),
            fall: number("fall"),
            fall_least: number("fall_least"),
            congestion_cells: cells("congestion"),
        }),
        _ => return None,
    })
}

fn erica(record: &Record, interval: Duration) -> EricaSpec {
    let number = |record: &Record, key: &str| record.decimal(key).unwrap_or(0.0);
    let yes = |key: &str| record.truth(key).unwrap_or(false);
    EricaSpec {
        interval,
        interval_cells: record.count("interval_cells").unwrap_or(0),
        target: number(record, "target"),
        delta: number(record, "delta"),
        limit_jump: yes("limit_jump"),
        ccr: match record.word("ccr") {
            "measured" => CurrentRate::Measured,
            _ => CurrentRate::Field,
        },
        one_feedback: yes("one_feedback"),
        up_to_link: yes("up_to_link"),
        activity_decay: number(record, "activity_decay"),
        queue: record.record("queue").map(|queue| QueueControlSpec {
            delay: queue.duration("delay").unwrap_or(Duration(1)),
            a: number(queue, "a"),
            b: number(queue, "b"),
            least: number(queue, "least"),
        }),
        aging: record.record("aging").map(|aging| AgingSpec {
            alpha: number(aging, "alpha"),
            delta: number(aging, "delta"),
            floor: aging.rate("floor").unwrap_or(Rate(0)),
            weight: number(aging, "weight"),
        }),
    }
}

/// The cuts of all links, by channel and time.
pub(crate) fn outages(
    root: &Record,
    graph: &Graph,
    stop_at: Time,
    mistakes: &mut Diagnostics,
) -> Vec<OutageSpec> {
    let mut found = Vec::new();
    for (link, (record, turned)) in named(root, graph) {
        for outage in record.records("outages") {
            let (Some(from), Some(until)) = (outage.time("from"), outage.time("until")) else {
                continue;
            };
            let first = 2 * link + u32::from(turned);
            let channels = match outage.word("direction") {
                "forward" => vec![first],
                "backward" => vec![first ^ 1],
                _ => vec![2 * link, 2 * link + 1],
            };
            let cut = |channel| OutageSpec {
                channel,
                from,
                until,
            };
            found.extend(channels.into_iter().map(cut));
        }
    }
    check_outages(root, stop_at, mistakes);
    merged(found)
}

/// In order of channel and time, and none overlaps or touches another.
fn merged(mut cuts: Vec<OutageSpec>) -> Vec<OutageSpec> {
    cuts.sort_by_key(|cut| (cut.channel, cut.from, cut.until));
    let mut merged: Vec<OutageSpec> = Vec::with_capacity(cuts.len());
    for cut in cuts {
        match merged.last_mut() {
            Some(last) if last.channel == cut.channel && cut.from <= last.until => {
                last.until = last.until.max(cut.until);
            }
            _ => merged.push(cut),
        }
    }
    merged
}

fn check_outages(root: &Record, stop_at: Time, mistakes: &mut Diagnostics) {
    for record in root.records("links") {
        let outages = record.records("outages");
        for (index, outage) in outages.iter().enumerate() {
            let (Some(from), Some(until)) = (outage.time("from"), outage.time("until")) else {
                continue;
            };
            if from >= until {
                mistakes.push(
                    Diagnostic::error("bad-times", "the outage ends before it starts")
                        .at(outage.at("until"), "ends here")
                        .at(outage.at("from"), "starts here")
                        .help("make `until` later than `from`"),
                );
                continue;
            }
            if from >= stop_at || until > stop_at {
                let (key, what) = match from >= stop_at {
                    true => ("from", "it never happens"),
                    false => ("until", "it is never repaired"),
                };
                mistakes.push(
                    Diagnostic::warning("bad-times", "the outage reaches past the end of the run")
                        .at(outage.at(key), what)
                        .help("make `run.duration` longer, or the outage earlier"),
                );
            }
            if let Some(before) = outages[..index].iter().find(|one| overlap(one, outage)) {
                mistakes.push(
                    Diagnostic::warning("overlapping-outages", "two outages of a link overlap")
                        .at(outage.at("from"), "it is cut already")
                        .at(before.at("until"), "until then")
                        .note("the link works again after the later of the two")
                        .help("make one outage of them"),
                );
            }
        }
    }
}

fn overlap(one: &Record, other: &Record) -> bool {
    let way = |record: &Record| record.word("direction");
    let same = way(one) == way(other) || way(one) == "both" || way(other) == "both";
    let span = |record: &Record| Some((record.time("from")?, record.time("until")?));
    match (span(one), span(other)) {
        (Some((from, until)), Some((start, end))) => same && start < until && from < end,
        _ => false,
    }
}
