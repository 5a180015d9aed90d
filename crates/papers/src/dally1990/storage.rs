//! Section 4: lanes against more storage in a single lane.

use results::{Block, Cell, Table};

use super::point::{Point, Sets, cell, cycles, points};
use super::{FIG08, SEEDS};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};

/// Lanes, flits of storage and release of a channel.
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
const WORDS: &str = "A lane that is free when it has drained holds one packet: storage beyond \
    its 20 flits is unused. A lane freed when the tail was sent can queue several packets.";

pub fn section_4(lab: &Lab) -> Result<Evidence, LabError> {
    let setting = |(lanes, storage, release): (u32, u32, &str)| {
        let sets: Sets = vec![
            ("topology.n", "8".into()),
            ("router.lanes", lanes.to_string()),
            ("router.storage", storage.to_string()),
            ("router.release", format!("\"{release}\"")),
            ("run.warm_up", cycles(WARM_UP)),
            ("run.measure", cycles(WINDOW)),
        ];
        sets
    };
    let points = points(lab, FIG08, &CHANNELS.map(setting), SEEDS)?;
    let row = |((lanes, storage, release), point): (&(u32, u32, &str), &Point)| {
        let throughput = cell(&point.throughputs(), 4);
        let (lanes, storage) = (Cell::from(*lanes), Cell::from(*storage));
        vec![lanes, storage, Cell::from(*release), throughput]
    };
    let table = Table {
        name: "sec4-storage".into(),
        caption: format!(
            "Saturation throughput of the 2-ary 8-fly, {SEEDS} seeds, {WINDOW} cycles after \
             {WARM_UP}. The paper states that lanes gain far more than storage for a single \
             lane."
        ),
        columns: vec![
            column("lanes", "", "lanes of a channel"),
            column(
                "storage",
                "flits",
                "storage of a channel, all lanes together",
            ),
            words("lane free", "`drained`, or when the tail was sent into it"),
            column("throughput", "of capacity", "mean and 95 % interval"),
        ],
        rows: CHANNELS.iter().zip(&points).map(row).collect(),
    };
    Ok(Evidence {
        findings: Vec::new(),
        blocks: vec![Block::Text(WORDS.into()), Block::Table(table)],
    })
}
