//! What a run says of a collective operation or a job: read from its tables.

use super::{SchemeRuns, Workload};
use crate::model::{Cell, Table};
use crate::number::span;

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

/// Jobs and operations that are not through when the run ends, and under which schemes: why they
/// have no time.
pub(super) fn unfinished(workload: &Workload, schemes: &[SchemeRuns]) -> Vec<String> {
    let lasts = |scheme: &&SchemeRuns, at: usize| {
        let mut seen = scheme.runs.iter().map(|run| run.seen.programs.get(at));
        seen.any(|own| matches!(own, Some(Some(own)) if own.time_ps.is_none()))
    };
    let line = |(at, name): (usize, &str)| {
        let under = schemes.iter().filter(|scheme| lasts(scheme, at));
        let under: Vec<&str> = under.map(|scheme| scheme.name.as_str()).collect();
        let under = match under.len() {
            0 => return None,
            all if all == schemes.len() => "any scheme".into(),
            _ => under.join(", "),
        };
        let end = span(workload.duration_ps as f64);
        Some(format!(
            "{name} is not through after {end} under {under}: `run.duration` is short for it, or \
             what it waits for was lost, which `backwater run` of that scheme's scenario tells"
        ))
    };
    let names = workload.flows.iter().map(|flow| flow.name.as_str());
    names.enumerate().filter_map(line).collect()
}
