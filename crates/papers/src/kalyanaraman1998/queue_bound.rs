//! Section 5.2.2: an additive headroom bounds the queue of a simultaneous wake-up.

use backwater_results::{Axis, Block, Cell, Curve, Plot, Style, Table};

use super::WAKE;
use super::policies::{Sets, UILI, run};
use crate::Evidence;
use crate::columns::column;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

/// One wake-up.
struct Case {
    circuits: u32,
    source_mbps: f64,
    headroom_mbps: f64,
    /// Of each link.
    delay_ms: f64,
}

const fn case(circuits: u32, source_mbps: f64, headroom_mbps: f64, delay_ms: f64) -> Case {
    Case {
        circuits,
        source_mbps,
        headroom_mbps,
        delay_ms,
    }
}

const CASES: [Case; 8] = [
    case(14, 9.0, 5.0, 5.0),
    case(14, 9.0, 10.0, 5.0),
    case(15, 8.0, 5.0, 5.0),
    case(15, 8.0, 10.0, 5.0),
    case(10, 11.0, 5.0, 5.0),
    case(10, 11.0, 10.0, 5.0),
    case(10, 11.0, 10.0, 2.5),
    case(14, 9.0, 10.0, 10.0),
];
const INTERVAL_MS: f64 = 1.0;
const NRM: f64 = 32.0;
const CELL_BITS: f64 = 424.0;

const WORDS: &str = "The paper bounds the queue by (ACR - SR) * feedback delay * sources. With \
    only the propagation from switch to source and back as the delay, the bound is exceeded: \
    the switch measures for an interval before it signals a rate, and the rate waits for the \
    next RM cell, Nrm cells away. With both in the feedback delay the bound holds.";

/// What one case came to, in cells.
struct Peak {
    measured: f64,
    retained: f64,
}

pub fn section_522(lab: &Lab) -> Result<Evidence, LabError> {
    let peaks: Vec<Peak> = lab.each(&CASES, |case| {
        Ok(Peak {
            measured: case.peak(lab, &case.count())?,
            retained: case.peak(lab, "{ kind = \"none\" }")?,
        })
    })?;
    Ok(Evidence {
        findings: vec![Finding {
            claim: "kalyanaraman1998.sec522.queue-bound",
            scenario: WAKE,
            measured: measured(&peaks),
        }],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&peaks)),
            Block::Table(table(&peaks)),
        ],
    })
}

fn measured(peaks: &[Peak]) -> Vec<Measured> {
    let over = |bound: &dyn Fn(&Case) -> f64| -> Vec<f64> {
        let all = CASES.iter().zip(peaks);
        all.map(|(case, peak)| peak.measured / bound(case))
            .collect()
    };
    let most = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let (bound, propagation) = (over(&Case::bound), over(&Case::bound_of_paper));
    let exceeded = propagation.iter().filter(|over| **over > 1.0).count();
    let retained = peaks.iter().map(|peak| peak.measured / peak.retained);
    let retained: Vec<f64> = retained.collect();
    vec![
        Measured::new("worst_over_bound", most(&bound)).at_most(1.0),
        // A bound that is never nearly reached says nothing.
        Measured::new("min_over_bound", least(&bound)).at_least(0.5),
        Measured::new("worst_over_propagation_only", most(&propagation)).within(1.0, 1.25),
        Measured::new("cases_over_propagation_only", exceeded as f64),
        Measured::new("worst_over_no_policy", most(&retained)).at_most(0.25),
    ]
}

/// Each peak beside both forms of the bound.
fn plot(peaks: &[Peak]) -> Plot {
    let dashed = |name: &str, bound: &dyn Fn(&Case) -> f64| {
        let mut points: Vec<(f64, f64)> = CASES
            .iter()
            .map(|case| (case.bound(), bound(case)))
            .collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (x, y) = points.into_iter().unzip();
        Curve {
            dashed: true,
            ..Curve::new(name, Style::Line, x, y)
        }
    };
    let mut found: Vec<(f64, f64)> = CASES
        .iter()
        .zip(peaks)
        .map(|(case, peak)| (case.bound(), peak.measured))
        .collect();
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (x, y) = found.into_iter().unzip();
    Plot {
        id: "sec522-queue-bound".into(),
        title: "Section 5.2.2: the queue and its bound".into(),
        x: Axis::new("bound with interval and RM gap", "cells"),
        y: Axis {
            min: Some(0.0),
            ..Axis::new("queue max", "cells")
        },
        curves: vec![
            Curve::new("measured", Style::Points, x, y),
            dashed("bound", &Case::bound),
            dashed("paper: propagation only", &Case::bound_of_paper),
        ],
        note: "One point per case. The bound holds below its line.".into(),
        ..Plot::default()
    }
}

impl Case {
    fn count(&self) -> String {
        let headroom = self.headroom_mbps;
        format!("{{ kind = \"count\", headroom = \"{headroom} Mbps\", tdf = 0.125 }}")
    }

    /// Most cells at X for Y.
    fn peak(&self, lab: &Lab, uili: &str) -> Result<f64, LabError> {
        let (n, rate) = (self.circuits, self.source_mbps);
        let number = |key: &'static str| (key, n.to_string());
        let limit =
            format!("[{{ from = \"0 s\", rate = \"{rate} Mbps\" }}, {{ from = \"600 ms\" }}]");
        let sets: Sets = vec![
            (
                "network.hosts",
                format!("[\"S{{1..{n}}}\", \"D{{1..{n}}}\"]"),
            ),
            number("links.S{i}-X.count"),
            number("links.Y-D{i}.count"),
            number("flows.VC.count"),
            ("flows.VC.traffic.limits", limit),
            (
                "flows.VC.source_control.frtt",
                format!("\"{} ms\"", 6.0 * self.delay_ms),
            ),
            ("link.delay", format!("\"{} ms\"", self.delay_ms)),
            (UILI, uili.into()),
        ];
        let run = run(lab, WAKE, &sets)?;
        let rate = run.channel("X->Y").rate.as_deref().copied();
        Ok(rate.map_or(f64::NAN, |rate| rate.queue_max as f64))
    }

    /// Cells that come too much in `delay_ms`.
    fn excess(&self, delay_ms: f64) -> f64 {
        f64::from(self.circuits) * self.headroom_mbps * 1e3 * delay_ms / CELL_BITS
    }

    /// Propagation from the switch to the source and back.
    fn bound_of_paper(&self) -> f64 {
        self.excess(2.0 * self.delay_ms)
    }

    /// The same with an averaging interval and the gap between RM cells before the wake-up.
    fn bound(&self) -> f64 {
        let gap_ms = NRM * CELL_BITS / (self.source_mbps * 1e3);
        self.excess(2.0 * self.delay_ms + INTERVAL_MS + gap_ms)
    }
}

fn table(peaks: &[Peak]) -> Table {
    let row = |(case, peak): (&Case, &Peak)| {
        vec![
            case.circuits.into(),
            Cell::float(case.source_mbps, 0),
            Cell::float(case.headroom_mbps, 0),
            Cell::float(case.delay_ms, 1),
            Cell::float(peak.measured, 0),
            Cell::float(case.bound_of_paper(), 0),
            Cell::float(case.bound(), 0),
            Cell::float(peak.retained, 0),
        ]
    };
    Table {
        name: "queue-bound".into(),
        caption: "Circuits start at the link's rate and are reduced by the count-based policy; \
                  all wake up at 600 ms."
            .into(),
        columns: vec![
            column("circuits", "", "that wake up"),
            column("SR", "Mbps", "source rate before"),
            column("headroom", "Mbps", "ACR - SR"),
            column("delay", "ms", "propagation of each link"),
            column("queue max", "cells", "measured at X for Y"),
            column("propagation only", "cells", "the paper's form of the bound"),
            column(
                "bound",
                "cells",
                "with averaging interval and RM gap in the delay",
            ),
            column("no policy", "cells", "peak queue without a policy"),
        ],
        rows: CASES.iter().zip(peaks).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bounds;

    #[test]
    fn bounds_by_hand() {
        // 14 * 5 Mbps * 10 ms / 424 bits, and 12.5075 ms.
        assert_eq!(CASES[0].bound_of_paper().round(), 1651.0);
        assert_eq!(CASES[0].bound().round(), 2065.0);
    }

    /// Each case has `share` of its bound, and `retained` cells without a policy.
    fn outside(share: f64, retained: f64) -> Vec<String> {
        let peaks = CASES.iter().map(|case| Peak {
            measured: share * case.bound(),
            retained,
        });
        let all = measured(&peaks.collect::<Vec<_>>()).into_iter();
        let is_outside = |one: &Measured| {
            let inside = |Bounds { low, high }| (low..=high).contains(&one.value);
            !one.bounds.is_none_or(inside)
        };
        all.filter(is_outside).map(|one| one.name).collect()
    }

    #[test]
    fn peaks_below_their_bounds_alone_are_accepted() {
        assert_eq!(outside(0.85, 1e6), [""; 0]);
        let over = outside(1.01, 1e6);
        assert_eq!(over, ["worst_over_bound", "worst_over_propagation_only"]);
        let under = outside(0.4, 1e6);
        assert_eq!(under, ["min_over_bound", "worst_over_propagation_only"]);
        assert_eq!(outside(0.85, 100.0), ["worst_over_no_policy"]);
    }
}
