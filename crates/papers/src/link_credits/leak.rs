//! Frames that are lost cost credit until the next CC_Update, and for ever without.

use backwater_net::frames::probe::LossCause;
use backwater_results::{Block, Table};

use super::runs::{Sets, credit, frames, seeds};
use super::{LINK, SEEDS};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::cell;
use crate::lab::{EthernetRun, Lab, LabError};
use crate::measured::{Finding, Measured};

const LOSS: f64 = 1e-4;
const COST: u64 = 24;
/// Payload of a full link, Mbps.
const FULL_MBPS: f64 = 100_000.0 * 1_472.0 / 1_538.0;

const WORDS: &str = "One frame in ten thousand is lost on the wire. What it cost is missing \
    until a CC_Update has said what was sent; with one every 256 us the link is as full as \
    without loss, and after the last frame nothing is missing. Without CC_Updates each loss is \
    for ever: the limit of 1,100 credits is used up after some 450,000 frames, and the class \
    stops. No frame is lost for want of memory in either.";

pub fn repaired(lab: &Lab) -> Result<Evidence, LabError> {
    let with = |more: Sets| {
        let common: Sets = vec![
            ("flow_control.limit", "1100".into()),
            ("flow_control.headroom", "unchecked".into()),
            ("links.0.forward.data_loss", LOSS.to_string()),
        ];
        seeds(lab, &[common, more].concat(), SEEDS)
    };
    let goes_on = with(vec![
        ("run.duration", "10 ms".into()),
        ("run.warm_up", "500 us".into()),
    ])?;
    let ends = with(vec![
        ("run.duration", "50 ms".into()),
        ("run.warm_up", "0 s".into()),
        frames(80_000, 1_472),
    ])?;
    let leaks = with(vec![
        ("flow_control.cc_timer", "never".into()),
        ("run.duration", "1 s".into()),
        ("run.warm_up", "900 ms".into()),
    ])?;
    let of = |runs: &[EthernetRun], value: fn(&EthernetRun) -> f64| -> Vec<f64> {
        runs.iter().map(value).collect()
    };
    let none =
        |name: &str, values: &[f64]| Measured::rate_over_seeds(name, values).within(0.0, 0.0);
    let (mended, stopped) = (of(&goes_on, throughput), of(&leaks, throughput));
    let measured = vec![
        Measured::over_seeds("throughput", &mended).at_least(0.999),
        none("missing_at_the_end", &of(&ends, missing)),
        Measured::over_seeds("told_of_lost", &of(&ends, told)).within(1.0, 1.0),
        none("without_cc_in_the_last_tenth", &stopped),
        none("overflow", &of(&[goes_on, ends].concat(), overflow)),
        none("overflow_without_cc", &of(&leaks, overflow)),
    ];
    Ok(Evidence {
        findings: vec![Finding {
            claim: "link-credits.ue.leak-repaired",
            scenario: LINK,
            measured,
        }],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(table(&mended, &stopped)),
        ],
    })
}

/// Of what a full link brings with this loss.
fn throughput(run: &EthernetRun) -> f64 {
    run.mbps("f") / FULL_MBPS / (1.0 - LOSS)
}

fn missing(run: &EthernetRun) -> f64 {
    credit(run).used as f64
}

/// Credits that were found lost, of what lost frames cost.
fn told(run: &EthernetRun) -> f64 {
    credit(run).lost as f64 / (COST * run.drops()) as f64
}

/// Frames lost for want of memory.
fn overflow(run: &EthernetRun) -> f64 {
    let lossy = run.channel("S->A");
    let on_wire: u64 = lossy
        .by_class
        .queues
        .iter()
        .map(|own| own.drops.by(LossCause::Wire))
        .sum();
    (run.drops() - on_wire) as f64
}

fn table(mended: &[f64], stopped: &[f64]) -> Table {
    let row = |what: &str, values: &[f64]| vec![what.into(), cell(values, 4)];
    Table {
        name: "leak".into(),
        caption: format!("A frame in ten thousand lost; {SEEDS} seeds."),
        columns: vec![
            words("CC_Updates", "how often the sender states what it sent"),
            column("throughput", "", "of a full link less what is lost"),
        ],
        rows: vec![
            row("every 256 us", mended),
            row("never; last tenth of a second", stopped),
        ],
    }
}
