//! Section 7.2.5: large bursts, where the August 1995 rule triggers once, or again and again.

use backwater_results::{Block, Table};

use super::LARGE;
use super::bursts::{Bursts, HEADROOM, columns};
use super::policies::{COUNT, ICR, NONE, Policy, Sets, TIME, UILI};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const WORDS: &str = "A burst begins with one reduction in any policy. With the August 1995 rule \
    each increase triggers the next reduction when T * TDF > 1 at the first RM cell after it, T \
    being the time of Nrm cells at ICR: below some ICR a burst never leaves ICR. This needs a \
    TDF far above the printed 0.125/s, with which a reduction has almost no effect.";
const MORE_WORDS: &str = "The small reading of TDF, 125/s, needs an ICR twenty times lower for \
    many triggers. ERICA controls only the rate: large bursts leave a standing queue; ERICA+ \
    controls the queue too.";

/// TDF in 1/s: the large reading, the small one and the printed number.
const LARGE_TDF: &str = "16384";
const SMALL_TDF: &str = "125";
const PRINTED_TDF: &str = "0.125";
/// At a low ICR a burst takes seconds: such runs are longer, and count from the start.
const LONG: &str = "4.5 s";
/// ERICA+ instead of a fixed target.
const PLUS: &str = "{ delay = \"1 ms\", a = 1.15, b = 1.05, least = 0.5 }";

/// One row.
struct Case {
    name: String,
    icr_mbps: u32,
    /// Longer than the scenario.
    is_long: bool,
    sets: Sets,
}

impl Case {
    fn of(policy: &Policy) -> Case {
        Case {
            name: policy.name.into(),
            icr_mbps: 10,
            is_long: false,
            sets: policy.sets(HEADROOM),
        }
    }

    fn august(tdf: &str, icr_mbps: u32) -> Case {
        let uili = format!("{{ kind = \"august-1995\", tdf_per_second = {tdf} }}");
        Case {
            name: format!("August 1995, TDF {tdf}/s"),
            icr_mbps,
            is_long: false,
            sets: vec![(UILI, uili), (ICR, format!("\"{icr_mbps} Mbps\""))],
        }
    }

    fn long(mut self) -> Case {
        self.is_long = true;
        self.sets.push(("run.duration", LONG.into()));
        self.sets.push(("run.warm_up", "0 s".into()));
        self
    }

    fn plus(policy: &Policy) -> Case {
        let mut case = Case::of(policy);
        case.name = format!("{}, ERICA+", policy.name);
        case.sets.push(("link.explicit_rate.queue", PLUS.into()));
        case.sets.push(("link.explicit_rate.target", "1.0".into()));
        case
    }
}

fn run(lab: &Lab, cases: &[Case]) -> Result<Vec<Bursts>, LabError> {
    lab.each(cases, |case| {
        Bursts::run(lab, LARGE, &case.sets, u64::from(case.icr_mbps) * 1_000_000)
    })
}

pub fn section_725(lab: &Lab) -> Result<Evidence, LabError> {
    let cases = [
        Case::august(LARGE_TDF, 10),
        Case::august(LARGE_TDF, 1).long(),
        Case::of(&COUNT),
        Case::of(&TIME),
        Case::august(PRINTED_TDF, 10),
        Case::august(PRINTED_TDF, 1),
    ];
    let found = run(lab, &cases)?;
    let triggers: Vec<f64> = found.iter().map(|bursts| bursts.triggers).collect();
    Ok(Evidence {
        findings: vec![Finding {
            claim: "kalyanaraman1998.sec725.large-bursts",
            scenario: LARGE,
            measured: measured(&triggers),
        }],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(table("bursts-large-icr", &cases, &found)),
        ],
    })
}

/// Triggers a burst, in the order of the cases.
fn measured(triggers: &[f64]) -> Vec<Measured> {
    vec![
        Measured::new("august_icr_10", triggers[0]).within(0.8, 1.5),
        Measured::new("august_icr_1", triggers[1]).at_least(20.0),
        Measured::new("count", triggers[2]).within(0.8, 1.2),
        Measured::new("time", triggers[3]).within(0.8, 2.0),
        Measured::new("august_icr_10_printed_tdf", triggers[4]),
        Measured::new("august_icr_1_printed_tdf", triggers[5]),
    ]
}

/// More ICRs, the small TDF, and another switch.
pub fn more_of_section_725(lab: &Lab) -> Result<Evidence, LabError> {
    let cases = [
        Case::august(LARGE_TDF, 5).long(),
        Case::august(LARGE_TDF, 2).long(),
        Case::august(SMALL_TDF, 10),
        Case::august(SMALL_TDF, 5),
        Case::august(SMALL_TDF, 2),
        Case::august(SMALL_TDF, 1),
        Case::plus(&NONE),
        Case::plus(&COUNT),
        Case::plus(&TIME),
    ];
    let found = run(lab, &cases)?;
    Ok(Evidence {
        findings: Vec::new(),
        blocks: vec![
            Block::Text(MORE_WORDS.into()),
            Block::Table(table("bursts-large-more", &cases, &found)),
        ],
    })
}

fn table(name: &str, cases: &[Case], found: &[Bursts]) -> Table {
    let row = |(case, bursts): (&Case, &Bursts)| {
        let run = if case.is_long { "4.5 s" } else { "as the file" };
        bursts.row(vec![
            case.name.clone().into(),
            case.icr_mbps.into(),
            run.into(),
        ])
    };
    let first = vec![
        words(
            "policy",
            "what is done about unused rate, and the switch if not ERICA",
        ),
        column("ICR", "Mbps", "initial cell rate"),
        words("run", "how long; longer ones have no warm-up"),
    ];
    Table {
        name: name.into(),
        caption: "Bursts of 8192 cells.".into(),
        columns: columns(first),
        rows: cases.iter().zip(found).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bounds;

    fn outside(triggers: &[f64]) -> Vec<String> {
        let is_outside = |one: &Measured| {
            let inside = |Bounds { low, high }| (low..=high).contains(&one.value);
            !one.bounds.is_none_or(inside)
        };
        let all = measured(triggers).into_iter();
        all.filter(is_outside).map(|one| one.name).collect()
    }

    #[test]
    fn once_a_burst_or_again_and_again() {
        assert_eq!(outside(&[1.0, 132.0, 1.0, 1.2, 9.0, 9.0]), [""; 0]);
        assert_eq!(outside(&[132.0, 1.0, 1.0, 1.2, 0.0, 0.0]).len(), 2);
        assert_eq!(
            outside(&[1.0, 132.0, 0.0, 3.0, 0.0, 0.0]),
            ["count", "time"]
        );
    }
}
