//! Section 7.2.5: large bursts, where the August 1995 rule triggers once, or again and again.

use results::{Block, Cell, Table};

use super::CLIENT;
use super::bursts::{Bursts, HEADROOM, RESPONSE, columns};
use super::policies::{COUNT, ICR, NONE, Sets, TIME, UILI};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const WORDS: &str = "A burst begins with one reduction in any policy. With the August 1995 rule \
    each increase brings the next reduction when T * TDF > 1 at the first RM cell after it, T \
    being Nrm cells at ICR: below some ICR a burst never gets away from it. The small reading of \
    TDF, 125/s, needs an ICR twenty times lower for that. ERICA aims at the rate alone: large \
    bursts leave a queue that stays; ERICA+ aims at the queue too.";

/// ICR in Mbps, TDF in 1/s, time to run, from when to count.
const AUGUST: [(f64, u32, &str, u64); 8] = [
    (10.0, 16384, "1.5 s", 200),
    (5.0, 16384, "3 s", 0),
    (2.0, 16384, "6 s", 0),
    (1.0, 16384, "6 s", 0),
    (10.0, 125, "1.5 s", 200),
    (5.0, 125, "1.5 s", 200),
    (2.0, 125, "1.5 s", 200),
    (1.0, 125, "1.5 s", 200),
];
/// ERICA+ instead of a fixed target.
const PLUS: &str = "{ delay = \"1 ms\", a = 1.15, b = 1.05, least = 0.5 }";

/// One row.
struct Case {
    name: String,
    icr_mbps: f64,
    sets: Sets,
    from_ms: u64,
}

pub fn section_725(lab: &Lab) -> Result<Evidence, LabError> {
    let cases = cases();
    let found: Vec<Bursts> = lab.each(&cases, |case| {
        let icr_bps = (1e6 * case.icr_mbps) as u64;
        Bursts::run(lab, &case.sets, case.from_ms, icr_bps)
    })?;
    let triggers = |name: &str, icr: f64| {
        let is_it = |case: &Case| case.name == name && case.icr_mbps == icr;
        let at = cases.iter().position(is_it);
        found[at.expect("a case that ran")].triggers
    };
    let many = august(16384);
    let measured = vec![
        Measured::new("august_icr_10", triggers(&many, 10.0)).within(0.8, 1.5),
        Measured::new("august_icr_1", triggers(&many, 1.0)).at_least(20.0),
        Measured::new("count", triggers(COUNT.name, 10.0)).within(0.8, 1.2),
        Measured::new("time", triggers(TIME.name, 10.0)).within(0.8, 2.0),
    ];
    Ok(Evidence {
        findings: vec![Finding {
            claim: "kalyanaraman1998.sec725.large-bursts",
            scenario: CLIENT,
            measured,
        }],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(table(&cases, &found)),
        ],
    })
}

fn august(tdf: u32) -> String {
    format!("August 1995, TDF {tdf}/s")
}

fn cases() -> Vec<Case> {
    let large = |mut sets: Sets, duration: &str| {
        sets.push((RESPONSE, "8192".into()));
        sets.push(("run.duration", duration.into()));
        sets
    };
    let mut cases = Vec::new();
    for (icr_mbps, tdf, duration, from_ms) in AUGUST {
        let uili = format!("{{ kind = \"august-1995\", tdf_per_second = {tdf}.0 }}");
        let sets = vec![(UILI, uili), (ICR, format!("\"{icr_mbps} Mbps\""))];
        cases.push(Case {
            name: august(tdf),
            icr_mbps,
            sets: large(sets, duration),
            from_ms,
        });
    }
    let policies = [NONE, COUNT, TIME];
    for policy in &policies[1..] {
        cases.push(Case {
            name: policy.name.into(),
            icr_mbps: 10.0,
            sets: large(policy.sets(HEADROOM), "1.5 s"),
            from_ms: 200,
        });
    }
    for policy in policies {
        let mut sets = large(policy.sets(HEADROOM), "1.5 s");
        sets.push(("link.explicit_rate.queue", PLUS.into()));
        sets.push(("link.explicit_rate.target", "1.0".into()));
        cases.push(Case {
            name: format!("{}, ERICA+", policy.name),
            icr_mbps: 10.0,
            sets,
            from_ms: 200,
        });
    }
    cases
}

fn table(cases: &[Case], found: &[Bursts]) -> Table {
    let row = |(case, bursts): (&Case, &Bursts)| {
        bursts.row(vec![
            case.name.clone().into(),
            Cell::float(case.icr_mbps, 0),
        ])
    };
    let first = vec![
        words(
            "policy",
            "what is done about unused rate, and the switch if not ERICA",
        ),
        column("ICR", "Mbps", "initial cell rate"),
    ];
    Table {
        name: "bursts-large-icr".into(),
        caption: "Bursts of 8192 cells.".into(),
        columns: columns(first),
        rows: cases.iter().zip(found).map(row).collect(),
    }
}
