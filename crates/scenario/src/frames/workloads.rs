//! Flows that begin while the run goes on: when, between which hosts, and with how many bytes.
//!
//! Gaps are exponential. Their mean is the mean size over the payload rate that `load` asks for, so
//! a run offers `load` on average; with sizes of a heavy tail it takes many flows to come near it.

use backwater_kernel::words::counted;
use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::{Duration, Purpose, Rate, Stream, Time};
use backwater_net::frames::spec::LinkSpec;

use super::asked::{Asked, Sums};
use super::draws::{Incasts, Law, OfHost, Shared};
use super::flow_list::{self, Arrival, Chained};
use super::flow_sizes::SizeLaw;
use super::net::Net;
use crate::given::frames::workloads::{Between, Rows, StartUnit, Workloads, WorkloadsKind};
use crate::language::files::Files;
use crate::language::units::{self, Decimal, LONGEST_PS};
use crate::network::patterns::{self, Room};
use crate::prelude::*;

/// A gap in picoseconds is doubled mean size x this / rate: 8 bits a byte, 10^12 ps a second, over
/// 2 x 10^9 for the unit of doubled means.
const GAP_SCALE: u128 = 4_000;

/// What a workload is drawn in.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub net: &'a Net<'a>,
    pub links: &'a [LinkSpec],
    pub seed: u64,
    pub stop_at: Time,
    pub room: Room,
}

/// A workload whose hosts are known.
struct Plan<'a> {
    /// Its number in the file.
    number: u64,
    /// All its flows are made before the run.
    is_kept: bool,
    setting: Setting<'a>,
    from: Vec<u32>,
    to: Vec<u32>,
    /// Flows begin from here on, up to there.
    span: (Time, Time),
}

/// The flows of a workload.
pub(crate) struct Begun {
    /// In the order in which they begin.
    pub all: Vec<Arrival>,
    pub asked: Asked,
    /// Of a list: what waits for others, and by place in the file which of `all` each flow is.
    pub chained: Option<(Chained, Vec<Option<usize>>)>,
}

/// The flows of a workload; `None` if something is wrong, which is then told.
pub(crate) fn arrivals(
    (given, number): (&Workloads, u64),
    setting: Setting<'_>,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Option<Begun> {
    match drawn((given, number), setting, files, mistakes)? {
        Either::Drawn(drawn) => {
            let (law, expected, asked) = *drawn;
            let mut all = law.all();
            all.sort();
            if all.is_empty() {
                never_starts(given, expected, None, mistakes);
            }
            Some(Begun {
                all,
                asked,
                chained: None,
            })
        }
        Either::Listed(file) => listed((given, file), setting, files, mistakes),
    }
}

fn listed(
    (given, file): (&Workloads, &Placed<String>),
    setting: Setting<'_>,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Option<Begun> {
    let span = span(given, setting);
    let read = files.read(file.sure()?, &file.at, mistakes)?;
    let (mut lines, chained) = flow_list::read(read, start_unit(given), setting.net, mistakes)?;
    let mut waits = vec![false; lines.len()];
    for own in &chained.waits {
        // What waits begins when it may, though nothing of the list begins before.
        lines[own.flow].at = lines[own.flow].at.max(span.0);
        waits[own.flow] = true;
    }
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.retain(|at| (span.0..span.1).contains(&lines[*at].at));
    order.sort_by_key(|at| lines[*at]);
    // When those that wait begin, nobody knows before the run.
    let mut sums = Sums::default();
    let known = order.iter().filter(|at| !waits[**at]);
    known.for_each(|at| sums.add(&lines[*at]));
    let all: Vec<Arrival> = order.iter().map(|at| lines[*at]).collect();
    if all.is_empty() {
        let first = lines.iter().map(|flow| flow.at).min();
        never_starts(given, lines.len() as f64, first, mistakes);
    }
    let mut places = vec![None; lines.len()];
    for (place, at) in order.into_iter().enumerate() {
        places[at] = Some(place);
    }
    Some(Begun {
        all,
        asked: sums.asked(setting.stop_at, &file.at),
        chained: Some((chained, places)),
    })
}

/// What starts of a list count, if that is said.
pub(crate) fn start_unit(given: &Workloads) -> Option<&Placed<Option<StartUnit>>> {
    match given.kind.sure()? {
        WorkloadsKind::List { start_unit, .. } => Some(start_unit),
        WorkloadsKind::Poisson { .. } | WorkloadsKind::Incast { .. } => None,
    }
}

/// Flows begin from here on, up to there.
pub(crate) fn span(given: &Workloads, setting: Setting<'_>) -> (Time, Time) {
    let stop = given.stop.unwrap_or(setting.stop_at).min(setting.stop_at);
    (*given.start, stop)
}

/// Flows are drawn by a law, or listed in a file.
pub(crate) enum Either<'a> {
    Drawn(Box<Drawn>),
    Listed(&'a Placed<String>),
}

/// Where the flows of a workload come from; `None` if something is wrong, which is then told.
pub(crate) fn drawn<'a>(
    (given, number): (&'a Workloads, u64),
    setting: Setting<'_>,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Option<Either<'a>> {
    let span = span(given, setting);
    let is_kept = given.rows.value == Rows::Flows;
    let plan = |between: &Between, mistakes: &mut Diagnostics| {
        let at = &given.kind.at;
        Plan::read((between, at), (number, is_kept), (setting, span), mistakes)
    };
    Some(match given.kind.sure()? {
        WorkloadsKind::Poisson {
            load,
            sizes,
            between,
        } => {
            let law = SizeLaw::read(sizes, files, mistakes)?;
            let drawn = plan(between, mistakes)?.poisson(load, &law, mistakes)?;
            Either::Drawn(Box::new(drawn))
        }
        WorkloadsKind::Incast {
            load,
            senders,
            sizes,
            between,
        } => {
            let law = SizeLaw::read(sizes, files, mistakes)?;
            let drawn = plan(between, mistakes)?.incast(load, senders, &law, mistakes)?;
            Either::Drawn(Box::new(drawn))
        }
        WorkloadsKind::List { file, .. } => Either::Listed(file),
    })
}

/// Says that no flow begins in the run; `first` is when the first of a list would.
pub(crate) fn never_starts(
    given: &Workloads,
    expected: f64,
    first: Option<Time>,
    mistakes: &mut Diagnostics,
) {
    let name = clip(&given.name);
    let (note, help) = match given.kind.value {
        WorkloadsKind::List { .. } => {
            let first = first.map(|first| format!(", the first begins at {} s", first.seconds()));
            let first = first.unwrap_or_default();
            (
                format!("the file lists {}{first}", counted(expected as u64, "flow")),
                "make `run.duration` longer, or list flows that begin earlier",
            )
        }
        WorkloadsKind::Poisson { .. } | WorkloadsKind::Incast { .. } => (
            format!("with another seed {expected:.3} would, on average"),
            "make `run.duration` longer, or raise `load`",
        ),
    };
    Diagnostic::warning("never-starts", format!("no flow of `{name}` begins"))
        .at(&given.kind.at, "none between `start` and `stop`")
        .note(note)
        .help(help)
        .tell(mistakes);
}

/// Bits a second by host.
pub(crate) type Rates = Vec<(u32, f64)>;

/// By what flows are drawn, how many there would be on average, and what they ask for.
type Drawn = (Law, f64, Asked);

impl<'a> Plan<'a> {
    fn read(
        (between, at): (&Between, &At),
        (number, is_kept): (u64, bool),
        (setting, span): (Setting<'a>, (Time, Time)),
        mistakes: &mut Diagnostics,
    ) -> Option<Self> {
        let from = patterns::hosts(&between.from, setting.net, mistakes);
        let to = patterns::hosts(&between.to, setting.net, mistakes);
        let (from, to) = (from?, to?);
        let can_send = |host: &u32| to.iter().any(|to| to != host);
        if let Some(alone) = from.iter().find(|host| !can_send(host)) {
            let name = clip(setting.net.name(*alone));
            let at = between.to.place().unwrap_or(at);
            Diagnostic::error("bad-pattern", format!("`{name}` has no host to send to"))
                .at(at, "a flow goes from one host to another")
                .help("name more hosts in `to`, or leave it out")
                .tell(mistakes);
            return None;
        }
        Some(Plan {
            number,
            is_kept,
            setting,
            from,
            to,
            span,
        })
    }

    /// A host's flows, each host by itself.
    fn poisson(
        &self,
        load: &Placed<Decimal>,
        law: &SizeLaw,
        mistakes: &mut Diagnostics,
    ) -> Option<Drawn> {
        let rates = self.rates(load)?;
        let gaps: Vec<Duration> = rates.iter().map(|rate| gap(law, 1, *rate)).collect();
        let expected = self.expected(gaps.iter().map(|gap| (*gap, 1)));
        self.refuse_many(load, expected, mistakes)?;
        let places: BTreeMap<u32, usize> = self.to.iter().copied().zip(0..).collect();
        let shared = Shared::new(self.to.clone(), law.clone(), self.span.1);
        let hosts = self.from.iter().zip(gaps).map(|(from, gap)| OfHost {
            shared: shared.clone(),
            from: *from,
            gap,
            at: self.span.0,
            dice: self.dice(u64::from(*from)),
        });
        let hosts = hosts.collect();
        let bits: Vec<f64> = rates.iter().map(|rate| rate.0 as f64).collect();
        let part = |from: &u32, bits: f64| {
            let others = self.to.len() - usize::from(places.contains_key(from));
            bits / others.max(1) as f64
        };
        let parts: Vec<f64> = self
            .from
            .iter()
            .zip(&bits)
            .map(|(h, b)| part(h, *b))
            .collect();
        let all_parts: f64 = parts.iter().sum();
        let own: BTreeMap<u32, f64> = self.from.iter().copied().zip(parts).collect();
        let received = |to: &u32| (*to, all_parts - own.get(to).unwrap_or(&0.0));
        let sent = self.from.iter().copied().zip(bits).collect();
        let received = self.to.iter().map(received).collect();
        let pairs = (
            own.iter().map(|(host, bits)| (*host, *bits)).collect(),
            self.to.iter().map(|host| (*host, 1.0)).collect(),
        );
        let asked = self.asked((sent, received), pairs, law, load);
        Some((Law::Hosts(hosts), expected, asked))
    }

    /// Rates of payload by host, while flows begin.
    fn asked(
        &self,
        (sent, received): (Rates, Rates),
        pairs: (Rates, Rates),
        law: &SizeLaw,
        load: &Placed<Decimal>,
    ) -> Asked {
        let during = |all: Rates| {
            let all = all.into_iter();
            all.map(|(host, bits)| (host, bits, self.span)).collect()
        };
        Asked {
            sent: during(sent),
            received: during(received),
            pairs: Some((pairs, self.span)),
            mean_bytes: law.doubled_mean() as f64 / 2e9,
            share: load.approximate(),
            at: Some(load.at.clone()),
        }
    }

    /// Many to one, now here, now there.
    fn incast(
        &self,
        load: &Placed<Decimal>,
        senders: &Placed<u32>,
        law: &SizeLaw,
        mistakes: &mut Diagnostics,
    ) -> Option<Drawn> {
        let count = *senders.sure()? as usize;
        let known: BTreeSet<&u32> = self.from.iter().collect();
        let most = self.from.len() - usize::from(self.to.iter().any(|to| known.contains(to)));
        if count > most {
            Diagnostic::error("bad-pattern", "there are too few hosts for this incast")
                .at(&senders.at, format!("{most} can send to one"))
                .help(format!(
                    "lower `senders` to {most}, or name more hosts in `from`"
                ))
                .tell(mistakes);
            return None;
        }
        let rates = self.rates(load)?;
        let sum = rates
            .iter()
            .fold(0_u64, |sum, rate| sum.saturating_add(rate.0));
        let gap = gap(law, count as u64, Rate(sum));
        let expected = self.expected([(gap, count)].into_iter());
        self.refuse_many(load, expected, mistakes)?;
        let incasts = Incasts {
            shared: Shared::new(self.to.clone(), law.clone(), self.span.1),
            pool: self.from.clone(),
            count,
            gap,
            at: self.span.0,
            dice: self.dice(u64::from(u32::MAX)),
            drawn: Vec::new(),
        };
        let even = |hosts: &[u32]| -> Rates {
            let each = sum as f64 / hosts.len().max(1) as f64;
            hosts.iter().map(|host| (*host, each)).collect()
        };
        let asked = (even(&self.from), even(&self.to));
        // To each, in equal parts from all but itself.
        let known: BTreeSet<&u32> = self.from.iter().collect();
        let part = |(host, bits): (u32, f64)| {
            let others = self.from.len() - usize::from(known.contains(&host));
            (host, bits / others.max(1) as f64)
        };
        let pairs = (
            self.from.iter().map(|host| (*host, 1.0)).collect(),
            even(&self.to).into_iter().map(part).collect(),
        );
        let asked = self.asked(asked, pairs, law, load);
        Some((Law::Incasts(incasts), expected, asked))
    }

    /// What each of `from` is to offer.
    fn rates(&self, load: &Placed<Decimal>) -> Option<Vec<Rate>> {
        let load = *load.sure()?;
        let rate = |host: &u32| {
            let around = self.setting.net.neighbours[*host as usize].iter();
            let rates = around.map(|(_, channel)| {
                let link = self.setting.links.get(*channel as usize / 2)?;
                Some(link.channels[*channel as usize % 2].rate.0)
            });
            // Of several links all.
            let rate = rates.reduce(|sum, own| Some(sum?.saturating_add(own?)))??;
            Some(units::share_of(Rate(rate), load))
        };
        self.from.iter().map(rate).collect()
    }

    fn dice(&self, entity: u64) -> Stream {
        let entity = self.number << 32 | entity;
        Stream::new(self.setting.seed, entity, Purpose::Workload)
    }

    /// Are that more flows than there is room for? Asked before they are drawn.
    fn refuse_many(
        &self,
        load: &Placed<Decimal>,
        expected: f64,
        mistakes: &mut Diagnostics,
    ) -> Option<()> {
        let room = match self.is_kept {
            true => self.setting.room,
            false => self.setting.room.of_members(),
        };
        (!room.refuses(&load.at, expected as u64, mistakes)).then_some(())
    }

    /// How many flows begin on average, where so many begin at each of these gaps.
    fn expected(&self, gaps: impl Iterator<Item = (Duration, usize)>) -> f64 {
        let span = self.span.1.ps().saturating_sub(self.span.0.ps()) as f64;
        gaps.map(|(gap, flows)| span / gap.ps() as f64 * flows as f64)
            .sum()
    }
}

/// The mean gap between beginnings of so many flows each.
fn gap(law: &SizeLaw, flows: u64, rate: Rate) -> Duration {
    let ps = law.doubled_mean() * u128::from(flows) * GAP_SCALE / u128::from(rate.0.max(1));
    Duration(u64::try_from(ps).unwrap_or(LONGEST_PS).clamp(1, LONGEST_PS))
}
