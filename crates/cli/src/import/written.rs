//! The scenario as text: each table with a comment that says where it comes from.

use std::collections::BTreeMap;
use std::fmt::Write;

use backwater_formats::{Flows, Form, Link, ListedFlow, Topology};
use backwater_kernel::words::{counted, printable};

use super::{All, Imported};

/// Rate of links that no file speaks of, bits a second.
const RATE_BPS: u64 = 100_000_000_000;
/// Their delay, picoseconds.
const DELAY_PS: u64 = 1_000_000;
/// Picoseconds in a millisecond.
const MS: u64 = 1_000_000_000;
/// Bytes in a megabyte.
const MB: u64 = 1_000_000;
/// Names of rates and delays in a comment.
const NAMED: usize = 4;
/// Flows with a row each, at most.
const MANY: usize = 10_000;
/// Priority groups that PFC has.
const CLASSES: u32 = 8;

/// The whole text.
pub(super) fn scenario(all: &All) -> String {
    let mut out = String::new();
    let paths = all.topology.iter().map(|own| &own.path);
    let paths = paths.chain(all.flows.iter().map(|own| &own.path));
    let paths = all.hpcc.iter().map(|parts| &parts.path).chain(paths);
    let paths: Vec<String> = paths.map(|path| printable(path)).collect();
    let _ = writeln!(out, "# Made by `backwater import` of {}.", paths.join(", "));
    for (path, what) in all.left_out() {
        let _ = writeln!(
            out,
            "# Not here: {} ({}).",
            printable(what),
            printable(path)
        );
    }
    let _ = writeln!(out, "title = {}", quoted(&paths.join(", ")));
    let _ = writeln!(out, "engine = \"ethernet\"\n");
    run(&mut out, all);
    network(&mut out, all);
    match all.hpcc.as_ref().and_then(|parts| parts.memory.as_ref()) {
        Some(memory) => out.push_str(memory),
        None => switches(&mut out, all),
    }
    if let Some(parts) = &all.hpcc {
        out.push_str(&parts.tables);
    }
    for (number, own) in all.flows.iter().enumerate() {
        list(&mut out, all, (number, own));
    }
    if all.flows.is_empty() {
        out.push_str("# No file lists flows: this stands for them.\n[[patterns]]\n");
        out.push_str("name = \"flow\"\nkind = \"permutation\"\ntransport = \"roce\"\n");
        out.push_str("traffic = { kind = \"greedy\" }\n");
    }
    out
}

/// "320 hosts, 56 switches, 480 links".
pub(super) fn size(topology: &Topology) -> String {
    let hosts = topology.hosts();
    let switches = topology.nodes.len() - hosts;
    format!(
        "{}, {}, {}",
        counted(hosts, "host"),
        counted_switches(switches),
        counted(topology.links.len(), "link")
    )
}

fn counted_switches(count: usize) -> String {
    format!("{count} switch{}", if count == 1 { "" } else { "es" })
}

/// A text as TOML has it.
pub(super) fn quoted(text: &str) -> String {
    // A string of JSON is one of TOML.
    serde_json::to_string(text).unwrap_or_default()
}

fn run(out: &mut String, all: &All) {
    let flows = || all.flows.iter().flat_map(|own| &own.data.entries);
    let last = flows().map(|flow| flow.start_ps).max().unwrap_or(0);
    let busiest = busiest_ps(all);
    let whole = last
        .saturating_add(busiest.saturating_mul(2))
        .saturating_add(MS);
    let _ = writeln!(out, "[run]");
    if let Some(duration) = all.hpcc.as_ref().and_then(|parts| parts.duration.as_ref()) {
        let _ = writeln!(
            out,
            "# As long as the file says.\nduration = \"{duration}\"\n"
        );
        return;
    }
    if !all.flows.is_empty() {
        let _ = writeln!(
            out,
            "# The last flow begins at {}; the busiest host sends or gets its bytes in {}. Twice \
             that, and 1 ms.",
            time(last),
            time(busiest)
        );
    }
    let _ = writeln!(out, "duration = \"{} ms\"\n", whole.div_ceil(MS));
}

/// What the host with most bytes, in or out, takes for them at the rate of its link.
fn busiest_ps(all: &All) -> u64 {
    let mut bytes: BTreeMap<u32, [u128; 2]> = BTreeMap::new();
    let mut add = |flow: &ListedFlow| {
        let ends = [(flow.source, 0), (flow.destination, 1)];
        for (host, side) in ends {
            bytes.entry(host).or_default()[side] += u128::from(flow.bytes);
        }
    };
    all.flows
        .iter()
        .flat_map(|own| &own.data.entries)
        .for_each(&mut add);
    let mut rates: BTreeMap<u32, u64> = BTreeMap::new();
    if let Some(own) = &all.topology {
        for link in &own.data.links {
            for end in link.ends {
                let rate = link.rate_bps.unwrap_or(RATE_BPS);
                let known = rates.entry(end).or_insert(rate);
                *known = rate.min(*known);
            }
        }
    }
    let took = bytes.iter().map(|(host, sides)| {
        let rate = rates.get(host).copied().unwrap_or(RATE_BPS).max(1);
        sides[0].max(sides[1]) * 8_000_000_000_000 / u128::from(rate)
    });
    took.max()
        .map_or(0, |ps| u64::try_from(ps).unwrap_or(u64::MAX / 4))
}

fn network(out: &mut String, all: &All) {
    let Some(own) = &all.topology else {
        return star(out, all);
    };
    let topology = &own.data;
    let _ = writeln!(out, "# From {}: {}.", own.form.name(), size(topology));
    let rates = tally(topology.links.iter().map(|link| link.rate_bps), |bps| {
        rate(*bps)
    });
    let delays = tally(topology.links.iter().map(|link| link.delay_ps), |ps| {
        time(*ps)
    });
    let _ = writeln!(out, "# Rates of links: {rates}.\n# Their delays: {delays}.");
    let lossy = topology.links.iter().filter(|link| link.loss > 0.0).count();
    if lossy > 0 {
        let lossy = counted(lossy, "link");
        let _ = writeln!(out, "# {lossy} with losses, as the file says.");
    }
    let latencies = topology.nodes.iter().filter_map(|node| node.latency_ps);
    let latencies: Vec<u64> = latencies.filter(|ps| *ps > 0).collect();
    if let Some(most) = latencies.iter().max() {
        let (count, most) = (counted_switches(latencies.len()), time(*most));
        let _ = writeln!(
            out,
            "# {count} with a latency, {most} at most, as the file says."
        );
    }
    let _ = writeln!(
        out,
        "[topology]\nkind = \"file\"\nfile = {}",
        quoted(&own.path)
    );
    if all.hosts_per_node > 0 {
        let _ = writeln!(out, "hosts_per_node = {}", all.hosts_per_node);
    }
    out.push('\n');
    links(out, topology);
}

/// What `[link]` says where the file says nothing.
fn links(out: &mut String, topology: &Topology) {
    let open = |said: usize| match said {
        0 => "Each link of the file says its own.",
        _ => "For links of which the file says none.",
    };
    let without = |lacks: fn(&Link) -> bool| topology.links.iter().filter(|own| lacks(own)).count();
    let without_rate = open(without(|link| link.rate_bps.is_none()));
    let _ = writeln!(
        out,
        "[link]\n# {without_rate}\nrate = \"{}\"",
        rate(RATE_BPS)
    );
    let without_delay = without(|link| link.delay_ps.is_none());
    if without_delay > 0 {
        let _ = writeln!(
            out,
            "# {}\ndelay = \"{}\"",
            open(without_delay),
            time(DELAY_PS)
        );
    }
    out.push('\n');
}

/// Without a topology all hosts are on one switch.
fn star(out: &mut String, all: &All) {
    let flows = all.flows.iter().flat_map(|own| &own.data.entries);
    let highest = flows.map(|flow| flow.source.max(flow.destination)).max();
    let stated = all.flows.iter().filter_map(|own| own.data.hosts).max();
    let hosts = highest.map(|highest| highest.saturating_add(1)).max(stated);
    let hosts = hosts.unwrap_or(2).max(2);
    let said = counted(hosts, "host");
    let _ = writeln!(
        out,
        "# No file lists nodes and links: {said} on one switch stand for them.\n[topology]\n\
         kind = \"star\"\nhosts_per_switch = {hosts}\n\n[link]\nrate = \"{}\"\n\
         delay = \"{}\"\n",
        rate(RATE_BPS),
        time(DELAY_PS)
    );
}

/// "320 of 100 Gbps, 160 of 400 Gbps", or from which to which.
fn tally(values: impl Iterator<Item = Option<u64>>, name: impl Fn(&u64) -> String) -> String {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    let mut without = 0_usize;
    for value in values {
        match value {
            Some(value) => *counts.entry(value).or_default() += 1,
            None => without += 1,
        }
    }
    let mut said: Vec<String> = Vec::new();
    match (counts.first_key_value(), counts.last_key_value()) {
        (Some((least, _)), Some((most, _))) if counts.len() > NAMED => {
            let all: usize = counts.values().sum();
            said.push(format!("{all} from {} to {}", name(least), name(most)));
        }
        _ => {
            let each = counts.iter();
            said.extend(each.map(|(value, count)| format!("{count} of {}", name(value))));
        }
    }
    if without > 0 {
        said.push(format!("{without} of which the file says none"));
    }
    said.join(", ")
}

/// Switches hold frames back: with room for what is on its way on the longest link.
fn switches(out: &mut String, all: &All) {
    let links = all.topology.iter().flat_map(|own| &own.data.links);
    let ways = links.map(|link| {
        let (bps, ps) = (
            link.rate_bps.unwrap_or(RATE_BPS),
            link.delay_ps.unwrap_or(DELAY_PS),
        );
        u128::from(bps) * u128::from(ps) * 2 / 8_000_000_000_000
    });
    let least = u128::from(RATE_BPS) * u128::from(DELAY_PS) * 2 / 8_000_000_000_000;
    let way = ways.max().unwrap_or(least);
    // 20 % above the threshold hold what arrives after a stop was sent, twice.
    let bytes = way.saturating_mul(10).div_ceil(MB.into()).max(1);
    let _ = writeln!(
        out,
        "# What switches do is in none of the files. PFC drops no frame; each input has room for \
         ten times\n# what is on its way on the longest link, there and back.\n[flow_control]\n\
         kind = \"pfc\"\ndetect = \"inputs\"\n\n[buffer]\nper_input = \"{bytes} MB\"\n"
    );
}

fn list(out: &mut String, all: &All, (number, own): (usize, &Imported<Flows>)) {
    let flows = &own.data;
    let waiting = flows
        .entries
        .iter()
        .filter(|flow| !flow.after.is_empty())
        .count();
    let _ = writeln!(
        out,
        "# From {}: {}.",
        own.form.name(),
        counted(flows.entries.len(), "flow")
    );
    if waiting > 0 {
        let _ = writeln!(
            out,
            "# {} for others. A flow that is sent is one whose last byte has left for the port, \
             not one that\n# was acknowledged.",
            match waiting {
                1 => "1 waits".into(),
                _ => format!("{waiting} wait"),
            }
        );
    }
    for (line, what, _) in &flows.doubts {
        let _ = writeln!(out, "# Line {line}: {}.", printable(what));
    }
    if let (Some(hosts), Some(topology)) = (flows.hosts, &all.topology)
        && hosts as usize != topology.data.hosts()
    {
        let there = counted(topology.data.hosts(), "host");
        let nodes = counted(hosts, "node");
        let _ = writeln!(out, "# It is for {nodes}, the network has {there}.");
    }
    let name = match number {
        0 => "flow".to_owned(),
        _ => format!("flow{}", number + 1),
    };
    let path = quoted(&own.path);
    let _ = writeln!(
        out,
        "[[workloads]]\nname = \"{name}\"\nkind = \"list\"\nfile = {path}"
    );
    let says_unit = own.form == Form::Connections;
    if let Some(unit) = all.unit.filter(|_| says_unit) {
        let _ = writeln!(out, "start_unit = \"{}\"", unit.name());
    }
    let _ = writeln!(out, "transport = \"roce\"");
    let is_in_order = flows.entries.is_sorted_by_key(|flow| flow.start_ps);
    if flows.entries.len() > MANY && waiting == 0 && is_in_order {
        let _ = writeln!(
            out,
            "# So many flows have one row in results, not one each."
        );
        let _ = writeln!(out, "rows = \"group\"");
    }
    class(out, &flows.entries);
    out.push('\n');
}

/// The priority group, if all flows are of one.
fn class(out: &mut String, flows: &[ListedFlow]) {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for class in flows.iter().filter_map(|flow| flow.class) {
        *counts.entry(class).or_default() += 1;
    }
    let only = counts
        .keys()
        .next()
        .filter(|class| counts.len() == 1 && **class < CLASSES);
    if let Some(class) = only {
        let _ = writeln!(out, "# The priority group of all flows.\nclass = {class}");
    } else if !counts.is_empty() {
        let said = counts.iter().take(NAMED);
        let said: Vec<String> = said
            .map(|(class, n)| format!("{n} of group {class}"))
            .collect();
        let said = said.join(", ");
        let _ = writeln!(
            out,
            "# All in class 0. The file has several priority groups: {said}."
        );
    }
}

/// "100 Gbps".
fn rate(bps: u64) -> String {
    let units = [
        ("Tbps", 1_000_000_000_000),
        ("Gbps", 1_000_000_000),
        ("Mbps", 1_000_000),
    ];
    whole(bps, &units, "bps")
}

/// "1 us".
fn time(ps: u64) -> String {
    let units = [
        ("s", 1_000 * MS),
        ("ms", MS),
        ("us", 1_000_000),
        ("ns", 1_000),
    ];
    whole(ps, &units, "ps")
}

fn whole(value: u64, units: &[(&str, u64)], least: &str) -> String {
    let fits = units
        .iter()
        .find(|(_, worth)| value > 0 && value.is_multiple_of(*worth));
    match fits {
        Some((unit, worth)) => format!("{} {unit}", value / worth),
        None => format!("{value} {least}"),
    }
}
