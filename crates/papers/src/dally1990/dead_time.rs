//! Figure 8 with other dead times of a header.

use backwater_results::{Axis, Block, Cell, Direction, Mark, Plot, Table};

use super::point::{Point, Sets, cell, curve, cycles, estimate, points, ratios};
use super::throughput::{GAIN, LAST_DOUBLING};
use super::{FIG08, SEEDS};
use crate::Evidence;
use crate::columns::column;
use crate::lab::{Lab, LabError};

/// Dead times in cycles; the scenario's is among them.
const DELAYS: [u32; 5] = [0, 1, 2, 3, 4];
/// VCs that the printed numbers are about.
const VCS: [u32; 3] = [1, 8, 16];
/// Shorter than the scenario, in cycles.
const WARM_UP: u32 = 3_000;
const WINDOW: u32 = 1_000;

const WORDS: &str = "The paper gives no dead time of a header. It determines the gain: each \
    cycle lowers the throughput of a single VC, but hardly that of 16 VCs. The gain of the \
    last doubling does not depend on it.";

pub fn other_dead_times(lab: &Lab) -> Result<Evidence, LabError> {
    let settings = DELAYS.iter().flat_map(|delay| {
        VCS.map(|vcs| -> Sets {
            vec![
                ("router.vcs", vcs.to_string()),
                ("router.header_delay", cycles(*delay)),
                ("run.warm_up", cycles(WARM_UP)),
                ("run.measure", cycles(WINDOW)),
            ]
        })
    });
    let points = points(lab, FIG08, &settings.collect::<Vec<_>>(), SEEDS)?;
    let rows: Vec<Delayed> = points.chunks(VCS.len()).map(Delayed::of).collect();
    Ok(Evidence {
        findings: Vec::new(),
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&rows)),
            Block::Table(table(&rows)),
        ],
    })
}

/// Saturation throughput by seed, with one dead time.
struct Delayed {
    one: Vec<f64>,
    eight: Vec<f64>,
    sixteen: Vec<f64>,
}

impl Delayed {
    fn of(points: &[Point]) -> Delayed {
        Delayed {
            one: points[0].throughputs(),
            eight: points[1].throughputs(),
            sixteen: points[2].throughputs(),
        }
    }

    fn gain(&self) -> Vec<f64> {
        ratios(&self.sixteen, &self.one)
    }

    fn last_doubling(&self) -> Vec<f64> {
        ratios(&self.sixteen, &self.eight)
    }
}

fn plot(rows: &[Delayed]) -> Plot {
    let gains: Vec<_> = rows.iter().map(|row| estimate(&row.gain())).collect();
    let x = DELAYS.map(f64::from).to_vec();
    Plot {
        id: "fig08-header-delay".into(),
        title: "Gain of dimension 10 by the dead time of a header".into(),
        x: Axis {
            at: x.clone(),
            ..Axis::new("header delay", "cycles")
        },
        y: Axis::new("16 VCs over one", ""),
        curves: vec![curve("gain", x, &gains)],
        marks: vec![Mark {
            direction: Direction::Horizontal,
            at: GAIN,
            label: "paper: 3.5".into(),
        }],
        ..Plot::default()
    }
}

fn table(rows: &[Delayed]) -> Table {
    let row = |(delay, of): (&u32, &Delayed)| {
        vec![
            Cell::from(*delay),
            cell(&of.one, 4),
            cell(&of.eight, 4),
            cell(&of.sixteen, 4),
            cell(&of.gain(), 2),
            cell(&of.last_doubling(), 3),
        ]
    };
    let mut all = vec![vec![
        "printed".into(),
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        Cell::float(GAIN, 2),
        Cell::float(LAST_DOUBLING, 3),
    ]];
    all.extend(DELAYS.iter().zip(rows).map(row));
    Table {
        name: "fig08-header-delay".into(),
        caption: format!(
            "Dimension 10, {SEEDS} seeds, {WINDOW} cycles after {WARM_UP}: shorter than the \
             figure, which has 2 cycles."
        ),
        columns: vec![
            column(
                "header delay",
                "cycles",
                "between arriving and competing for a VC",
            ),
            column("one VC", "of capacity", "saturation throughput"),
            column("8 VCs", "of capacity", "saturation throughput"),
            column("16 VCs", "of capacity", "saturation throughput"),
            column("gain", "", "16 VCs over one"),
            column("8 to 16", "", "16 VCs over 8"),
        ],
        rows: all,
    }
}

#[cfg(test)]
mod tests {
    use backwater_flit::outcome::FabricOutcome;

    use super::*;

    #[test]
    fn gains_by_hand() {
        let point = |accepted: [f64; 2]| Point {
            outcomes: accepted
                .map(|accepted| FabricOutcome {
                    accepted,
                    ..FabricOutcome::default()
                })
                .to_vec(),
        };
        let row = Delayed::of(&[point([0.25, 0.2]), point([0.75, 0.5]), point([0.75, 0.8])]);
        assert_eq!(row.gain(), [3.0, 4.0]);
        assert_eq!(row.last_doubling(), [1.0, 1.6]);
    }
}
