//! Section 4: VCs against more storage in a single VC.

use backwater_results::{Block, Cell, Table};

use super::point::{Point, Sets, cell, cycles, points};
use super::{FIG08, SEEDS};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};

/// VCs, flits of storage and release of a channel.
const CHANNELS: [(u32, u32, &str); 6] = [
    (1, 16, "drained"),
    (1, 32, "drained"),
    (1, 16, "tail-sent"),
    (1, 64, "tail-sent"),
    (1, 256, "tail-sent"),
    (2, 16, "drained"),
];
/// Shorter than the scenario, in cycles.
const WARM_UP: u32 = 3_000;
const WINDOW: u32 = 2_000;
const WORDS: &str = "A VC that is free when it has drained holds one packet: storage beyond \
    its 20 flits is unused. A VC freed when the tail was sent can queue several packets.";

pub fn section_4(lab: &Lab) -> Result<Evidence, LabError> {
    let setting = |(vcs, storage, release): (u32, u32, &str)| {
        let sets: Sets = vec![
            ("topology.n", "8".into()),
            ("router.vcs", vcs.to_string()),
            ("router.storage", storage.to_string()),
            ("router.release", format!("\"{release}\"")),
            ("run.warm_up", cycles(WARM_UP)),
            ("run.measure", cycles(WINDOW)),
        ];
        sets
    };
    let points = points(lab, FIG08, &CHANNELS.map(setting), SEEDS)?;
    let row = |((vcs, storage, release), point): (&(u32, u32, &str), &Point)| {
        let throughput = cell(&point.throughputs(), 4);
        let (vcs, storage) = (Cell::from(*vcs), Cell::from(*storage));
        vec![vcs, storage, Cell::from(*release), throughput]
    };
    let table = Table {
        name: "sec4-storage".into(),
        caption: format!(
            "Saturation throughput of the 2-ary 8-fly, {SEEDS} seeds, {WINDOW} cycles after \
             {WARM_UP}. The paper states that VCs gain far more than storage for a single \
             VC."
        ),
        columns: vec![
            column("VCs", "", "VCs of a channel"),
            column("storage", "flits", "storage of a channel, all VCs together"),
            words("VC free", "`drained`, or when the tail was sent into it"),
            column("throughput", "of capacity", "mean and 95 % interval"),
        ],
        rows: CHANNELS.iter().zip(&points).map(row).collect(),
    };
    Ok(Evidence {
        findings: Vec::new(),
        blocks: vec![Block::Text(WORDS.into()), Block::Table(table)],
    })
}
