//! How far the counters of CBFC reach.

use backwater_results::{Block, Cell, Table};

use super::LINK;
use super::least::least;
use super::runs::{Sets, credit, frames, link, share};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

/// Frames that take as long on the wire as their cells would: 24 of 64 B.
const PAYLOAD: u64 = 1_470;
const FRAME_BITS: f64 = 8.0 * 1_536.0;

/// A silence of updates, from 2^so many steps of this length on.
struct Silence {
    name: &'static str,
    what: &'static str,
    rate: &'static str,
    step_ns: u64,
    frames: u64,
}

const SILENCES: [Silence; 2] = [
    Silence {
        name: "freed_800g",
        what: "800 Gbps: least silence after which credit is missing",
        rate: "800 Gbps",
        step_ns: 16,
        frames: 8_000,
    },
    Silence {
        name: "freed_100g",
        what: "100 Gbps: least silence after which credit is missing",
        rate: "100 Gbps",
        step_ns: 128,
        frames: 4_000,
    },
];
const STEPS: u32 = 9;
/// Silences of fewer steps are not tried.
const LOW: u64 = 1_024;

const WORDS: &str = "With the largest limit, 2^19 - 1 cells, a link of 800 Gbps that is far \
    longer carries that much a loop. A CF_Update has the last 15 bits of the cells freed: the \
    way back is cut for longer and longer, until more has been freed in between than they tell \
    apart; then credit is missing at the end of the transfer.";

pub fn reach(lab: &Lab) -> Result<Evidence, LabError> {
    let loop_us = 1_000.0 + FRAME_BITS / 800e3;
    let sets = vec![
        ("run.duration", "6 ms".into()),
        ("run.warm_up", "2 ms".into()),
        ("link.rate", "800 Gbps".into()),
        ("link.delay", "500 us".into()),
        ("flow_control.limit", ((1 << 19) - 1).to_string()),
        ("flows.f.payload", format!("{PAYLOAD} B")),
    ];
    let mut times = vec![(
        "limit_800g",
        "800 Gbps: loop that the largest limit fills",
        share(lab, &sets)? * loop_us,
    )];
    for silence in &SILENCES {
        let is_lost = |steps: u64| {
            let run = link(lab, &silenced(silence, steps))?;
            Ok(credit(&run).used > 0)
        };
        let steps = least(LOW, STEPS, is_lost)?;
        let us = (steps * silence.step_ns) as f64 / 1_000.0;
        times.push((silence.name, silence.what, us));
    }
    let measured = times.iter().map(|(name, _, us)| Measured::new(name, *us));
    Ok(Evidence {
        findings: vec![Finding {
            claim: "link-credits.ue.range",
            scenario: LINK,
            measured: measured.collect(),
        }],
        blocks: vec![Block::Text(WORDS.into()), Block::Table(table(&times))],
    })
}

fn silenced(silence: &Silence, steps: u64) -> Sets {
    let from = 50_000;
    let until = from + steps * silence.step_ns;
    vec![
        ("run.duration", "2 ms".into()),
        ("run.warm_up", "0 s".into()),
        ("link.rate", silence.rate.into()),
        // What is on the wire as it is cut is lost, too.
        ("link.delay", "10 ns".into()),
        ("flow_control.limit", "60000".into()),
        ("flow_control.cf_min_spacing", "800 B".into()),
        ("flow_control.headroom", "unchecked".into()),
        ("flows.f.payload", format!("{PAYLOAD} B")),
        frames(silence.frames, PAYLOAD),
        (
            "links.0.outages",
            format!(
                "[{{ from = \"{from} ns\", until = \"{until} ns\", direction = \"backward\" }}]"
            ),
        ),
    ]
}

fn table(times: &[(&str, &str, f64)]) -> Table {
    let row = |(_, what, us): &(&str, &str, f64)| vec![(*what).into(), Cell::float(*us, 2)];
    Table {
        name: "range".into(),
        caption: "What the widths of counters are good for.".into(),
        columns: vec![
            words("what", "rate, and what is found there"),
            column("time", "us", "so long"),
        ],
        rows: times.iter().map(row).collect(),
    }
}
