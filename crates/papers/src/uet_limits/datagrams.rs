//! Plain datagrams under PFC, which need no control of the source to meet the limits.

use backwater_results::Block;

use super::cases::{Case, Complete, shown, slowest};
use super::{ALONE, BOTH_WAYS, INCAST, PERMUTATION, THREE};
use crate::Evidence;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const LIMIT: (&str, &str) = ("limit", "that the validation allows");
const LARGE: (&str, &str) = ("topology.ports", "16");
const ONE_PATH: (&str, &str) = ("switch.spread", "flows");

const SIXTEEN: [Case; 6] = [
    Case {
        name: "alone",
        words: "one transfer",
        file: ALONE,
        sets: &[],
        printed: 190.0,
    },
    Case {
        name: "both_ways",
        words: "one each way",
        file: BOTH_WAYS,
        sets: &[],
        printed: 190.0,
    },
    Case {
        name: "fifteen_to_one",
        words: "15 to 1",
        file: INCAST,
        sets: &[],
        printed: 2_550.0,
    },
    Case {
        name: "three_to_one",
        words: "3 to 1, two short",
        file: THREE,
        sets: &[],
        printed: 220.0,
    },
    Case {
        name: "sprayed",
        words: "permutation, sprayed",
        file: PERMUTATION,
        sets: &[],
        printed: 210.0,
    },
    Case {
        name: "one_path",
        words: "permutation, one path",
        file: PERMUTATION,
        sets: &[ONE_PATH],
        printed: 1_300.0,
    },
];

const THOUSAND: [Case; 3] = [
    Case {
        name: "sprayed",
        words: "permutation, sprayed",
        file: PERMUTATION,
        sets: &[LARGE],
        printed: 220.0,
    },
    Case {
        name: "one_path",
        words: "permutation, one path",
        file: PERMUTATION,
        sets: &[LARGE, ONE_PATH],
        printed: 1_300.0,
    },
    Case {
        name: "incast",
        words: "1,023 to 1, 100 kB",
        file: INCAST,
        sets: &[
            LARGE,
            (
                "patterns.transfer.traffic",
                "{ kind = \"greedy\", total = \"100 kB\" }",
            ),
            ("run.duration", "12 ms"),
        ],
        printed: 8_950.0,
    },
];

const WORDS: &str = "Nothing slows these sources down but PFC. Of one flow and of an incast the \
    time is that of the receiver's link with all headers, and the path.";

fn measured(cases: &[Case], times: &[Vec<f64>]) -> Vec<Measured> {
    let both = cases.iter().zip(times);
    both.map(|(case, times)| Measured::over_seeds(case.name, times))
        .collect()
}

pub fn sixteen(lab: &Lab) -> Result<Evidence, LabError> {
    let times = slowest(lab, &SIXTEEN, &[], Complete::Received)?;
    let finding = |claim, scenario, from: usize, to: usize| Finding {
        claim,
        scenario,
        measured: measured(&SIXTEEN[from..to], &times[from..to]),
    };
    let mut blocks = vec![Block::Text(WORDS.into())];
    let files = ("sixteen", Some("limits"));
    blocks.extend(shown(&SIXTEEN, &times, files, LIMIT));
    Ok(Evidence {
        findings: vec![
            finding("uet-limits.datagrams.sixteen", INCAST, 0, 4),
            finding("uet-limits.datagrams.permutation", PERMUTATION, 4, 6),
        ],
        blocks,
    })
}

pub fn large(lab: &Lab) -> Result<Evidence, LabError> {
    let times = slowest(lab, &THOUSAND, &[], Complete::Received)?;
    Ok(Evidence {
        findings: vec![Finding {
            claim: "uet-limits.datagrams.large",
            scenario: PERMUTATION,
            measured: measured(&THOUSAND, &times),
        }],
        blocks: shown(&THOUSAND, &times, ("large", None), LIMIT),
    })
}
