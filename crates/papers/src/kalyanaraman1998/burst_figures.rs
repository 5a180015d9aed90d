//! Figures 10 to 12: the source rate over bursts of three sizes, under every policy.

use backwater_net::outcome::BurstOutcome;
use backwater_results::{Axis, Block, Curve, Direction, Mark, Plot, Style};

use super::bursts::{
    Bursts, HEADROOM, ICR_BPS, LARGE_BURSTS, MEDIUM_BURSTS, SMALL_BURSTS, Size, of_server, table,
};
use super::policies::{AGED, AUGUST, BASELINE, COUNT, JOINT, NONE, Policy, TIME, TIME_OUT, run};
use super::steps::Steps;
use crate::Evidence;
use crate::lab::{Lab, LabError, Run};

const POLICIES: [Policy; 8] = [NONE, AUGUST, BASELINE, COUNT, TIME, JOINT, TIME_OUT, AGED];
const PS_PER_MS: f64 = 1e9;

const WORDS: &str = "ACR of the server while it sends a burst, 0 between bursts, as in the \
    paper: several small bursts, one medium, one large one, from the first after the warm-up. \
    The final time-out has no effect, as no pause lasts 500 ms; aging in the switch keeps \
    bursts at ICR.";

/// A figure of the paper.
struct Figure {
    size: Size,
    id: &'static str,
    title: &'static str,
    /// From the arrival of its first burst on.
    drawn_ms: f64,
    note: &'static str,
    /// Printed rates in Mbps.
    marks: &'static [(f64, &'static str)],
}

const ICR_MARK: (f64, &str) = (10.0, "paper: ICR");

const FIGURES: [Figure; 3] = [
    Figure {
        size: SMALL_BURSTS,
        id: "fig10",
        title: "Figure 10: source rate of small bursts",
        drawn_ms: 150.0,
        note: "16 cells a burst. Time-based: one in three is fast; count-based: none.",
        marks: &[ICR_MARK],
    },
    Figure {
        size: MEDIUM_BURSTS,
        id: "fig11",
        title: "Figure 11: source rate of a medium burst",
        drawn_ms: 12.0,
        note: "256 cells. Printed are mean source rates. The first RM cell triggers once.",
        marks: &[
            ICR_MARK,
            (120.0, "paper: mean, count-based"),
            (68.0, "paper: mean, time-based"),
        ],
    },
    Figure {
        size: LARGE_BURSTS,
        id: "fig12",
        title: "Figure 12: source rate of a large burst",
        drawn_ms: 80.0,
        note: "8192 cells. Backward RM cells arrive while the burst is sent.",
        marks: &[ICR_MARK],
    },
];

/// A run with one policy.
struct Drawn {
    bursts: Bursts,
    rate: Steps,
    /// Mean source rate of the first bursts counted, in Mbps.
    by_burst: Vec<f64>,
}

pub fn figures_10_to_12(lab: &Lab) -> Result<Evidence, LabError> {
    let mut blocks = vec![Block::Text(WORDS.into())];
    for figure in &FIGURES {
        let found = lab.each(&POLICIES, |policy| {
            let run = run(lab, figure.size.file, &policy.sets(HEADROOM))?;
            Ok(Drawn::of(&run, figure.drawn_ms))
        })?;
        blocks.push(Block::Plot(figure.plot(&found)));
        if figure.id == "fig10" {
            blocks.push(Block::Plot(by_burst(&found)));
        }
        let bursts: Vec<Bursts> = found.iter().map(|drawn| drawn.bursts).collect();
        let name = figure.size.table;
        blocks.push(Block::Table(table(name, figure.size, &POLICIES, &bursts)));
    }
    Ok(Evidence {
        findings: Vec::new(),
        blocks,
    })
}

impl Drawn {
    fn of(run: &Run<()>, drawn_ms: f64) -> Drawn {
        const SHOWN: usize = 24;
        let from = run.scenario.network.warm_up;
        let counted = of_server(run).iter().filter(|one| one.arrived >= from);
        let counted: Vec<BurstOutcome> = counted.copied().collect();
        let cell = run.scenario.cell;
        let mean = |burst: &BurstOutcome| {
            let one = std::slice::from_ref(burst);
            Bursts::of(one, from, cell, ICR_BPS).rate_mbps
        };
        Drawn {
            bursts: Bursts::of_run(run, ICR_BPS),
            rate: source_rate(
                &Steps::new(run.series("ACR of the server")),
                &counted,
                drawn_ms,
            ),
            by_burst: counted.iter().take(SHOWN).map(mean).collect(),
        }
    }
}

/// ACR while one of `bursts` is under way, from the arrival of the first one on, which is 0 ms.
fn source_rate(acr: &Steps, bursts: &[BurstOutcome], drawn_ms: f64) -> Steps {
    let ms = |at: backwater_kernel::Time| at.ps() as f64 / PS_PER_MS;
    let start = bursts.first().map_or(0.0, |burst| ms(burst.arrived));
    let spans = bursts.iter().map(|burst| {
        let end = burst.sent.map_or(f64::INFINITY, ms);
        (ms(burst.arrived), end.min(start + drawn_ms))
    });
    let spans: Vec<(f64, f64)> = spans.filter(|(begin, end)| begin < end).collect();
    acr.within(&spans).shifted(start)
}

impl Figure {
    fn plot(&self, found: &[Drawn]) -> Plot {
        let curve = |(policy, drawn): (&Policy, &Drawn)| drawn.rate.curve(policy.name);
        let mark = |(at, label): &(f64, &str)| Mark {
            direction: Direction::Horizontal,
            at: *at,
            label: (*label).into(),
        };
        Plot {
            id: self.id.into(),
            title: self.title.into(),
            x: Axis {
                min: Some(0.0),
                max: Some(self.drawn_ms),
                ..Axis::new("time", "ms")
            },
            y: Axis {
                min: Some(0.0),
                max: Some(160.0),
                ..Axis::new("source rate", "Mbps")
            },
            curves: POLICIES.iter().zip(found).map(curve).collect(),
            note: self.note.into(),
            marks: self.marks.iter().map(mark).collect(),
        }
    }
}

/// Small bursts are short beside their pauses: the same, one dot a burst.
fn by_burst(found: &[Drawn]) -> Plot {
    let curve = |(policy, drawn): (&Policy, &Drawn)| {
        let x = (1..=drawn.by_burst.len()).map(|at| at as f64).collect();
        Curve::new(policy.name, Style::Points, x, drawn.by_burst.clone())
    };
    Plot {
        id: "fig10-by-burst".into(),
        title: "The same, burst by burst".into(),
        x: Axis::new("burst", ""),
        y: Axis {
            min: Some(0.0),
            ..Axis::new("mean source rate", "Mbps")
        },
        curves: POLICIES.iter().zip(found).map(curve).collect(),
        ..Plot::default()
    }
}

#[cfg(test)]
mod tests {
    use backwater_kernel::{Rate, Time};

    use super::*;

    #[test]
    fn the_rate_is_acr_while_a_burst_is_sent() {
        let at = |ms: f64| Time((ms * PS_PER_MS) as u64);
        let burst = |from: f64, to: Option<f64>| BurstOutcome {
            arrived: at(from),
            sent: to.map(at),
            data_cells: 1,
            in_rate_cells: 1,
            first_acr: Rate(0),
            reductions: 0,
        };
        // ACR: 140, from 12 ms on 10, from 15 ms on 70.
        let acr = Steps::by_hand(&[(0.0, 140.0), (12.0, 10.0), (15.0, 70.0)]);
        let bursts = [
            burst(11.0, Some(13.0)),
            burst(16.0, Some(17.0)),
            burst(20.0, None),
            burst(99.0, Some(100.0)),
        ];
        let drawn = source_rate(&acr, &bursts, 10.0).curve("");
        assert_eq!(drawn.x, [0.0, 1.0, 2.0, 5.0, 6.0, 9.0, 10.0]);
        assert_eq!(drawn.y, [140.0, 10.0, 0.0, 70.0, 0.0, 70.0, 0.0]);
    }
}
