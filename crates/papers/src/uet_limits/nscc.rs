//! Queue pairs under NSCC, in any order, beside the program that it was read in.

use backwater_results::Block;

use super::cases::{Case, Complete, shown, slowest};
use super::{ALONE, BOTH_WAYS, INCAST, PERMUTATION};
use crate::Evidence;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const CASES: [Case; 4] = [
    Case {
        name: "alone",
        words: "one transfer",
        file: ALONE,
        sets: &[],
        printed: 176.2,
    },
    Case {
        name: "both_ways",
        words: "one each way",
        file: BOTH_WAYS,
        sets: &[],
        printed: 176.8,
    },
    Case {
        name: "fifteen_to_one",
        words: "15 to 1",
        file: INCAST,
        sets: &[("switch.spread", "frames")],
        printed: 2_478.5,
    },
    Case {
        name: "permutation",
        words: "permutation, sprayed",
        file: PERMUTATION,
        sets: &[],
        printed: 194.0,
    },
];

/// Nothing is lossless; queues of rate by round trip mark from a fifth of that on, and trim.
const TRIMMING: [(&str, &str); 4] = [
    ("patterns.transfer.transport", "roce"),
    ("flow_control", "{ kind = \"none\" }"),
    ("switch.classes", "2"),
    (
        "buffer",
        "{ per_queue = \"176 kB\", when_full = \"trim\", \
         ecn = { min = \"35 kB\", max = \"140 kB\", probability = 1.0, at = \"leave\" } }",
    ),
];

const WORDS: &str = "A transfer is complete when its source knows it: the way back of the last \
    acknowledgement, 6 us, counts.";

pub fn sixteen(lab: &Lab) -> Result<Evidence, LabError> {
    let times = slowest(lab, &CASES, &TRIMMING, Complete::Acknowledged)?;
    let both = CASES.iter().zip(&times);
    let measured = both.map(|(case, times)| Measured::over_seeds(case.name, times));
    let mut blocks = vec![Block::Text(WORDS.into())];
    blocks.extend(shown(
        &CASES,
        &times,
        ("nscc", None),
        ("there", "by that program"),
    ));
    Ok(Evidence {
        findings: vec![Finding {
            claim: "uet-limits.nscc.times",
            scenario: PERMUTATION,
            measured: measured.collect(),
        }],
        blocks,
    })
}
