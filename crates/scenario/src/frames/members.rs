//! Workloads whose flows have no row: looked through once before the run, without being kept, and
//! told again one after the other as it goes on.

use std::collections::BTreeMap;
use std::sync::Arc;

use backwater_formats::StartUnit;
use backwater_kernel::words::counted;
use backwater_kernel::{Rate, Time, TraceHash};
use backwater_net::frames::spec::{
    Arrival as Begins, ArrivalRecipe, ArrivalSpec, Arrivals, FlowSpec, TrafficSpec, TransportSpec,
};

use super::asked::{Asked, Sums};
use super::carriers::transport;
use super::draws::Law;
use super::flow_list::{Arrival, Count, Hosts, List};
use super::flow_table::Table;
use super::flows::Flows as All;
use super::workloads::{self, Either, Setting};
use crate::given::frames::EthernetFile;
use crate::given::frames::workloads::{Workloads, WorkloadsKind};
use crate::language::files::{Files, Reopen};
use crate::network::patterns::MOST_MEMBERS;
use crate::prelude::*;

/// Pairs of hosts that are told apart.
const MOST_PAIRS: usize = 1 << 21;
/// Sizes that are kept, of the first flows: what frames have on the wire follows from few.
const SIZES: usize = 1 << 16;
/// Flows that may be active at once, for each that would be if all went at line rate.
const SPARE: f64 = 4.0;
/// And so many more.
const FEWEST_ACTIVE: f64 = 1_000.0;

/// Where flows come from, as often as that is asked.
#[derive(Clone)]
enum Source {
    Law(Law),
    List {
        reopen: Reopen,
        hosts: Arc<Hosts>,
        span: (Time, Time),
        unit: Option<StartUnit>,
    },
}

impl Source {
    fn begin(&self) -> Result<Flows, String> {
        Ok(match self {
            Source::Law(law) => Flows::Law(law.in_order()),
            Source::List {
                reopen,
                hosts,
                span,
                unit,
            } => Flows::List(Box::new(List::begin(reopen, hosts, (*span, *unit))?)),
        })
    }
}

/// Flows as they begin, one at a time.
enum Flows {
    Law(Box<dyn Iterator<Item = Arrival> + Send>),
    List(Box<List>),
}

impl Flows {
    fn next(&mut self) -> Result<Option<Arrival>, String> {
        match self {
            Flows::Law(law) => Ok(law.next()),
            Flows::List(list) => list.next(),
        }
    }

    /// The list, if there is one.
    fn in_file(&self) -> Option<&List> {
        match self {
            Flows::Law(_) => None,
            Flows::List(list) => Some(list),
        }
    }

    /// Which line of it is wrong.
    fn line(&self) -> Option<u64> {
        self.in_file().map(List::line)
    }
}

/// A workload whose flows have no row.
pub(crate) struct Group<'r> {
    pub spec: ArrivalSpec,
    pub table: Table<'r>,
    /// Who sends to whom: as many pairs as are told apart.
    pub pairs: Vec<(u32, u32)>,
    /// There are more.
    pub has_more_pairs: bool,
}

/// What a look through all flows of a group finds.
pub(crate) struct Seen {
    source: Source,
    first: Arrival,
    count: u64,
    pub sizes: Vec<u64>,
    sums: Sums,
    pairs: Pairs,
    last: Time,
    pub asked: Asked,
}

/// Pairs of hosts, each once.
#[derive(Default)]
struct Pairs {
    all: Vec<(u32, u32)>,
    /// So many are in order, and each once.
    sorted: usize,
    is_full: bool,
}

impl Pairs {
    fn add_pair(&mut self, pair: (u32, u32)) {
        if !self.is_full {
            self.all.push(pair);
            if self.all.len() >= 2 * self.sorted + SIZES {
                self.put_in_order();
            }
        }
    }

    fn put_in_order(&mut self) {
        self.all.sort_unstable();
        self.all.dedup();
        self.sorted = self.all.len();
        self.is_full = self.sorted > MOST_PAIRS;
    }
}

/// Flows that begin while the run goes on, and have no row.
pub(crate) fn add<'r>(
    (given, index): (&Workloads, u64),
    table: Table<'r>,
    setting: Setting<'_>,
    (file, files): (&EthernetFile, &mut Files<'_>),
    flows: &mut All<'r>,
    mistakes: &mut Diagnostics,
) {
    let Some(seen) = look((given, index), setting, files, mistakes) else {
        return;
    };
    let class = usize::from(*table.settings.class);
    let is_marked = flows.marked.get(class) == Some(&true);
    let (mut transports, mut kind_of) = (Vec::<(Rate, TransportSpec)>::new(), BTreeMap::new());
    for host in seen.sources() {
        let line = flows.lines.get(&host).copied().unwrap_or(Rate(1));
        let known = transports.iter().position(|(known, _)| *known == line);
        let kind = known.unwrap_or_else(|| {
            let mut unheard = Diagnostics::default();
            let mistakes = match transports.is_empty() {
                true => &mut *mistakes,
                false => &mut unheard,
            };
            let made = transport(file, &table, (is_marked, false), line, mistakes);
            transports.push((line, made));
            transports.len() - 1
        });
        kind_of.insert(host, kind as u32);
    }
    if let Some((_, transport)) = transports.first() {
        let framed = (transport, given.settings.tagged);
        flows.offers.extend(seen.asked.offers(framed, &seen.sizes));
        flows
            .matrices
            .extend(seen.asked.matrices(framed, &seen.sizes));
    }
    flows.groups.push(seen.group(table, &transports, kind_of));
}

/// Where the flows of a workload come from, how many there would be on average, and what a law asks
/// for.
fn source(
    (given, number): (&Workloads, u64),
    setting: Setting<'_>,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Option<(Source, f64, Option<Asked>)> {
    let either = workloads::drawn((given, number), setting, files, mistakes)?;
    Some(match either {
        Either::Drawn(drawn) => {
            let (law, expected, asked) = *drawn;
            (Source::Law(law), expected, Some(asked))
        }
        Either::Listed(file) => {
            let list = Source::List {
                reopen: files.reopen(file.sure()?, &file.at, mistakes)?,
                hosts: Hosts::of(setting.net),
                span: workloads::span(given, setting),
                unit: workloads::start_unit(given)
                    .and_then(|unit| **unit)
                    .map(Into::into),
            };
            (list, 0.0, None)
        }
    })
}

/// Looks through all flows of a workload; `None` if something is wrong, which is then told.
pub(crate) fn look(
    (given, number): (&Workloads, u64),
    setting: Setting<'_>,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Option<Seen> {
    let at = &given.kind.at;
    let (source, expected, asked) = source((given, number), setting, files, mistakes)?;
    let mut flows = match source.begin() {
        Ok(flows) => flows,
        Err(what) => {
            Diagnostic::error("no-file", "the list can't be read")
                .at(at, what)
                .tell(mistakes);
            return None;
        }
    };
    let (mut first, mut print) = (None, TraceHash::new());
    let (mut count, mut last) = (0, Time::ZERO);
    let (mut sizes, mut sums, mut pairs) = (Vec::new(), Sums::default(), Pairs::default());
    loop {
        let flow = match flows.next() {
            Ok(Some(flow)) => flow,
            Ok(None) => break,
            Err(what) => {
                wrong_line(given, &what, flows.in_file()).tell(mistakes);
                return None;
            }
        };
        first = first.or(Some(flow));
        (count, last) = (count + 1, flow.at);
        if sizes.len() < SIZES {
            sizes.push(flow.bytes);
        }
        for word in [flow.at.ps(), flow.from.into(), flow.to.into(), flow.bytes] {
            print.add(word);
        }
        sums.add(&flow);
        pairs.add_pair((flow.from, flow.to));
    }
    let listed = flows.in_file().map(List::has_listed);
    let Some(first) = first else {
        let expected = listed.map_or(expected, |own| own.listed as f64);
        workloads::never_starts(given, expected, listed.and_then(|own| own.first), mistakes);
        return None;
    };
    mistakes.extend(listed.and_then(|own| too_few(given, own)));
    if setting.room.of_members().refuses(at, count, mistakes) {
        return None;
    }
    pairs.put_in_order();
    if let WorkloadsKind::List { file, .. } = &given.kind.value {
        files.reopened.push((file.value.clone(), print.value()));
    }
    let asked = asked.unwrap_or_else(|| sums.asked(setting.stop_at, at));
    Some(Seen {
        source,
        first,
        count,
        sizes,
        sums,
        pairs,
        last,
        asked,
    })
}

fn wrong_line(given: &Workloads, what: &str, list: Option<&List>) -> Diagnostic {
    let (name, at) = file_of(given);
    let line = list.map_or_else(String::new, |own| format!(", in line {}", own.line()));
    let shown = list.map(|own| format!("line {}: `{}`", own.line(), clip(own.as_written())));
    Diagnostic::error("bad-file", format!("`{name}` is not as it should be"))
        .at(at, format!("{what}{line}"))
        .at(&given.rows.at, "read as the run goes on, in order of time")
        .note_if(shown)
        .help(
            "list flows in the order in which they begin; or leave `rows` out: then a list is kept \
             as a whole, and sorted",
        )
}

/// A list with fewer flows than its first line says, as those of HPCC's simulator have.
fn too_few(given: &Workloads, own: Count) -> Option<Diagnostic> {
    let stated = own.stated.filter(|stated| *stated > own.listed)?;
    let (name, at) = file_of(given);
    let what = format!(
        "{} by the first line, {} in the file",
        counted(stated, "flow"),
        own.listed
    );
    let wrong = Diagnostic::warning("bad-file", format!("`{name}` does not say what it has"));
    Some(wrong.at(at, what).help("those that are in it are taken"))
}

/// The file of a list, and where it is named.
fn file_of(given: &Workloads) -> (String, &At) {
    match &given.kind.value {
        WorkloadsKind::List { file, .. } => (clip(&file.value), &file.at),
        WorkloadsKind::Poisson { .. } | WorkloadsKind::Incast { .. } => {
            (clip(&given.name), &given.kind.at)
        }
    }
}

impl Seen {
    /// Hosts that send.
    pub(crate) fn sources(&self) -> impl Iterator<Item = u32> + '_ {
        self.sums.sources()
    }

    /// The group, with a kind for each transport; `kind_of` says which a host has.
    pub(crate) fn group<'r>(
        self,
        table: Table<'r>,
        transports: &[(Rate, TransportSpec)],
        kind_of: BTreeMap<u32, u32>,
    ) -> Group<'r> {
        let (source, first) = (self.source, self.first);
        let kinds = transports.iter().map(|(_, transport)| FlowSpec {
            name: table.name().into(),
            source: first.from,
            destination: first.to,
            others: Vec::new(),
            class: *table.settings.class,
            is_tagged: table.settings.tagged,
            transport: transport.clone(),
            traffic: TrafficSpec::Infinite {
                start: first.at,
                bytes: Some(first.bytes),
            },
        });
        let span = self.last.since(first.at).seconds().max(1e-12);
        let slowest = transports.iter().map(|(line, _)| line.0).min().unwrap_or(1);
        let active = self.sums.bytes() * 8.0 / slowest.max(1) as f64 / span;
        let active = (active * SPARE + FEWEST_ACTIVE).min(self.count as f64);
        let kind_of = Arc::new(kind_of);
        Group {
            spec: ArrivalSpec {
                name: table.name().into(),
                count: u32::try_from(self.count.min(MOST_MEMBERS)).unwrap_or(u32::MAX),
                active: active as u32,
                kinds: kinds.collect(),
                arrivals: ArrivalRecipe::new(move || {
                    Box::new(Told {
                        flows: source.begin(),
                        kind_of: kind_of.clone(),
                        batch: Vec::new(),
                        next: None,
                    })
                }),
            },
            table,
            pairs: self.pairs.all,
            has_more_pairs: self.pairs.is_full,
        }
    }
}

/// Flows as the engine is told of them: those of one instant in the order of their rows.
struct Told {
    flows: Result<Flows, String>,
    kind_of: Arc<BTreeMap<u32, u32>>,
    /// Of one instant, the last first.
    batch: Vec<Arrival>,
    /// The first of the instant after that.
    next: Option<Arrival>,
}

impl Told {
    fn fill(&mut self) -> Result<(), String> {
        let flows = self.flows.as_mut().map_err(|what| what.clone())?;
        let line = |flows: &Flows, what: String| match flows.line() {
            Some(line) => format!("has changed since it was checked: line {line}: {what}"),
            None => what,
        };
        self.batch.extend(self.next.take());
        loop {
            let next = flows.next();
            let next = next.map_err(|what| line(flows, what))?;
            match (next, self.batch.last()) {
                (Some(flow), Some(last)) if last.at != flow.at => {
                    self.next = Some(flow);
                    break;
                }
                (Some(flow), _) => self.batch.push(flow),
                (None, _) => break,
            }
        }
        self.batch.sort_unstable_by(|one, other| other.cmp(one));
        Ok(())
    }
}

impl Arrivals for Told {
    fn next(&mut self) -> Result<Option<Begins>, String> {
        if self.batch.is_empty() {
            self.fill()?;
        }
        let Some(flow) = self.batch.pop() else {
            return Ok(None);
        };
        Ok(Some(Begins {
            at: flow.at,
            source: flow.from,
            destination: flow.to,
            bytes: flow.bytes,
            // A host that was not there before has none.
            kind: self.kind_of.get(&flow.from).copied().unwrap_or(u32::MAX),
        }))
    }
}
