//! The numbers of a scheme: what each is called, and how it follows from what was seen.

use std::cmp::Ordering;
use std::rc::Rc;

use super::recovery::{Recovery, recoveries};
use super::{FlowKind, Observed, SchemeRuns, Seen, VICTIM, WireBytes, Workload, delays};
use crate::charts::{SEEDS_OF_INTERVALS, over_seeds};
use crate::fairness::{Claim, jain, max_min};
use crate::number::{bound, fitting_unit, fixed, significant};

mod messages;
mod programs;

/// One number of a scheme.
#[derive(Clone)]
pub struct Measure {
    /// Its name: heading of a column, label of a row.
    pub name: String,
    /// How it is shown, and so its unit where no other fits.
    pub shown: Shown,
    /// The unit that suits its values better, and how many of it make one of `shown`.
    fitting: Option<(&'static str, f64)>,
    /// Which values are the better ones, where that can be said.
    better: Option<Ordering>,
    /// What it means, in a sentence.
    pub meaning: String,
    /// It stands in the table of the terminal.
    pub is_main: bool,
    /// Of what it is a part, where its name begins with a dash.
    sum: &'static str,
    /// It is a bound from below in runs with incomplete messages.
    may_be_bound: bool,
    value: Rc<Value>,
}

/// How a number follows from what was seen.
type Value = dyn Fn(&Workload, &Observed) -> f64;

/// How a number is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Bits per second, as Mbps.
    Rate,
    /// Between 0 and 1.
    Index,
    /// Times something else.
    Times,
    /// Picoseconds, as ms.
    Time,
    /// Bytes, as kB.
    Bytes,
    /// A share, as %.
    Percent,
    /// A count.
    Count,
}

impl Shown {
    /// Its unit; empty where there is none.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Rate => "Mbps",
            Self::Time => "ms",
            Self::Bytes => "kB",
            Self::Percent => "%",
            Self::Index | Self::Times | Self::Count => "",
        }
    }

    /// The number in that unit.
    pub fn scaled(self, value: f64) -> f64 {
        match self {
            Self::Rate => value * 1e-6,
            Self::Time => value * 1e-9,
            Self::Bytes => value * 1e-3,
            Self::Percent => value * 100.0,
            Self::Index | Self::Times | Self::Count => value,
        }
    }
}

/// Numbers, each declared with how it follows from what was seen.
#[derive(Default)]
struct Declared(Vec<Measure>);

impl Declared {
    /// One that the terminal shows, too.
    fn main(
        &mut self,
        name: impl Into<String>,
        shown: Shown,
        meaning: impl Into<String>,
        value: impl Fn(&Workload, &Observed) -> f64 + 'static,
    ) {
        self.0.push(Measure {
            name: name.into(),
            shown,
            meaning: meaning.into(),
            fitting: None,
            better: Some(Ordering::Less),
            is_main: true,
            sum: "overhead",
            may_be_bound: false,
            value: Rc::new(value),
        });
    }

    /// The last one is of times, which incomplete messages bound from below.
    fn may_be_bound(&mut self) {
        if let Some(last) = self.0.last_mut() {
            last.may_be_bound = true;
        }
    }

    /// Of the last one these are the better values.
    fn better(&mut self, better: Option<Ordering>) {
        if let Some(last) = self.0.last_mut() {
            last.better = better;
        }
    }

    /// The last one is for tables alone.
    fn in_tables(&mut self) {
        self.0
            .iter_mut()
            .rev()
            .take(1)
            .for_each(|last| last.is_main = false);
    }
}

/// The numbers of a workload, in the order of tables.
pub fn measures(workload: &Workload) -> Vec<Measure> {
    let mut all = Declared::default();
    throughputs(workload, &mut all);
    all.main(
        "fairness",
        Shown::Index,
        "Jain's index of the greedy flows' throughput over their max-min fair shares; without two \
         greedy flows, of the throughput of the flows with requests",
        fairness,
    );
    all.better(Some(Ordering::Greater));
    const DELAY: &str = "from the first bit on the sender's link to delivery, of all flows";
    for (name, percent) in [("p50", 50.0), ("p99", 99.0), ("max", 100.0)] {
        all.main(
            format!("delay {name}"),
            Shown::Time,
            DELAY,
            move |_, seen| {
                let all = delays(seen, 0..seen.flows.len());
                match all.count() {
                    0 => f64::NAN,
                    _ => all.percentile(percent) as f64,
                }
            },
        );
    }
    messages::add(workload, &mut all);
    programs::add(workload, &mut all);
    costs(&mut all);
    recovery(workload, &mut all);
    all.0
}

fn throughputs(workload: &Workload, all: &mut Declared) {
    let mut add = |name: String, whose: String, flows: Vec<usize>, better| {
        let meaning = format!("payload delivered after the warm-up, of {whose}");
        all.main(name, Shown::Rate, meaning, move |workload, seen| {
            throughput(workload, seen, &flows)
        });
        all.better(better);
    };
    let everyone = (0..workload.flows.len()).collect();
    let more = Some(Ordering::Greater);
    add("throughput".into(), "all flows".into(), everyone, more);
    let groups = workload.groups();
    if groups.len() > 1 {
        for (name, flows) in groups {
            // What one of the others has more another has less.
            let better = more.filter(|_| name == VICTIM);
            // As those without a group are called.
            let name = if name == "all" { "others" } else { name };
            add(
                format!("- {name}"),
                format!("the group {name}"),
                flows,
                better,
            );
        }
    }
    all.0.iter_mut().for_each(|one| one.sum = "throughput");
}

/// Memory, loss, and what links carry besides payload.
fn costs(all: &mut Declared) {
    all.main(
        "switch buffer max",
        Shown::Bytes,
        "largest number of bytes in the memory of one switch, whole run; cells count with their \
         headers",
        |_, seen| seen.stored_most as f64,
    );
    all.main(
        "all buffers mean",
        Shown::Bytes,
        "mean of the bytes in the memory of all switches together after the warm-up",
        |workload, seen| {
            let first = workload.warm_up_ps.div_ceil(workload.window_ps.max(1)) as usize;
            mean(seen.stored.get(first..).unwrap_or(&[]))
        },
    );
    all.in_tables();
    all.main(
        "loss",
        Shown::Percent,
        "payload dropped over payload that left the sources, retransmissions included, whole run",
        |_, seen| {
            let sum = |bytes: fn(&Seen) -> u64| seen.flows.iter().map(bytes).sum::<u64>();
            match sum(|flow| flow.sent) {
                0 => f64::NAN,
                sent => sum(|flow| flow.lost) as f64 / sent as f64,
            }
        },
    );
    let mut part = |name: &str, meaning: &str, bytes: fn(&WireBytes) -> u64| {
        let value = move |_: &Workload, seen: &Observed| seen.wire.share(bytes(&seen.wire));
        all.main(name, Shown::Percent, meaning, value);
        all.better(Some(Ordering::Less).filter(|_| !name.starts_with("- ")));
    };
    part(
        "overhead",
        "bytes on all links that are not payload, over all bytes there; the sum of the \
         following rows",
        |wire| wire.total() - wire.payload,
    );
    part(
        "- headers",
        "headers, preambles and gaps around payload; 5 bytes of each data cell",
        |wire| wire.headers,
    );
    part(
        "- acknowledgements",
        "frames of TCP without payload",
        |wire| wire.acknowledgements,
    );
    part(
        "- flow control",
        "PAUSE, PFC and stops by destination; credit cells; RM cells",
        |wire| wire.control,
    );
    part(
        "- retransmitted",
        "payload that TCP retransmitted",
        |wire| wire.again,
    );
}

fn recovery(workload: &Workload, all: &mut Declared) {
    if workload.bursts.is_empty() {
        return;
    }
    type Time = fn(&Recovery) -> Option<u64>;
    let back = |all: &mut Declared, who: &str, meaning: &str, time: Time| {
        for (which, of) in [("mean", mean as fn(&[f64]) -> f64), ("max", largest)] {
            let name = format!("{who} recovery {which}");
            all.main(name, Shown::Time, meaning, move |workload, seen| {
                let recovered = recoveries(workload, seen);
                let times = recovered.iter().filter_map(time).map(|time| time as f64);
                of(&times.collect::<Vec<f64>>())
            });
        }
    };
    if workload.flows.iter().any(|flow| flow.group == VICTIM) {
        back(
            all,
            VICTIM,
            "from the end of a burst (its bytes at the rate of its link) until the victims have \
             90 % of their earlier rate again; bursts without recovery are not counted",
            |found| found.victim,
        );
        all.main(
            "victim not recovered",
            Shown::Count,
            "bursts after which the victims did not recover before the next or the end",
            |workload, seen| {
                let recovered = recoveries(workload, seen);
                recovered.iter().filter(|r| r.victim.is_none()).count() as f64
            },
        );
    }
    back(
        all,
        "memory",
        "from the end of a burst until the switches hold no more than before",
        |found| found.memory,
    );
    all.in_tables();
}

impl Measure {
    /// Its name in full, where `name` is that of a part below a sum.
    pub fn full_name(&self) -> String {
        match self.name.strip_prefix("- ") {
            Some(part) => format!("{} {part}", self.sum),
            None => self.name.clone(),
        }
    }

    /// Its name and its unit, in a line of a table.
    pub fn label(&self) -> String {
        match self.unit() {
            "" => self.name.clone(),
            unit => format!("{}, {unit}", self.name),
        }
    }

    /// Its unit; empty where there is none.
    pub fn unit(&self) -> &'static str {
        self.fitting.map_or(self.shown.unit(), |(unit, _)| unit)
    }

    /// A number in that unit.
    pub fn scaled(&self, value: f64) -> f64 {
        self.shown.scaled(value) * self.fitting.map_or(1.0, |(_, factor)| factor)
    }

    /// The measure in the unit that suits its largest value: Gbps where rates are that fast.
    pub fn legible(&self, workload: &Workload, schemes: &[SchemeRuns]) -> Measure {
        let means = schemes.iter().map(|scheme| self.over(workload, scheme).0);
        let most = self.shown.scaled(means.fold(0.0, f64::max));
        Measure {
            fitting: fitting_unit(self.shown.unit(), most),
            ..self.clone()
        }
    }

    /// A number in its unit as people read it.
    fn told(&self, value: f64) -> String {
        let scaled = self.scaled(value);
        match self.shown {
            _ if !scaled.is_finite() => "–".into(),
            Shown::Index => fixed(scaled, 3),
            Shown::Count => fixed(scaled, 0),
            _ if scaled == 0.0 => "0".into(),
            _ if scaled.abs() >= 1000.0 => fixed(scaled, 0),
            // Beside numbers from 1 on.
            Shown::Time | Shown::Bytes | Shown::Rate if scaled.abs() < 1e-3 => "<0.001".into(),
            _ => significant(scaled, 4),
        }
    }

    /// Its mean over the seeds of a scheme in words, `≥` where it is a bound from below.
    pub fn words(&self, workload: &Workload, scheme: &SchemeRuns) -> String {
        let (mean, _) = self.over(workload, scheme);
        let is_bound = mean.is_finite() && self.is_bound(scheme);
        bound(is_bound, self.told(mean))
    }

    /// Half the width of the interval in words, where there are seeds enough for one.
    pub fn half_width(&self, workload: &Workload, scheme: &SchemeRuns) -> Option<String> {
        let (_, half_width) = self.over(workload, scheme);
        let half_width = half_width.filter(|width| *width > 0.0)?;
        let has_seeds = scheme.runs.len() >= SEEDS_OF_INTERVALS;
        has_seeds.then(|| significant(self.scaled(half_width), 2))
    }

    /// By scheme: has it the best value of all, as far as people can read it? None where all have
    /// the same, or where a bound may be as good.
    pub fn best(&self, workload: &Workload, schemes: &[SchemeRuns]) -> Vec<bool> {
        let value = |scheme: &SchemeRuns| {
            let mean = self.over(workload, scheme).0;
            Some(mean).filter(|mean| mean.is_finite() && !self.is_bound(scheme))
        };
        let better = |one: &f64, other: &f64| match self.better {
            Some(Ordering::Greater) => one.total_cmp(other),
            _ => other.total_cmp(one),
        };
        let best = schemes.iter().filter_map(value).max_by(better);
        let best = best.filter(|_| self.better.is_some());
        let best = best.map(|best| self.told(best));
        let is_best = |scheme: &SchemeRuns| {
            let own = value(scheme).map(|own| self.told(own));
            own.is_some() && own == best
        };
        let best: Vec<bool> = schemes.iter().map(is_best).collect();
        match best.iter().all(|is_best| *is_best) {
            true => vec![false; best.len()],
            false => best,
        }
    }

    /// Its value in one run; not a number where there is nothing to measure.
    pub fn value(&self, workload: &Workload, seen: &Observed) -> f64 {
        (self.value)(workload, seen)
    }

    /// Is what was measured under this scheme a bound from below?
    pub fn is_bound(&self, scheme: &SchemeRuns) -> bool {
        let mut flows = scheme.runs.iter().flat_map(|run| &run.seen.flows);
        self.may_be_bound && flows.any(|flow| flow.open() > 0)
    }

    /// Its mean over the seeds of a scheme, and half the width of the 95 % interval; none where
    /// all seeds gave one run, nor of bounds.
    pub fn over(&self, workload: &Workload, scheme: &SchemeRuns) -> (f64, Option<f64>) {
        let values = scheme
            .runs
            .iter()
            .map(|run| self.value(workload, &run.seen));
        let (mean, half_width) = over_seeds(values.clone());
        if self.is_bound(scheme) {
            let are_all = values.clone().all(f64::is_finite);
            return (if are_all { mean } else { f64::NAN }, None);
        }
        let half_width = half_width.filter(|_| !scheme.is_without_chance());
        // Seeds that agree: what is left is the rounding of the sum.
        let told = |width: f64| {
            if width <= mean.abs() * 1e-9 {
                0.0
            } else {
                width
            }
        };
        (mean, half_width.map(told))
    }
}

/// Payload of these flows after the warm-up, bits per second.
pub(super) fn throughput(workload: &Workload, seen: &Observed, flows: &[usize]) -> f64 {
    let bytes = flows.iter().map(|flow| seen.flows[*flow].payload);
    bytes.sum::<u64>() as f64 * 8.0 / workload.measured_seconds()
}

/// The max-min fair share of each greedy flow beside constant ones, bits per second on the link;
/// 0 for the others.
pub(super) fn shares(workload: &Workload) -> Vec<f64> {
    let claims: Vec<Claim> = workload
        .flows
        .iter()
        .map(|flow| Claim {
            loads: flow.path.iter().map(|channel| (*channel, 1.0)).collect(),
            demand: flow.kind.demand(),
            ..Claim::default()
        })
        .collect();
    let rates: Vec<f64> = workload.rates_bps.iter().map(|rate| *rate as f64).collect();
    max_min(&rates, &claims).rates
}

fn fairness(workload: &Workload, seen: &Observed) -> f64 {
    let shares = shares(workload);
    let of = |wanted: fn(&FlowKind) -> bool| {
        let flows = 0..workload.flows.len();
        let flows = flows.filter(|flow| wanted(&workload.flows[*flow].kind));
        flows.collect::<Vec<usize>>()
    };
    let greedy = of(|kind| *kind == FlowKind::Greedy);
    let asking = of(|kind| matches!(kind, FlowKind::Requests(..)));
    let values: Vec<f64> = match (greedy.len(), asking.len()) {
        (2.., _) => greedy
            .iter()
            .map(|flow| seen.flows[*flow].payload as f64 / shares[*flow])
            .collect(),
        (_, 2..) => asking
            .iter()
            .map(|flow| seen.flows[*flow].payload as f64)
            .collect(),
        _ => Vec::new(),
    };
    match values.iter().sum::<f64>() > 0.0 {
        true => jain(&values),
        false => f64::NAN,
    }
}

fn mean(values: &[f64]) -> f64 {
    match values.len() {
        0 => f64::NAN,
        count => values.iter().sum::<f64>() / count as f64,
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NAN, f64::max)
}

/// What `percent` of the sorted values don't exceed.
fn at(values: &[f64], percent: f64) -> f64 {
    let rank = (percent / 100.0 * values.len() as f64).ceil() as usize;
    let last = values.len().saturating_sub(1);
    values
        .get(rank.saturating_sub(1).min(last))
        .copied()
        .unwrap_or(f64::NAN)
}
