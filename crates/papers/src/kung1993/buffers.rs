//! Figure 6 and section 6: the buffer of a circuit, as scenarios of links of every length size it
//! and fill it.

use backwater_results::{Axis, Block, Cell, Curve, Plot, Style, Table};

use crate::Evidence;
use crate::columns::column;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const FILE: &str = "kung1993/fig07-overbooking.toml";
const CELL_BYTES: u32 = 53;
const MEGABYTE: f64 = 1e6;
const RATES_MBPS: [u64; 4] = [10, 100, 155, 622];
/// Link lengths in tenths of a kilometre.
const LENGTHS: [u64; 5] = [1, 10, 100, 1_000, 10_000];
/// Printed: tenths of a kilometre, Mbps, cells.
const PRINTED: [(u64, u64, u32); 3] = [(10, 100, 14), (10, 622, 33), (100, 622, 165)];

/// The buffer of one circuit.
struct Size {
    tenths: u64,
    rate_mbps: u64,
    /// N2 + N3, as the scenario sizes it.
    limit: u32,
    /// Most cells in it while the output was taken for longer than a round trip.
    filled: u32,
    /// Use of the output after the warm-up.
    output: f64,
}

/// VC2's buffer on a link of that length and rate: 5 us a kilometre each way, 5 us of handling.
/// VC1 takes the whole output for two loops, leaves it for two, and takes it again.
fn size(lab: &Lab, tenths: u64, rate_mbps: u64) -> Result<Size, LabError> {
    let one_way_ns = 500 * tenths + 2_500;
    let cell_ns = u64::from(CELL_BYTES) * 8_000 / rate_mbps;
    let phase_ns = 4 * one_way_ns + 40 * cell_ns;
    let ns = |count: u64| format!("{count} ns");
    let phase = format!("\"{phase_ns} ns\"");
    let traffic =
        format!("{{ kind = \"on-off\", on = {phase}, on_load = \"100 %\", off = {phase} }}");
    let sets = [
        ("link.rate", format!("{rate_mbps} Mbps")),
        ("link.delay", ns(one_way_ns)),
        ("flows.VC1.traffic", traffic),
        (
            "flows.VC2.flow_control",
            "{ kind = \"n23\", n2 = 10, target = \"full\" }".into(),
        ),
        ("run.duration", ns(3 * phase_ns)),
        ("run.warm_up", ns(2 * one_way_ns + 10 * cell_ns)),
    ];
    let sets: Vec<(&str, &str)> = sets.iter().map(|(key, value)| (*key, &**value)).collect();
    let run = lab.run(FILE, &sets)?;
    let leg = &run.scenario.network.flows[1].legs[0];
    Ok(Size {
        tenths,
        rate_mbps,
        limit: leg.buffer.limit_units.unwrap_or(u32::MAX),
        filled: run.leg("VC2", "A->S").fill_max_total,
        output: run.channel("S->F").data_share,
    })
}

pub fn figure_6(lab: &Lab) -> Result<Evidence, LabError> {
    let all = LENGTHS.map(|tenths| RATES_MBPS.map(|rate| (tenths, rate)));
    let sizes = lab.each(all.as_flattened(), |&(tenths, rate)| {
        size(lab, tenths, rate)
    })?;
    let finding = |claim, measured| Finding {
        claim,
        scenario: FILE,
        measured,
    };
    Ok(Evidence {
        findings: vec![
            finding("kung1993.fig6.buffer-table", buffers(&sizes)),
            finding(
                "kung1993.sec6.thousand-vcs-per-megabyte",
                vec![Measured::new("value", circuits_in_a_megabyte(&sizes))],
            ),
        ],
        blocks: vec![Block::Plot(plot(&sizes)), Block::Table(table(&sizes))],
    })
}

fn of(sizes: &[Size], tenths: u64, rate_mbps: u64) -> &Size {
    let mut found = sizes.iter();
    found
        .find(|size| (size.tenths, size.rate_mbps) == (tenths, rate_mbps))
        .expect("a size of the table")
}

/// Cells that filled each printed buffer; that none is larger than it must be, nor too small.
fn buffers(sizes: &[Size]) -> Vec<Measured> {
    let filled = |(tenths, rate, cells): (u64, u64, u32)| {
        let size = of(sizes, tenths, rate);
        let name = format!("{}km_{rate}Mbps", tenths / 10);
        Measured::new(&name, size.filled.into()).within(cells.into(), cells.into())
    };
    let mut measured: Vec<Measured> = PRINTED.map(filled).to_vec();
    let bytes = of(sizes, 10, 100).filled * CELL_BYTES;
    measured.push(Measured::new("1km_100Mbps_bytes", bytes.into()).within(742.0, 742.0));
    let unfilled = sizes.iter().filter(|size| size.filled != size.limit);
    measured.push(Measured::new("buffers_not_filled", unfilled.count() as f64).within(0.0, 0.0));
    let least = sizes.iter().map(|size| size.output).fold(1.0, f64::min);
    measured.push(Measured::new("min_use_of_the_output", least).at_least(0.999));
    measured
}

fn circuits_in_a_megabyte(sizes: &[Size]) -> f64 {
    (MEGABYTE / f64::from(of(sizes, 10, 100).filled * CELL_BYTES)).floor()
}

fn table(sizes: &[Size]) -> Table {
    let mut columns = vec![column("length", "km", "length of the link")];
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
    let row = |tenths: u64| {
        let mut row = vec![Cell::float(tenths as f64 / 10.0, 1)];
        for rate in RATES_MBPS {
            let cells = of(sizes, tenths, rate).filled;
            row.push(Cell::Int(cells.into()));
            row.push(Cell::float(f64::from(cells * CELL_BYTES) / 1000.0, 2));
        }
        row
    };
    Table {
        name: "fig06-buffers".into(),
        caption: "Buffer of one circuit at each node: N2 + N3, with N2 = 10, filled completely \
                  while the output is occupied."
            .into(),
        columns,
        rows: LENGTHS.map(row).to_vec(),
    }
}

fn plot(sizes: &[Size]) -> Plot {
    let km = |tenths: u64| tenths as f64 / 10.0;
    let curve = |rate| {
        let cells = LENGTHS.map(|tenths| of(sizes, tenths, rate).filled.into());
        let x = LENGTHS.map(km).to_vec();
        Curve::new(format!("{rate} Mbps"), Style::Line, x, cells.to_vec())
    };
    let printed = PRINTED.map(|(tenths, _, cells)| (km(tenths), f64::from(cells)));
    let (x, y) = printed.into_iter().unzip();
    let mut curves = RATES_MBPS.map(curve).to_vec();
    curves.push(Curve::new("paper", Style::Points, x, y));
    Plot {
        id: "fig06".into(),
        title: "Figure 6: buffer of one circuit".into(),
        x: Axis {
            log: true,
            ..Axis::new("link length", "km")
        },
        y: Axis {
            log: true,
            ..Axis::new("N2 + N3", "cells")
        },
        curves,
        note: "Proportional to the circuit's bandwidth, not to the link's.".into(),
        ..Plot::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_of_a_kilometre_by_hand() {
        // 15 us of loop hold 3.5 cells at 100 Mbps and 22.005 at 622 Mbps.
        let lab = Lab::default();
        for (rate, cells) in [(100, 10 + 4), (622, 10 + 23)] {
            let size = size(&lab, 10, rate).expect("it runs");
            assert_eq!((size.limit, size.filled), (cells, cells));
            assert!(size.output > 0.999, "{}", size.output);
        }
    }

    #[test]
    fn a_megabyte_holds_whole_buffers() {
        let size = Size {
            tenths: 10,
            rate_mbps: 100,
            limit: 14,
            filled: 14,
            output: 1.0,
        };
        // 742 bytes each.
        assert_eq!(circuits_in_a_megabyte(&[size]), 1347.0);
    }
}
