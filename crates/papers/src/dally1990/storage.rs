//! Section 4: lanes against more storage in a single lane.

use results::{Block, Cell, Table};

use super::point::{Sets, cell, points};
use super::{FIG08, SEEDS};
use crate::Evidence;
use crate::claim::column;
use crate::lab::{Lab, LabError};

/// Lanes and flits of storage of a channel.
const CHANNELS: [(u32, u32); 7] = [
    (1, 16),
    (1, 32),
    (1, 64),
    (1, 256),
    (2, 16),
    (4, 16),
    (4, 64),
];

pub fn section_4(lab: &Lab) -> Result<Evidence, LabError> {
    let setting = |(lanes, storage): (u32, u32)| {
        let sets: Sets = vec![
            ("topology.n", "8".into()),
            ("router.lanes", lanes.to_string()),
            ("router.storage", storage.to_string()),
            ("run.measure", "\"2000 cycles\"".into()),
        ];
        (sets, SEEDS)
    };
    let points = points(lab, FIG08, &CHANNELS.map(setting))?;
    let row = |((lanes, storage), point): (&(u32, u32), &super::point::Point)| {
        let throughput = cell(&point.throughputs(), 4);
        vec![Cell::from(*lanes), Cell::from(*storage), throughput]
    };
    let table = Table {
        name: "sec4-storage".into(),
        caption: format!(
            "Saturation throughput of the 2-ary 8-fly, {SEEDS} seeds. The paper states that lanes \
             bring far more than storage for a single lane does."
        ),
        columns: vec![
            column("lanes", "", "lanes of a channel"),
            column(
                "storage",
                "flits",
                "storage of a channel, all lanes together",
            ),
            column("throughput", "of capacity", "mean and 95 % interval"),
        ],
        rows: CHANNELS.iter().zip(&points).map(row).collect(),
    };
    Ok(Evidence {
        findings: Vec::new(),
        blocks: vec![Block::Table(table)],
    })
}
