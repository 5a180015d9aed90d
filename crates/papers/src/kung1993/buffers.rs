//! Figure 6 and section 6: arithmetic of equation (3), by the function that sizes every
//! scenario's N3.

use kernel::{Duration, Rate};
use results::{Axis, Block, Cell, Curve, Plot, Style, Table};
use scenario::n3_for;

use crate::Evidence;
use crate::columns::column;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const N2: u32 = 10;
const CELL_BYTES: u32 = 53;
const RATES_MBPS: [u64; 4] = [10, 100, 155, 622];
/// Link lengths in tenths of a kilometre.
const LENGTHS: [u64; 5] = [1, 10, 100, 1_000, 10_000];

/// N2 + N3 for a link of `tenths` of a kilometre: 5 us a kilometre each way, 5 us of handling.
fn buffer_cells(tenths: u64, rate_mbps: u64) -> u32 {
    let round_trip_ns = 2 * 5_000 * tenths / 10 + 5_000;
    let round_trip = Duration(round_trip_ns * 1_000);
    N2 + n3_for(round_trip, Rate(rate_mbps * 1_000_000), CELL_BYTES)
}

pub fn figure_6(_lab: &Lab) -> Result<Evidence, LabError> {
    let per_megabyte = 1_000_000 / (buffer_cells(10, 100) * CELL_BYTES);
    let cells = |tenths, rate| buffer_cells(tenths, rate) as f64;
    let measured = vec![
        Measured::new("1km_100Mbps", cells(10, 100)).within(14.0, 14.0),
        Measured::new("1km_100Mbps_bytes", cells(10, 100) * CELL_BYTES as f64).within(742.0, 742.0),
        Measured::new("10km_622Mbps", cells(100, 622)).within(165.0, 165.0),
        Measured::new("1km_622Mbps", cells(10, 622)).within(33.0, 33.0),
    ];
    let scenario = "kung1993/fig07-overbooking.toml";
    Ok(Evidence {
        findings: vec![
            Finding {
                claim: "kung1993.fig6.buffer-table",
                scenario,
                measured,
            },
            Finding {
                claim: "kung1993.sec6.thousand-vcs-per-megabyte",
                scenario,
                measured: vec![Measured::new("value", per_megabyte as f64)],
            },
        ],
        blocks: vec![Block::Plot(plot()), Block::Table(table())],
    })
}

fn table() -> Table {
    let mut columns = vec![column("length", "km", "length of the link")];
    let mut rows = Vec::new();
    for rate in RATES_MBPS {
        columns.push(column(
            &format!("{rate} Mbps"),
            "cells",
            "N2 + N3 for this target bandwidth",
        ));
        columns.push(column(
            &format!("{rate} Mbps, size"),
            "kB",
            "the same in 1000 bytes",
        ));
    }
    for tenths in LENGTHS {
        let mut row = vec![Cell::Float {
            value: tenths as f64 / 10.0,
            digits: 1,
        }];
        for rate in RATES_MBPS {
            let cells = buffer_cells(tenths, rate);
            row.push(Cell::Int(cells as i64));
            row.push(Cell::Float {
                value: (cells * CELL_BYTES) as f64 / 1000.0,
                digits: 2,
            });
        }
        rows.push(row);
    }
    let caption = "Buffer of one circuit at each node: N2 + N3, with N2 = 10.".into();
    Table {
        name: "fig6-buffers".into(),
        caption,
        columns,
        rows,
    }
}

fn plot() -> Plot {
    let curves = RATES_MBPS.map(|rate| Curve {
        name: format!("{rate} Mbps"),
        x: LENGTHS.iter().map(|&tenths| tenths as f64 / 10.0).collect(),
        y: LENGTHS
            .iter()
            .map(|&tenths| buffer_cells(tenths, rate) as f64)
            .collect(),
        style: Style::Line,
        ..Curve::default()
    });
    Plot {
        id: "fig6".into(),
        title: "Figure 6: buffer of one circuit".into(),
        x: Axis {
            label: "link length".into(),
            unit: "km".into(),
            log: true,
            ..Axis::default()
        },
        y: Axis {
            label: "N2 + N3".into(),
            unit: "cells".into(),
            log: true,
            ..Axis::default()
        },
        curves: curves.into(),
        note: "Proportional to the circuit's bandwidth, not to the link's.".into(),
        ..Plot::default()
    }
}
