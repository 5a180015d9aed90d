//! What a run says of a collective operation or a job: read from its tables.

use crate::model::{Cell, Table};

/// ps in a ms, bps in a Mbps.
const PS: f64 = 1e9;
const BPS: f64 = 1e6;

/// What was found of one; nothing where it is not complete.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ProgramSeen {
    /// Of a job its completion time, else the mean time of an operation, ps.
    pub time_ps: Option<f64>,
    /// Bandwidth of an operation as a bus would have it, bps.
    pub busbw_bps: Option<f64>,
    /// Of a job: its completion time over the roofline.
    pub ratio: Option<f64>,
}

impl ProgramSeen {
    /// From the tables of the flows of this name.
    pub fn of(name: &str, tables: &[Table]) -> Option<ProgramSeen> {
        let value = |table: &str, key: &str| {
            let table = tables.iter().find(|own| own.name == table)?;
            let row = table
                .rows
                .iter()
                .find(|row| row.first() == Some(&Cell::Text(name.into())));
            let column = table.keys().iter().position(|own| own == key)?;
            match row?.get(column)? {
                Cell::Float { value, .. } => Some(*value),
                Cell::Int(count) => Some(*count as f64),
                Cell::Text(_) | Cell::Empty => None,
            }
        };
        let is_job = tables.iter().any(|own| own.name == "jobs");
        Some(match is_job {
            true => ProgramSeen {
                time_ps: value("jobs", "jct_ms").map(|ms| ms * PS),
                busbw_bps: None,
                ratio: value("jobs", "jct_ratio"),
            },
            false => ProgramSeen {
                time_ps: value("collectives", "time_mean_ms").map(|ms| ms * PS),
                busbw_bps: value("collectives", "busbw_mbps").map(|mbps| mbps * BPS),
                ratio: None,
            },
        })
    }
}
