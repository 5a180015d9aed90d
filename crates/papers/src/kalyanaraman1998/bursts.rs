//! Sections 7.2.3 and 7.2.4: closed-loop bursts beside an endless source.

use backwater_kernel::{Duration, Time};
use backwater_net::outcome::BurstOutcome;
use backwater_results::{Block, Cell, Table};

use super::policies::{COUNT, Policy, Sets, TIME, run};
use super::{LARGE, MEDIUM, SMALL};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError, Run};
use crate::measured::{Finding, Measured};

/// ICR, and the headroom that section 5.2.6 recommends.
pub const HEADROOM: &str = "10 Mbps";
pub const ICR_BPS: u64 = 10_000_000;
const CELL_BITS: f64 = 424.0;

/// A size of responses: a scenario of its own.
#[derive(Clone, Copy)]
pub struct Size {
    pub file: &'static str,
    pub table: &'static str,
    words: &'static str,
}

pub const SMALL_BURSTS: Size = Size {
    file: SMALL,
    table: "bursts-small",
    words: "Small bursts, 16 cells, below Nrm; counted after 0.5 s",
};
pub const MEDIUM_BURSTS: Size = Size {
    file: MEDIUM,
    table: "bursts-medium",
    words: "Medium bursts, 256 cells, shorter than a round trip",
};
pub const LARGE_BURSTS: Size = Size {
    file: LARGE,
    table: "bursts-large",
    words: "Large bursts, 8192 cells, longer than a round trip",
};

const JUDGED: [Policy; 2] = [COUNT, TIME];

const WORDS: &str = "Response time: from the arrival of a burst at its source to the departure \
    of its last cell. Effective throughput: its data over that time; mean source rate: with RM \
    cells. High: the first cell was sent at more than twice ICR. Triggers: reductions by the \
    policy in a burst. Small bursts have fewer than Nrm cells, so most contain no RM cell: the \
    time-based policy reduces the rate at once and, with rule 5b, about one of three bursts \
    starts at a high rate; the count-based one keeps it at ICR. The 120 Mbps of medium bursts \
    are 7/8 of 140, one step of the count-based policy; 68 is 140 (1 - T/Tc) with T the pause \
    before the burst.";

pub fn section_72(lab: &Lab) -> Result<Evidence, LabError> {
    let of = |size: Size| lab.each(&JUDGED, |policy| Bursts::of_policy(lab, size, policy));
    let (small, medium) = (of(SMALL_BURSTS)?, of(MEDIUM_BURSTS)?);
    Ok(Evidence {
        findings: findings([small[0], small[1]], [medium[0], medium[1]]),
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(table("judged-small", SMALL_BURSTS, &JUDGED, &small)),
            Block::Table(table("judged-medium", MEDIUM_BURSTS, &JUDGED, &medium)),
        ],
    })
}

/// With count-based, then time-based.
fn findings(small: [Bursts; 2], medium: [Bursts; 2]) -> Vec<Finding> {
    let [count, time] = medium;
    let rates = Finding {
        claim: "kalyanaraman1998.sec724.medium-bursts",
        scenario: MEDIUM,
        measured: vec![
            Measured::new("count", count.rate_mbps),
            Measured::new("time", time.rate_mbps),
        ],
    };
    let [count, time] = small;
    let shares = Finding {
        claim: "kalyanaraman1998.sec723.small-bursts",
        scenario: SMALL,
        measured: vec![
            Measured::new("time_share_high", time.share_high),
            Measured::new("count_share_high", count.share_high),
        ],
    };
    vec![rates, shares]
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

/// The server's bursts.
pub fn of_server(run: &Run<()>) -> &[BurstOutcome] {
    let abr = run.flow("client back").abr.as_deref();
    abr.map_or(&[], |abr| &abr.bursts)
}

impl Bursts {
    /// Runs `file` and looks at bursts that came after its warm-up; `icr_bps` is what ICR was.
    pub fn run(lab: &Lab, file: &str, sets: &Sets, icr_bps: u64) -> Result<Bursts, LabError> {
        Ok(Bursts::of_run(&run(lab, file, sets)?, icr_bps))
    }

    fn of_policy(lab: &Lab, size: Size, policy: &Policy) -> Result<Bursts, LabError> {
        Bursts::run(lab, size.file, &policy.sets(HEADROOM), ICR_BPS)
    }

    pub fn of_run(run: &Run<()>, icr_bps: u64) -> Bursts {
        let from = run.scenario.network.warm_up;
        let between = run.channel("Y->X").rate.as_deref().copied();
        Bursts {
            queue_peak: between.map_or(f64::NAN, |rate| rate.queue_max as f64),
            ..Bursts::of(of_server(run), from, run.scenario.cell, icr_bps)
        }
    }

    /// Means over the bursts that came from `from` on and are through; a cell takes `cell`.
    pub fn of(bursts: &[BurstOutcome], from: Time, cell: Duration, icr_bps: u64) -> Bursts {
        let late = bursts.iter().filter(|burst| burst.arrived >= from);
        let sent: Vec<(&BurstOutcome, f64)> = late
            .filter_map(|burst| Some((burst, (burst.response()? + cell).seconds())))
            .collect();
        let mean = |value: &dyn Fn(&BurstOutcome, f64) -> f64| {
            let all = sent.iter().map(|(burst, seconds)| value(burst, *seconds));
            all.sum::<f64>() / sent.len() as f64
        };
        let mbps = |cells: u64, seconds: f64| cells as f64 * CELL_BITS / seconds / 1e6;
        let is_high = |burst: &BurstOutcome| burst.first_acr.0 > 2 * icr_bps;
        Bursts {
            count: sent.len(),
            response_ms: mean(&|_, seconds| 1e3 * seconds),
            effective_mbps: mean(&|burst, seconds| mbps(burst.data_cells, seconds)),
            rate_mbps: mean(&|burst, seconds| mbps(burst.in_rate_cells, seconds)),
            share_high: mean(&|burst, _| f64::from(u8::from(is_high(burst)))),
            triggers: mean(&|burst, _| burst.reductions as f64),
            queue_peak: f64::NAN,
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
pub fn columns(first: Vec<backwater_results::Column>) -> Vec<backwater_results::Column> {
    let mut columns = first;
    columns.extend([
        column("bursts", "", "bursts of the server that were sent"),
        column("response", "ms", "mean burst response time"),
        column("effective", "Mbps", "mean effective throughput"),
        column("source rate", "Mbps", "mean source rate in a burst"),
        column("high", "", "share of bursts that started above 2 ICR"),
        column("triggers", "", "reductions by the policy, a burst"),
        column(
            "queue max",
            "cells",
            "largest number of ABR cells that waited at Y for X",
        ),
    ]);
    columns
}

/// A row for each policy.
pub fn table(name: &str, size: Size, policies: &[Policy], found: &[Bursts]) -> Table {
    let row = |(policy, bursts): (&Policy, &Bursts)| bursts.row(vec![policy.name.into()]);
    Table {
        name: name.into(),
        caption: format!("{}; ICR 10 Mbps.", size.words),
        columns: columns(vec![words("policy", "what is done about unused rate")]),
        rows: policies.iter().zip(found).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use backwater_kernel::Rate;

    use super::*;

    const MS: u64 = 1_000_000_000;
    /// 424 bits at 42.4 Mbps.
    const CELL: Duration = Duration(10_000_000);

    fn burst(arrived_ms: u64, response_us: Option<u64>, acr_mbps: u64) -> BurstOutcome {
        let arrived = Time(arrived_ms * MS);
        BurstOutcome {
            arrived,
            sent: response_us.map(|us| Time(arrived.ps() + us * 1_000_000)),
            data_cells: 10,
            in_rate_cells: 11,
            first_acr: Rate(acr_mbps * 1_000_000),
            reductions: acr_mbps / 20,
        }
    }

    #[test]
    fn means_of_bursts_by_hand() {
        let bursts = [
            burst(1, Some(90), 140),
            burst(10, Some(90), 20),
            burst(20, Some(190), 40),
            burst(30, None, 140),
        ];
        // The first came too early, the last is not through; 0.1 and 0.2 ms with the last cell.
        let found = Bursts::of(&bursts, Time(10 * MS), CELL, ICR_BPS);
        let near = |value: f64, wanted: f64| assert!((value - wanted).abs() < 1e-9, "{value}");
        assert_eq!(found.count, 2);
        near(found.response_ms, 0.15);
        near(found.effective_mbps, (42.4 + 21.2) / 2.0);
        near(found.rate_mbps, 1.1 * (42.4 + 21.2) / 2.0);
        near(found.share_high, 0.5);
        near(found.triggers, 1.5);
    }

    #[test]
    fn each_claim_has_its_policy_and_size() {
        let bursts = |rate_mbps, share_high| Bursts {
            rate_mbps,
            share_high,
            ..Bursts::default()
        };
        let small = [bursts(1.0, 0.1), bursts(2.0, 0.2)];
        let medium = [bursts(3.0, 0.3), bursts(4.0, 0.4)];
        let found = findings(small, medium);
        let named = |at: usize| {
            let all = found[at].measured.iter();
            let all: Vec<(&str, f64)> = all.map(|one| (&*one.name, one.value)).collect();
            all
        };
        assert_eq!(named(0), [("count", 3.0), ("time", 4.0)]);
        assert_eq!(
            named(1),
            [("time_share_high", 0.2), ("count_share_high", 0.1)]
        );
    }
}
