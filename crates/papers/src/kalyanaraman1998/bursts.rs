//! Sections 7.2.3 to 7.2.5: closed-loop bursts of three sizes beside an endless source.

use results::{Block, Cell, Table};

use super::CLIENT;
use super::policies::{
    AGED, AUGUST, BASELINE, COUNT, JOINT, NONE, Policy, Sets, TIME, TIME_OUT, run,
};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError, Run};
use crate::measured::{Finding, Measured};

pub const RESPONSE: &str = "flows.client.traffic.response_units";
/// ICR, and the headroom that section 5.2.6 recommends.
pub const HEADROOM: &str = "10 Mbps";
const ICR_BPS: u64 = 10_000_000;
const CELL_BITS: f64 = 424.0;

const POLICIES: [Policy; 8] = [NONE, AUGUST, BASELINE, COUNT, TIME, JOINT, TIME_OUT, AGED];

/// A size of responses, how long to run and from when to count.
struct Size {
    name: &'static str,
    words: &'static str,
    cells: &'static str,
    duration: &'static str,
    from_ms: u64,
}

const SMALL: Size = Size {
    name: "bursts-small",
    words: "Small bursts, 16 cells, below Nrm; counted after the first second",
    cells: "16",
    duration: "3 s",
    from_ms: 1000,
};
const MEDIUM: Size = Size {
    name: "bursts-medium",
    words: "Medium bursts, 256 cells, shorter than a round trip",
    cells: "256",
    duration: "1 s",
    from_ms: 200,
};
const LARGE: Size = Size {
    name: "bursts-large",
    words: "Large bursts, 8192 cells, longer than a round trip",
    cells: "8192",
    duration: "1.5 s",
    from_ms: 200,
};

const WORDS: &str = "Response time: from the arrival of a burst at its source until its last cell \
    is out. Effective throughput: its data over that time; mean source rate: with RM cells. High: \
    the first cell went at more than twice ICR. Triggers: reductions by the policy in a burst. \
    Small bursts hold less than Nrm cells, so most have no RM cell of their own: the \
    time-based policy takes the rate away at once and, with rule 5b, about one of three bursts \
    finds it high; the count-based one holds it at ICR. 120 Mbps of medium bursts is 7/8 of 140, \
    one step of the count-based policy; 68 is 140 (1 - T/Tc) with T the pause before the burst. \
    The final time-out acts like no policy, as no pause lasts 500 ms; aging in the switch leaves \
    bursts at ICR.";

pub fn section_72(lab: &Lab) -> Result<Evidence, LabError> {
    let [small, medium, large] = [SMALL, MEDIUM, LARGE].map(|size| every_policy(lab, size));
    let (small, medium, large) = (small?, medium?, large?);
    Ok(Evidence {
        findings: vec![
            Finding {
                claim: "kalyanaraman1998.sec724.medium-bursts",
                scenario: CLIENT,
                measured: vec![
                    Measured::new("count", of(&medium, COUNT).rate_mbps),
                    Measured::new("time", of(&medium, TIME).rate_mbps),
                ],
            },
            Finding {
                claim: "kalyanaraman1998.sec723.small-bursts",
                scenario: CLIENT,
                measured: vec![
                    Measured::new("time_share_high", of(&small, TIME).share_high),
                    Measured::new("count_share_high", of(&small, COUNT).share_high),
                ],
            },
        ],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(table(&SMALL, &small)),
            Block::Table(table(&MEDIUM, &medium)),
            Block::Table(table(&LARGE, &large)),
        ],
    })
}

/// What the server's bursts got.
#[derive(Clone, Copy, Default)]
pub struct Bursts {
    pub count: usize,
    pub response_ms: f64,
    pub effective_mbps: f64,
    pub rate_mbps: f64,
    pub share_high: f64,
    pub triggers: f64,
    pub queue_peak: f64,
}

impl Bursts {
    /// Runs with responses of `cells` and looks at bursts that came after `from_ms`; `icr_bps` is
    /// what ICR was.
    pub fn run(lab: &Lab, sets: &Sets, from_ms: u64, icr_bps: u64) -> Result<Bursts, LabError> {
        Ok(Bursts::of(&run(lab, CLIENT, sets)?, from_ms, icr_bps))
    }

    fn of(run: &Run<()>, from_ms: u64, icr_bps: u64) -> Bursts {
        let abr = run.flow("client back").abr.as_deref();
        let bursts = abr.map_or(&[][..], |abr| &abr.bursts);
        let late = bursts
            .iter()
            .filter(|b| b.arrived.ps() >= from_ms * 1_000_000_000);
        let sent: Vec<_> = late
            .filter_map(|burst| Some((burst, (burst.response()? + run.scenario.cell).seconds())))
            .collect();
        let mean = |value: &dyn Fn(usize) -> f64| {
            (0..sent.len()).map(value).sum::<f64>() / sent.len() as f64
        };
        let mbps = |cells: u64, seconds: f64| cells as f64 * CELL_BITS / seconds / 1e6;
        let between = run.channel("Y->X").rate;
        Bursts {
            count: sent.len(),
            response_ms: mean(&|k| 1e3 * sent[k].1),
            effective_mbps: mean(&|k| mbps(sent[k].0.data_cells, sent[k].1)),
            rate_mbps: mean(&|k| mbps(sent[k].0.in_rate_cells, sent[k].1)),
            share_high: mean(&|k| f64::from(u8::from(sent[k].0.first_acr.0 > 2 * icr_bps))),
            triggers: mean(&|k| sent[k].0.reductions as f64),
            queue_peak: between.map_or(f64::NAN, |rate| rate.queue_max as f64),
        }
    }

    /// Its row in a table with [`columns`].
    pub fn row(&self, first: Vec<Cell>) -> Vec<Cell> {
        let mut row = first;
        row.push(Cell::Int(self.count as i64));
        let numbers = [
            (self.response_ms, 3),
            (self.effective_mbps, 1),
            (self.rate_mbps, 1),
            (self.share_high, 3),
            (self.triggers, 2),
            (self.queue_peak, 0),
        ];
        row.extend(numbers.map(|(value, digits)| Cell::float(value, digits)));
        row
    }
}

/// Columns of [`Bursts::row`].
pub fn columns(first: Vec<results::Column>) -> Vec<results::Column> {
    let mut columns = first;
    columns.extend([
        column("bursts", "", "bursts of the server that were sent"),
        column("response", "ms", "mean burst response time"),
        column("effective", "Mbps", "mean effective throughput"),
        column("source rate", "Mbps", "mean source rate in a burst"),
        column("high", "", "share of bursts that started above 2 ICR"),
        column("triggers", "", "reductions by the policy, a burst"),
        column(
            "peak queue",
            "cells",
            "most ABR cells that waited at Y for X",
        ),
    ]);
    columns
}

fn every_policy(lab: &Lab, size: Size) -> Result<Vec<Bursts>, LabError> {
    let one = |policy: &Policy| {
        let mut sets = policy.sets(HEADROOM);
        sets.push((RESPONSE, size.cells.into()));
        sets.push(("run.duration", size.duration.into()));
        Bursts::run(lab, &sets, size.from_ms, ICR_BPS)
    };
    lab.each(&POLICIES, one)
}

fn of(found: &[Bursts], policy: Policy) -> Bursts {
    let at = POLICIES.iter().position(|one| one.name == policy.name);
    found[at.expect("a policy that ran")]
}

fn table(size: &Size, found: &[Bursts]) -> Table {
    let row = |(policy, bursts): (&Policy, &Bursts)| bursts.row(vec![policy.name.into()]);
    Table {
        name: size.name.into(),
        caption: format!("{}; ICR 10 Mbps.", size.words),
        columns: columns(vec![words("policy", "what is done about unused rate")]),
        rows: POLICIES.iter().zip(found).map(row).collect(),
    }
}
