//! The numbers of a scheme: what each is called, and how it follows from what was seen.

use backwater_kernel::stats::interval_of_means;

use super::recovery::recoveries;
use super::{FlowKind, Observed, SchemeRuns, VICTIM, Workload, delays};
use crate::fairness::{Claim, jain, max_min};
use crate::number::{fixed, rate_unit, significant};

mod messages;

use messages::{slowdowns, times};

/// One number of a scheme.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Its name: heading of a column, label of a row.
    pub name: String,
    /// How it is shown, and so its unit.
    pub shown: Shown,
    /// What it means, in a sentence.
    pub meaning: String,
    /// It stands in the table of the terminal.
    pub is_main: bool,
    what: What,
}

/// How a number is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Bits per second, as Mbps.
    Rate,
    /// The same as Gbps.
    FastRate,
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

/// What a number is.
#[derive(Clone, Debug, PartialEq)]
enum What {
    /// Of these flows.
    Throughput(Vec<usize>),
    Fairness,
    Delay(f64),
    MessageMean,
    MessageAt(f64),
    SlowdownMean,
    SlowdownAt(f64),
    MessagesDone,
    MessagesOpen,
    StoredMost,
    StoredMean,
    Loss,
    Overhead,
    Headers,
    Acknowledgements,
    Control,
    Again,
    VictimBack(Over),
    MemoryBack(Over),
    NotBack,
}

/// Over all bursts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    Mean,
    Worst,
}

impl Shown {
    /// Its unit; empty where there is none.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Rate => "Mbps",
            Self::FastRate => "Gbps",
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
            Self::FastRate => value * 1e-9,
            Self::Time => value * 1e-9,
            Self::Bytes => value * 1e-3,
            Self::Percent => value * 100.0,
            Self::Index | Self::Times | Self::Count => value,
        }
    }

    /// The number in that unit, as people read it.
    pub fn words(self, value: f64) -> String {
        let scaled = self.scaled(value);
        match self {
            _ if !scaled.is_finite() => "–".into(),
            Self::Index => fixed(scaled, 3),
            Self::Count => fixed(scaled, 0),
            _ if scaled == 0.0 => "0".into(),
            _ if scaled.abs() >= 1000.0 => fixed(scaled, 0),
            _ => significant(scaled, 4),
        }
    }
}

/// The numbers of a workload, in the order of tables.
pub fn measures(workload: &Workload) -> Vec<Measure> {
    let mut all = throughputs(workload);
    let mut add = |name: &str, shown, is_main, what, meaning: &str| {
        all.push(Measure {
            name: name.into(),
            shown,
            meaning: meaning.into(),
            is_main,
            what,
        });
    };
    add(
        "fairness",
        Shown::Index,
        true,
        What::Fairness,
        "Jain's index of the greedy flows' throughput over their max-min fair shares; without two \
         greedy flows, of the throughput of the flows with requests",
    );
    const DELAY: &str = "from the first bit on the sender's link to delivery, of all flows";
    for (name, percent) in [("p50", 50.0), ("p99", 99.0), ("max", 100.0)] {
        let name = format!("delay {name}");
        add(&name, Shown::Time, true, What::Delay(percent), DELAY);
    }
    messages::add(workload, &mut add);
    costs(&mut add);
    recovery(workload, &mut add);
    all
}

fn throughputs(workload: &Workload) -> Vec<Measure> {
    let measure = |name: String, meaning: String, flows| Measure {
        name,
        shown: Shown::Rate,
        meaning,
        is_main: true,
        what: What::Throughput(flows),
    };
    let mut all = vec![measure(
        "throughput".into(),
        "payload delivered after the warm-up, of all flows".into(),
        (0..workload.flows.len()).collect(),
    )];
    let groups = workload.groups();
    if groups.len() > 1 {
        all.extend(groups.into_iter().map(|(name, flows)| {
            let meaning = format!("payload delivered after the warm-up, of the group {name}");
            measure(format!("- {name}"), meaning, flows)
        }));
    }
    all
}

/// Memory, loss, and what links carry besides payload.
fn costs(add: &mut impl FnMut(&str, Shown, bool, What, &str)) {
    add(
        "switch buffer max",
        Shown::Bytes,
        true,
        What::StoredMost,
        "largest number of bytes in the memory of one switch, whole run; cells count with their \
         headers",
    );
    add(
        "all buffers mean",
        Shown::Bytes,
        false,
        What::StoredMean,
        "mean of the bytes in the memory of all switches together after the warm-up",
    );
    add(
        "loss",
        Shown::Percent,
        true,
        What::Loss,
        "payload dropped over payload that left the sources, retransmissions included, whole run",
    );
    add(
        "overhead",
        Shown::Percent,
        true,
        What::Overhead,
        "bytes on all links that are not payload, over all bytes there; the sum of the \
         following rows",
    );
    let parts = [
        (
            "- headers",
            What::Headers,
            "headers, preambles and gaps around payload; 5 bytes of each data cell",
        ),
        (
            "- acknowledgements",
            What::Acknowledgements,
            "frames of TCP without payload",
        ),
        (
            "- flow control",
            What::Control,
            "PAUSE, PFC and stops by destination; credit cells; RM cells",
        ),
        (
            "- retransmitted",
            What::Again,
            "payload that TCP retransmitted",
        ),
    ];
    for (name, what, meaning) in parts {
        add(name, Shown::Percent, true, what, meaning);
    }
}

fn recovery(workload: &Workload, add: &mut impl FnMut(&str, Shown, bool, What, &str)) {
    if workload.bursts.is_empty() {
        return;
    }
    const VICTIM_MEANS: &str = "from the end of a burst (its bytes at the rate of its link) \
                                until the victims have 90 % of their earlier rate again; bursts \
                                without recovery are not counted";
    const MEMORY_MEANS: &str =
        "from the end of a burst until the switches hold no more than before";
    if workload.flows.iter().any(|flow| flow.group == VICTIM) {
        let what = What::VictimBack(Over::Mean);
        add(
            "victim recovery mean",
            Shown::Time,
            true,
            what,
            VICTIM_MEANS,
        );
        let what = What::VictimBack(Over::Worst);
        add("victim recovery max", Shown::Time, true, what, VICTIM_MEANS);
        add(
            "victim not recovered",
            Shown::Count,
            true,
            What::NotBack,
            "bursts after which the victims did not recover before the next or the end",
        );
    }
    let what = What::MemoryBack(Over::Mean);
    add(
        "memory recovery mean",
        Shown::Time,
        true,
        what,
        MEMORY_MEANS,
    );
    let what = What::MemoryBack(Over::Worst);
    add(
        "memory recovery max",
        Shown::Time,
        false,
        what,
        MEMORY_MEANS,
    );
}

impl Measure {
    /// Its name in full, where `name` is that of a part below a sum.
    pub fn full_name(&self) -> String {
        let sum = match self.what {
            What::Throughput(_) => "throughput",
            _ => "overhead",
        };
        match self.name.strip_prefix("- ") {
            Some(part) => format!("{sum} {part}"),
            None => self.name.clone(),
        }
    }

    /// The same in the unit that suits its largest value: Gbps where rates are that fast.
    pub fn legible(&self, workload: &Workload, schemes: &[SchemeRuns]) -> Measure {
        let mut measure = self.clone();
        let means = schemes.iter().map(|scheme| self.over(workload, scheme).0);
        let most = means.fold(0.0, f64::max);
        if measure.shown == Shown::Rate && rate_unit(most).0 == Shown::FastRate.unit() {
            measure.shown = Shown::FastRate;
        }
        measure
    }

    /// Its value in one run; not a number where there is nothing to measure.
    pub fn value(&self, workload: &Workload, seen: &Observed) -> f64 {
        let wire = &seen.wire;
        match &self.what {
            What::Throughput(flows) => throughput(workload, seen, flows),
            What::Fairness => fairness(workload, seen),
            What::Delay(percent) => {
                let all = delays(seen, 0..seen.flows.len());
                match all.count() {
                    0 => f64::NAN,
                    _ => all.percentile(*percent) as f64,
                }
            }
            What::MessageMean => mean(&times(workload, seen)),
            What::MessageAt(percent) => at(&times(workload, seen), *percent),
            What::SlowdownMean => mean(&slowdowns(workload, seen)),
            What::SlowdownAt(percent) => at(&slowdowns(workload, seen), *percent),
            What::MessagesDone => times(workload, seen).len() as f64,
            What::MessagesOpen => {
                let open = seen.flows.iter().map(|flow| flow.open(workload.warm_up_ps));
                open.sum::<u64>() as f64
            }
            What::StoredMost => seen.stored_most as f64,
            What::StoredMean => {
                let first = workload.warm_up_ps.div_ceil(workload.window_ps.max(1)) as usize;
                mean(seen.stored.get(first..).unwrap_or(&[]))
            }
            What::Loss => {
                let sum =
                    |bytes: fn(&super::Seen) -> u64| seen.flows.iter().map(bytes).sum::<u64>();
                match sum(|flow| flow.sent) {
                    0 => f64::NAN,
                    sent => sum(|flow| flow.lost) as f64 / sent as f64,
                }
            }
            What::Overhead => wire.share(wire.total() - wire.payload),
            What::Headers => wire.share(wire.headers),
            What::Acknowledgements => wire.share(wire.acknowledgements),
            What::Control => wire.share(wire.control),
            What::Again => wire.share(wire.again),
            What::VictimBack(over) => {
                over.of(recoveries(workload, seen).iter().filter_map(|r| r.victim))
            }
            What::MemoryBack(over) => {
                over.of(recoveries(workload, seen).iter().filter_map(|r| r.memory))
            }
            What::NotBack => {
                let found = recoveries(workload, seen);
                found.iter().filter(|r| r.victim.is_none()).count() as f64
            }
        }
    }

    /// Its mean over the seeds of a scheme, and half the width of the 95 % interval.
    pub fn over(&self, workload: &Workload, scheme: &SchemeRuns) -> (f64, Option<f64>) {
        let values = scheme
            .runs
            .iter()
            .map(|run| self.value(workload, &run.seen));
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        match (interval_of_means(&values), values.as_slice()) {
            // Seeds that agree: what is left is the rounding of the sum.
            (Some((mean, half_width)), _) if half_width <= mean.abs() * 1e-9 => (mean, Some(0.0)),
            (Some((mean, half_width)), _) => (mean, Some(half_width)),
            (None, [only]) => (*only, None),
            (None, _) => (f64::NAN, None),
        }
    }
}

impl Over {
    fn of(self, times: impl Iterator<Item = u64>) -> f64 {
        let times: Vec<f64> = times.map(|time| time as f64).collect();
        match self {
            Self::Mean => mean(&times),
            Self::Worst => times.iter().copied().fold(f64::NAN, f64::max),
        }
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
            demand: match flow.kind {
                FlowKind::Greedy => f64::INFINITY,
                FlowKind::Constant(rate) => rate as f64,
                FlowKind::Bursts(..) | FlowKind::Requests(..) => 0.0,
            },
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

/// What `percent` of the sorted values don't exceed.
fn at(values: &[f64], percent: f64) -> f64 {
    let rank = (percent / 100.0 * values.len() as f64).ceil() as usize;
    let last = values.len().saturating_sub(1);
    values
        .get(rank.saturating_sub(1).min(last))
        .copied()
        .unwrap_or(f64::NAN)
}
