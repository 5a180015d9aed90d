//! Who sends what to whom.

use std::collections::{BTreeMap, BTreeSet};

use backwater_ends::spec::collectives::{CollectiveSpec, JobSpec};
use backwater_kernel::{Purpose, Rate, Stream};
use backwater_net::frames::spec::{
    CLASSES_MAX, FlowSpec, LinkSpec, NicRule, TrafficSpec, TransportSpec,
};

use super::carriers::transport;
use super::flow_list::Arrival;
use super::flow_table::Table;
use super::members::{self, Group};
use super::net::Net;
use super::offers::{Listed, Matrix, Offer};
use super::workloads::{self, Begun, Setting};
use super::{controls, queues, ranks, roce, traffic, trims, waits};
use crate::Limits;
use crate::given::frames::EthernetFile;
use crate::given::frames::flows::{self as given, Transport};
use crate::given::frames::workloads::{Rows, Workloads};
use crate::language::files::Files;
use crate::network::memory;
use crate::network::patterns::{self, Room};
use crate::network::wildcard;
use crate::prelude::*;

/// The flows, and the table that made each.
pub(crate) struct Flows<'r> {
    pub specs: Vec<FlowSpec>,
    pub tables: Vec<Table<'r>>,
    /// What workloads ask of the links of hosts.
    pub offers: Vec<Offer>,
    /// From which hosts to which, on average; and flows that are listed.
    pub matrices: Vec<Matrix>,
    pub listed: Vec<Listed>,
    /// Flows that have no row.
    pub groups: Vec<Group<'r>>,
    /// Operations of ranks.
    pub collectives: Vec<CollectiveSpec>,
    /// Jobs.
    pub jobs: Vec<JobSpec>,
    pub(super) marked: [bool; CLASSES_MAX],
    /// Rate of the port of each node: of several the fastest.
    pub(super) lines: BTreeMap<u32, Rate>,
    pub room: Room,
}

impl<'r> Flows<'r> {
    fn none(lines: BTreeMap<u32, Rate>, links: &[LinkSpec], limits: &Limits) -> Self {
        Flows {
            specs: Vec::new(),
            tables: Vec::new(),
            offers: Vec::new(),
            matrices: Vec::new(),
            listed: Vec::new(),
            groups: Vec::new(),
            collectives: Vec::new(),
            jobs: Vec::new(),
            marked: queues::marked(links),
            lines,
            room: Room {
                of: "flows",
                each: memory::FLOW_BYTES,
                most: patterns::MOST_FLOWS,
                limits: *limits,
            },
        }
    }

    /// The flows, each with the table that made it; of those without a row one of each kind.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&FlowSpec, &Table<'r>)> {
        let kinds = self.groups.iter().flat_map(|group| {
            let kinds = group.spec.kinds.iter();
            kinds.map(|kind| (kind, &group.table))
        });
        self.specs.iter().zip(&self.tables).chain(kinds)
    }
}

/// The hosts of a flow: where it starts, and where it ends.
type Ends = (u32, Vec<u32>);

/// A flow of a table: its hosts and what it sends.
type Sent = (Ends, TrafficSpec);

/// The highest class that anything names.
pub(crate) fn highest_class(file: &EthernetFile) -> u8 {
    let flows = file.flows.iter().map(|flow| &flow.settings);
    let patterns = file.patterns.iter().map(|rule| &rule.settings);
    let workloads = file.workloads.iter().map(|own| &own.settings);
    let collectives = file.collectives.iter().map(|own| &own.settings);
    let jobs = file.jobs.iter().map(|own| &own.settings);
    let settings = flows
        .chain(patterns)
        .chain(workloads)
        .chain(collectives)
        .chain(jobs);
    let flows = settings.flat_map(|own| {
        let pairs = own.roce.as_ref().map_or(&file.roce.value, |own| &own.roce);
        let answers = [
            *pairs.ack_class,
            *pairs.cnp_class,
            *file.roce.ack_class,
            *file.roce.cnp_class,
        ];
        let answers =
            answers.map(|class| class.filter(|_| own.transport.value == Some(Transport::Roce)));
        [Some(*own.class)].into_iter().chain(answers).flatten()
    });
    let classes = file.classes.iter().map(|class| *class.class);
    let own = controls::given(file).filter_map(|own| own.value.as_ref());
    let controls = own.chain([&file.flow_control.value.value]);
    let lossless = controls.filter_map(|rules| rules.classes()?.as_deref());
    let lossless = lossless.flatten().copied();
    let trims = trims::given(file);
    let is_open = trims.iter().any(|(class, _)| class.is_none());
    let trims = trims.into_iter().filter_map(|(class, _)| **class);
    let named = flows.chain(classes).chain(lossless).chain(trims);
    let highest = named.max().unwrap_or(0);
    // Headers that nothing is said of have a class of their own.
    highest + u8::from(is_open && highest + 1 < CLASSES_MAX as u8)
}

/// The flows of the file: first `[[flows]]`, then `[[patterns]]`, `[[workloads]]`,
/// `[[collectives]]` and `[[jobs]]`. TCP follows the classes that are marked.
pub(crate) fn flows<'r>(
    file: &'r Placed<EthernetFile>,
    (net, links, limits): (&Net<'_>, &[LinkSpec], &Limits),
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Flows<'r> {
    let goes_round = |node| net.nic(file, node) == NicRule::Spread;
    let mut flows = Flows::none(lines(links, goes_round), links, limits);
    let room = flows.room;
    let has_others = !file.workloads.is_empty() || !file.collectives.is_empty();
    let has_others = has_others || !file.jobs.is_empty() || file.jobs.is_faulty;
    if !has_others && !file.workloads.is_faulty && !file.collectives.is_faulty {
        let example = "`name = \"F\"`, `from = \"S\"`, `to = \"D\"`";
        patterns::nothing_to_send(&file.flows, &file.patterns, (&file.at, example), mistakes);
    }
    if net.nodes.is_empty() || patterns::named_twice(many(file), mistakes) {
        return flows;
    }
    let made = one_by_one(file, net, &mut flows, mistakes);
    all_by_rule(file, net, &mut flows, mistakes);
    let setting = Setting {
        net,
        links,
        seed: file.run.seed,
        stop_at: *file.run.duration,
        room,
    };
    for (index, own) in (0_u64..).zip(file.workloads.iter()) {
        workload((own, index), setting, (file, files), &mut flows, mistakes);
    }
    for own in file.collectives.iter() {
        ranks::collective(own, net, file, &mut flows, mistakes);
    }
    for own in file.jobs.iter() {
        ranks::job(own, net, file, &mut flows, mistakes);
    }
    duplicates(&flows, mistakes);
    let are_whole = mistakes.errors() == 0;
    if are_whole && made.iter().any(|(flow, _)| flow.after.is_some()) {
        waits::connect(&made, &mut flows.specs, (net, room), mistakes);
    }
    flows
}

/// The flows of `[[flows]]`, and which are those of each.
fn one_by_one<'r>(
    file: &'r EthernetFile,
    net: &Net<'_>,
    flows: &mut Flows<'r>,
    mistakes: &mut Diagnostics,
) -> Vec<waits::Made<'r>> {
    let mut made = Vec::new();
    for flow in file.flows.iter() {
        let first = flows.specs.len();
        if let Some(pairs) = named(flow, net, flows.room, mistakes) {
            one_tree(file, flow, mistakes);
            let table = Table {
                settings: &flow.settings,
                traffic: Some(&flow.sends.traffic),
                to: &flow.to.at,
                name: &flow.name,
                at: &flow.at,
                is_many: pairs.len() != 1 || flow.count.is_some(),
            };
            let sent = traffic::traffic(&flow.sends.traffic);
            let all = pairs.into_iter().map(|ends| (ends, sent.clone()));
            add(file, table, all.collect(), flows, mistakes);
        }
        made.push((flow, first..flows.specs.len()));
    }
    made
}

/// Those of `[[patterns]]`.
fn all_by_rule<'r>(
    file: &'r EthernetFile,
    net: &Net<'_>,
    flows: &mut Flows<'r>,
    mistakes: &mut Diagnostics,
) {
    for (index, rule) in (0_u64..).zip(file.patterns.iter()) {
        let mut dice = Stream::new(file.run.seed, index, Purpose::Pattern);
        if let Some(pairs) = by_rule((rule, flows.room), net, &mut dice, mistakes) {
            let sent = traffic::traffic(&rule.sends.traffic);
            let pairs = pairs.into_iter();
            let all = pairs.map(|(from, to)| ((from, vec![to]), sent.clone()));
            let table = Table {
                settings: &rule.settings,
                traffic: Some(&rule.sends.traffic),
                to: rule.kind.to().map_or(&rule.at, |to| &to.at),
                name: &rule.name,
                at: &rule.at,
                is_many: true,
            };
            add(file, table, all.collect(), flows, mistakes);
        }
    }
}

/// The names of tables that may make more than one flow.
fn many(file: &EthernetFile) -> impl Iterator<Item = &Placed<String>> {
    let counted = file.flows.iter().filter(|flow| flow.count.is_some());
    let many = counted.map(|flow| &flow.name);
    let many = many.chain(file.patterns.iter().map(|pattern| &pattern.name));
    let many = many.chain(file.workloads.iter().map(|own| &own.name));
    let many = many.chain(file.collectives.iter().map(|own| &own.name));
    many.chain(file.jobs.iter().map(|own| &own.name))
}

/// Flows that begin while the run goes on.
fn workload<'r>(
    (given, index): (&'r Placed<Workloads>, u64),
    setting: Setting<'_>,
    (file, files): (&EthernetFile, &mut Files<'_>),
    flows: &mut Flows<'r>,
    mistakes: &mut Diagnostics,
) {
    if given.rows.value == Rows::Group {
        let table = of_workload(given);
        return members::add(
            (given, index),
            table,
            setting,
            (file, files),
            flows,
            mistakes,
        );
    }
    let arrivals = workloads::arrivals((given, index), setting, files, mistakes);
    let Some(Begun {
        all: arrivals,
        asked,
        chained,
    }) = arrivals
    else {
        return;
    };
    let sizes: Vec<u64> = arrivals.iter().map(|own| own.bytes).collect();
    let sent = |own: Arrival| {
        let traffic = TrafficSpec::Infinite {
            start: own.at,
            bytes: Some(own.bytes),
        };
        ((own.from, vec![own.to]), traffic)
    };
    let table = of_workload(given);
    let first = flows.specs.len();
    let all = arrivals.into_iter().map(sent).collect();
    if let Some(transport) = add(file, table, all, flows, mistakes) {
        let framed = (&transport, given.settings.tagged);
        flows.offers.extend(asked.offers(framed, &sizes));
        flows.matrices.extend(asked.matrices(framed, &sizes));
        let flows_of = first..flows.specs.len();
        flows.listed.extend(asked.listing(framed, &sizes, flows_of));
        if let Some((chained, places)) = chained {
            let (own, room) = (&mut flows.specs[first..], setting.room);
            let list = (&chained, &places[..], first);
            waits::connect_lines(list, own, (setting.net, room, &given.kind.at), mistakes);
        }
    }
}

const fn of_workload(given: &Placed<Workloads>) -> Table<'_> {
    Table {
        settings: &given.value.settings,
        traffic: None,
        to: &given.at,
        name: &given.value.name,
        at: &given.at,
        is_many: true,
    }
}

fn named(
    flow: &given::Flows,
    net: &Net<'_>,
    room: Room,
    mistakes: &mut Diagnostics,
) -> Option<Vec<Ends>> {
    let mut hosts = |names: &Placed<Vec<Named>>| net.all_hosts(names.sure()?, mistakes);
    let (from, to) = (hosts(&flow.from), hosts(&flow.to));
    let (from, to) = (from?, to?);
    let mut pairs: Vec<Ends> = match (from.as_slice(), to.as_slice()) {
        (from, to) if *flow.multicast && !to.is_empty() => {
            named_once(flow, to, net, mistakes)?;
            from.iter().map(|from| (*from, to.to_vec())).collect()
        }
        ([from], to) => to.iter().map(|to| (*from, vec![*to])).collect(),
        (from, [to]) => from.iter().map(|from| (*from, vec![*to])).collect(),
        (from, to) if from.len() == to.len() => {
            let pairs = from.iter().zip(to);
            pairs.map(|(from, to)| (*from, vec![*to])).collect()
        }
        (from, to) => {
            Diagnostic::error("bad-flow", "`from` and `to` do not pair up")
                .at(&flow.to.at, format!("{} hosts", to.len()))
                .at(&flow.from.at, format!("{} hosts", from.len()))
                .help("name as many on both sides, or one host on one of them")
                .tell(mistakes);
            return None;
        }
    };
    // A name with `*` stands for all but the host at the other end.
    let mut names = flow.from.iter().chain(flow.to.iter());
    if names.any(|(name, _)| wildcard::is_many(name)) {
        for (from, to) in &mut pairs {
            to.retain(|to| to != from);
        }
        pairs.retain(|(_, to)| !to.is_empty());
    }
    if let Some((same, _)) = pairs.iter().find(|(from, to)| to.contains(from)) {
        let name = clip(net.name(*same));
        mistakes.push(patterns::sends_to_itself(&name, &flow.to.at));
        return None;
    }
    if pairs.is_empty() && from == to && from.len() > 1 {
        Diagnostic::error("bad-flow", "`from` and `to` name the same hosts")
            .at(&flow.to.at, "they pair up one by one, each with itself")
            .at(&flow.from.at, "the same hosts")
            .help("for a flow from each to each other: `[[patterns]]` with `kind = \"all-to-all\"`")
            .tell(mistakes);
        return None;
    }
    if pairs.is_empty() {
        Diagnostic::error("bad-flow", "a flow needs two hosts")
            .at(&flow.to.at, "nobody besides the sender")
            .help("name one host or more in `to`")
            .tell(mistakes);
        return None;
    }
    let count = flow.count.unwrap_or(1);
    let ends: usize = pairs.iter().map(|(_, to)| to.len()).sum();
    let total = u64::from(count).saturating_mul(ends as u64);
    if room.refuses(&flow.count.at, total, mistakes) {
        return None;
    }
    let repeated = pairs.into_iter();
    let repeated = repeated.flat_map(|pair| std::iter::repeat_n(pair, count as usize));
    Some(repeated.collect())
}

/// Each destination of a multicast gets a frame once.
fn named_once(
    flow: &given::Flows,
    to: &[u32],
    net: &Net<'_>,
    mistakes: &mut Diagnostics,
) -> Option<()> {
    let mut known = BTreeSet::new();
    let Some(twice) = to.iter().find(|host| !known.insert(**host)) else {
        return Some(());
    };
    let name = clip(net.name(*twice));
    Diagnostic::error("bad-flow", format!("a multicast names `{name}` twice"))
        .at(&flow.to.at, "each host gets one copy")
        .help("name each host once")
        .tell(mistakes);
    None
}

/// The frames of a multicast share a tree.
fn one_tree(file: &EthernetFile, flow: &given::Flows, mistakes: &mut Diagnostics) {
    if !*flow.multicast || !file.switch.spread.parts_flows() {
        return;
    }
    Diagnostic::error("bad-flow", "a multicast whose frames take different paths")
        .at(&flow.multicast.at, "its frames take one tree")
        .note("`spread` in `[switch]` gives the frames of a flow several paths")
        .help("leave out `spread`, or `multicast`")
        .tell(mistakes);
}

fn by_rule(
    (rule, room): (&Placed<given::Patterns>, Room),
    net: &Net<'_>,
    dice: &mut Stream,
    mistakes: &mut Diagnostics,
) -> Option<Vec<(u32, u32)>> {
    let hosts = patterns::hosts(&rule.from, net, mistakes)?;
    let (total, _) = rule.kind.sure()?.flows(hosts.len() as u64)?;
    if room.refuses(&rule.kind.at, total, mistakes) {
        return None;
    }
    patterns::pairs(&rule.kind, (&hosts, &rule.from), net, dice, mistakes)
}

pub(crate) fn add<'r>(
    file: &EthernetFile,
    table: Table<'r>,
    all: Vec<Sent>,
    flows: &mut Flows<'r>,
    mistakes: &mut Diagnostics,
) -> Option<TransportSpec> {
    let total = (flows.specs.len() + all.len()) as u64;
    if flows.room.refuses(table.at, total, mistakes) {
        return None;
    }
    let settings = table.settings;
    let is_marked = flows.marked.get(usize::from(*settings.class)) == Some(&true);
    let is_multicast = all.iter().any(|((_, to), _)| to.len() > 1);
    let line_of = |source: u32| flows.lines.get(&source).copied().unwrap_or(Rate(1));
    let line = all
        .first()
        .map_or(Rate(1), |((source, _), _)| line_of(*source));
    let transport = transport(file, &table, (is_marked, is_multicast), line, mistakes);
    let of_line = |line: Rate| match &transport {
        TransportSpec::Roce(known) if known.line != line => {
            TransportSpec::Roce(roce::roce(file, &table, line, &mut Diagnostics::default()))
        }
        usual => usual.clone(),
    };
    let transports: Vec<_> = (all.iter())
        .map(|((source, _), _)| of_line(line_of(*source)))
        .collect();
    for ((index, ((source, to), traffic)), transport) in all.into_iter().enumerate().zip(transports)
    {
        let Some((destination, others)) = to.split_first() else {
            continue;
        };
        let name = table.name.as_str();
        flows.specs.push(FlowSpec {
            name: match table.is_many {
                true => format!("{name}[{}]", index + 1),
                false => name.into(),
            },
            source,
            destination: *destination,
            others: others.to_vec(),
            class: *settings.class,
            is_tagged: settings.tagged,
            transport,
            traffic,
        });
        flows.tables.push(table);
    }
    Some(transport)
}

/// Rate of the port of each node: of several the fastest, or of those that frames go round all.
fn lines(links: &[LinkSpec], goes_round: impl Fn(u32) -> bool) -> BTreeMap<u32, Rate> {
    let mut lines: BTreeMap<u32, Rate> = BTreeMap::new();
    for link in links {
        for (node, channel) in link.ends.iter().zip(&link.channels) {
            let line = lines.entry(*node).or_default();
            *line = match line.0 > 0 && goes_round(*node) {
                true => Rate(line.0.saturating_add(channel.rate.0)),
                false => channel.rate.max(*line),
            };
        }
    }
    lines
}

fn duplicates(flows: &Flows<'_>, mistakes: &mut Diagnostics) {
    let mut first: BTreeMap<&str, &At> = BTreeMap::new();
    // A name that is none was told as such.
    for (spec, table) in flows.each().filter(|(spec, _)| !spec.name.is_empty()) {
        let at = &table.name.at;
        if let Some(first) = first.insert(&spec.name, at) {
            Diagnostic::error(
                "duplicate-name",
                format!("two flows are called `{}`", clip(&spec.name)),
            )
            .twice(at, first)
            .help("give each `[[flows]]` its own name")
            .tell(mistakes);
        }
    }
}
