//! What the paper leaves open, what each reading does, and which panel it decides.

use backwater_results::{Block, Cell, Table};

use super::SMALL;
use super::bursts::{self, Bursts, HEADROOM, ICR_BPS};
use super::policies::{BASELINE, COUNT, Five, NONE, Policy, Sets, TIME, TIME_HELD, UILI, columns};
use crate::Evidence;
use crate::columns::words;
use crate::lab::{Lab, LabError};

/// A setting of the scenario.
type Set = (&'static str, &'static str);

/// A reading of an open point, on the panel that shows it.
struct Reading {
    point: &'static str,
    reading: &'static str,
    policy: Policy,
    sets: &'static [Set],
}

const fn reading(
    point: &'static str,
    reading: &'static str,
    policy: Policy,
    sets: &'static [Set],
) -> Reading {
    Reading {
        point,
        reading,
        policy,
        sets,
    }
}

const CONSTANT: &str = "{ kind = \"constant\", rate = \"10 Mbps\" }";
const LARGE_ICR: Set = ("flows.*.source_control.icr", "155.52 Mbps");
const TIME_WITHOUT_5B: &str = "{ kind = \"time\", headroom = \"1 Mbps\", rule_5b = false }";
const NO_SLACK: &str = "{ kind = \"count\", headroom = \"1 Mbps\", tdf = 0.125, slack = 0.0 }";
const PR5: &str = "{ kind = \"count\", headroom = \"1 Mbps\", tdf = 0.125, pr5 = true }";

const TDF: &str = "(b) TDF of August 1995";
const JUMP: &str = "(c) ERICA's limit on jumps";
const CCR: &str = "(a) current rate in the switch";
const MOST: &str = "(a) largest rate that ERICA signals";
const FORMAT: &str = "(a) rates in RM cells";
const BACKWARD: &str = "(d) backward RM cells and Nrm";
const SLACK: &str = "(d) ACR <= SR";
const EAGER: &str = "(d) forward RM cells";
const APPLICATION: &str = "(d) a source at 10 Mbps";
const APPLICATION_TIME: &str = "(e) a source at 10 Mbps";
const RULE_5B: &str = "(e) rule 5b";
const START: &str = "(e) first ACR and hold";

const BY_FIELD: &[Set] = &[("link.explicit_rate.ccr", "measured")];
const UP_TO_LINK: &[Set] = &[("link.explicit_rate.up_to_link", "true")];
const JUMPS: &[Set] = &[("link.explicit_rate.limit_jump", "false")];
const ROUNDED: &[Set] = &[("flows.*.source_control.rate_format", "16-bit")];
const NOT_COUNTED: &[Set] = &[("flows.*.source_control.counts_backward", "false")];
const LAZY: &[Set] = &[("flows.*.source_control.rm", "lazy")];
const BY_CLOCK: &[Set] = &[("flows.VC.traffic", CONSTANT), ("flows.VC.back", CONSTANT)];

const AUGUST_0_125: &str = "{ kind = \"august-1995\", tdf_per_second = 0.125 }";
const AUGUST_128: &str = "{ kind = \"august-1995\", tdf_per_second = 128.0 }";
const AUGUST_400: &str = "{ kind = \"august-1995\", tdf_per_second = 400.0 }";
const AUGUST_16384: &str = "{ kind = \"august-1995\", tdf_per_second = 16384.0 }";
const AUGUST_LITERAL: &str = "{ kind = \"august-1995\", tdf_per_second = 3.4e7 }";

const READINGS: [Reading; 31] = [
    reading(TDF, "0.125/s: as printed", NONE, &[(UILI, AUGUST_0_125)]),
    reading(
        TDF,
        "128/s: RDF is the integer 512",
        NONE,
        &[(UILI, AUGUST_128)],
    ),
    reading(TDF, "400/s", NONE, &[(UILI, AUGUST_400)]),
    reading(TDF, "16384/s (ours)", NONE, &[(UILI, AUGUST_16384)]),
    reading(
        TDF,
        "3.4e7/s: RDF is 1/512",
        NONE,
        &[(UILI, AUGUST_LITERAL)],
    ),
    reading(JUMP, "to the fair share (ours)", BASELINE, &[]),
    reading(JUMP, "none", BASELINE, JUMPS),
    reading(CCR, "the CCR field (ours)", NONE, &[]),
    reading(CCR, "measured per circuit", NONE, BY_FIELD),
    reading(MOST, "its target (ours)", NONE, &[]),
    reading(MOST, "the link's rate", NONE, UP_TO_LINK),
    reading(FORMAT, "exact (ours)", NONE, &[]),
    reading(FORMAT, "16 bits", NONE, ROUNDED),
    reading(BACKWARD, "counted (ours)", COUNT, &[]),
    reading(BACKWARD, "not counted", COUNT, NOT_COUNTED),
    reading(SLACK, "with a slack of 0.001 (ours)", COUNT, &[]),
    reading(SLACK, "taken literally", COUNT, &[(UILI, NO_SLACK)]),
    reading(EAGER, "sent when due (ours)", COUNT, &[]),
    reading(EAGER, "only with a waiting cell", COUNT, LAZY),
    reading("(d) PR5", "not used (ours)", COUNT, &[]),
    reading("(d) PR5", "used", COUNT, &[(UILI, PR5)]),
    reading(APPLICATION, "its slots are capped (ours)", COUNT, &[]),
    reading(APPLICATION, "one cell per clock tick", COUNT, BY_CLOCK),
    reading(APPLICATION_TIME, "its slots are capped (ours)", TIME, &[]),
    reading(APPLICATION_TIME, "one cell per clock tick", TIME, BY_CLOCK),
    reading(RULE_5B, "as in the other proposals (ours)", TIME, &[]),
    reading(RULE_5B, "none", TIME, &[(UILI, TIME_WITHOUT_5B)]),
    reading(START, "155.52 Mbps, no hold", TIME, &[LARGE_ICR]),
    reading(START, "155.52 Mbps, hold", TIME_HELD, &[LARGE_ICR]),
    reading(START, "1 Mbps, no limit on jumps", TIME, JUMPS),
    reading(START, "1 Mbps, hold", TIME_HELD, &[]),
];

const WORDS: &str = "Each row has one change to the run of the panel of Figure 6 that depends \
    on it. Only a large TDF brings ACR below the source rate: the rule triggers at ACR > 2 SR, \
    so it needs T * TDF > 1/2. With a switch that measures each circuit's rate there is no ACR \
    retention. 16-bit rates round CCR to just below the fair share, where the limit on jumps \
    then keeps ACR. If backward RM cells are not counted, SR is always below ACR and the \
    count-based policy never lets ACR rise. With ACR <= SR taken literally it never lets ACR \
    rise again once sources wake up: gaps are whole picoseconds, so SR is slightly below ACR. A \
    source with a fixed cell clock adds RM cells to its 10 Mbps: its goal is 11.67.";

/// Rules for sending forward RM cells, for small bursts.
const RM_RULES: [(&str, &str); 2] = [
    ("eager", "sent when due (ours)"),
    ("lazy", "only with a waiting cell"),
];

pub fn readings(lab: &Lab) -> Result<Evidence, LabError> {
    let runs: Vec<Five> = lab.each(&READINGS, |reading| Five::run(lab, &reading.all_sets()))?;
    let small: Vec<Bursts> = lab.each(&RM_RULES, |(rule, _)| {
        let mut sets = TIME.sets(HEADROOM);
        sets.push(("flows.*.source_control.rm", (*rule).into()));
        Bursts::run(lab, SMALL, &sets, ICR_BPS)
    })?;
    Ok(Evidence {
        findings: Vec::new(),
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(panels(&runs)),
            Block::Table(small_bursts(&small)),
        ],
    })
}

impl Reading {
    fn all_sets(&self) -> Sets {
        let mut sets = self.policy.sets("1 Mbps");
        sets.extend(self.sets.iter().map(|(key, value)| (*key, (*value).into())));
        sets
    }
}

fn panels(runs: &[Five]) -> Table {
    let first = vec![
        words("panel and point", "of Figure 6, and what is open"),
        words("reading", "what is done"),
    ];
    let row = |(reading, five): (&Reading, &Five)| {
        five.row(vec![reading.point.into(), reading.reading.into()])
    };
    Table {
        name: "readings".into(),
        caption: "ICR 1 Mbps unless noted; the first of five identical circuits.".into(),
        columns: columns(first),
        rows: READINGS.iter().zip(runs).map(row).collect(),
    }
}

fn small_bursts(found: &[Bursts]) -> Table {
    let row = |((_, words), bursts): (&(&str, &str), &Bursts)| bursts.row(vec![Cell::from(*words)]);
    Table {
        name: "readings-small".into(),
        caption: "Section 7.2.3: small bursts with the time-based policy, by when a forward RM \
                  cell due by count is sent."
            .into(),
        columns: bursts::columns(vec![words("forward RM cells", "when they are sent")]),
        rows: RM_RULES.iter().zip(found).map(row).collect(),
    }
}
