//! Figure 3 and Table 1: the regions of the count-based policy, as a run passes through them.

use backwater_kernel::{Rate, Time};
use backwater_net::probe::{ForwardCell, Probe};
use backwater_results::{Axis, Block, Cell, Curve, Plot, Style, Table};
use backwater_scenario::PacketScenario;

use super::policies::UILI;
use super::{FIVE, LARGE};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};

/// Of both runs.
const HEADROOM: Rate = Rate(1_000_000);
/// ACR counts as SR up to one part in so many.
const SLACK: u64 = 1000;
const REGIONS: [(Region, &str, &str); 4] = [
    (Region::A, "A", "ACR > SR + headroom"),
    (Region::B, "B", "SR < ACR <= SR + headroom"),
    (Region::C, "C", "ACR = SR"),
    (Region::D, "D", "ACR < SR"),
];

const WORDS: &str = "SR and ACR at every forward RM cell of two sources under the count-based \
    policy: one of Figure 5, bottlenecked until 200 ms, and the greedy one of Figure 9 that \
    large bursts displace. A backward RM cell counts for the region of the last forward RM \
    cell: in A and B none may raise ACR. Region D is reached while ACR falls and SR is still a \
    mixture of the old and the new rate.";

/// Whose RM cells, and in which run.
struct Source {
    words: &'static str,
    file: &'static str,
    flow: &'static str,
    sets: &'static [(&'static str, &'static str)],
}

const SOURCES: [Source; 2] = [
    Source {
        words: "bottlenecked, Figure 5",
        file: FIVE,
        flow: "VC[1]",
        sets: &[],
    },
    Source {
        words: "greedy, Figure 9",
        file: LARGE,
        flow: "endless back",
        sets: &[
            ("run.duration", "400 ms"),
            (
                UILI,
                "{ kind = \"count\", headroom = \"1 Mbps\", tdf = 0.125 }",
            ),
        ],
    },
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Region {
    A,
    B,
    C,
    D,
}

impl Region {
    fn of(acr: Rate, source_rate: Rate) -> Region {
        let slack = source_rate.0 / SLACK;
        match acr.0 {
            acr if acr > source_rate.0 + HEADROOM.0 => Region::A,
            acr if acr > source_rate.0 + slack => Region::B,
            acr if acr + slack >= source_rate.0 => Region::C,
            _ => Region::D,
        }
    }
}

/// What happened in a region.
#[derive(Clone, Copy, Default)]
struct Seen {
    forward: u64,
    triggered: u64,
    answers: u64,
    /// Answers with more than ACR.
    asked: u64,
    raised: u64,
    lowered: u64,
}

/// Follows one flow.
#[derive(Default)]
struct Watch {
    flow: u32,
    points: Vec<(Region, Rate, Rate)>,
    seen: [Seen; 4],
    region: Option<Region>,
    acr: Rate,
}

impl Probe for Watch {
    fn on_forward(&mut self, _at: Time, flow: u32, cell: ForwardCell) {
        if flow != self.flow {
            return;
        }
        self.acr = cell.acr;
        let Some(source_rate) = cell.source_rate else {
            return;
        };
        let region = Region::of(cell.acr_before, source_rate);
        self.points.push((region, source_rate, cell.acr_before));
        self.region = Some(region);
        let seen = &mut self.seen[region as usize];
        seen.forward += 1;
        seen.triggered += u64::from(cell.acr < cell.acr_before);
    }

    fn on_backward(&mut self, _at: Time, flow: u32, er: Rate, acr: Rate) {
        if flow != self.flow {
            return;
        }
        let before = std::mem::replace(&mut self.acr, acr);
        let Some(region) = self.region else {
            return;
        };
        let seen = &mut self.seen[region as usize];
        seen.answers += 1;
        seen.asked += u64::from(er > before);
        seen.raised += u64::from(acr > before);
        seen.lowered += u64::from(acr < before);
    }
}

pub fn figure_3(lab: &Lab) -> Result<Evidence, LabError> {
    let watches: Vec<Watch> = SOURCES
        .iter()
        .map(|source| {
            Ok(lab
                .run_watched(source.file, source.sets, |it| source.watch(it))?
                .probe)
        })
        .collect::<Result<_, LabError>>()?;
    Ok(Evidence {
        findings: Vec::new(),
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&watches)),
            Block::Table(table(&watches)),
        ],
    })
}

impl Source {
    fn watch(&self, scenario: &PacketScenario) -> Watch {
        let mut flows = scenario.network.flows.iter();
        let flow = flows.position(|flow| flow.name == self.flow);
        Watch {
            flow: flow.expect("a flow of the scenario") as u32,
            ..Watch::default()
        }
    }
}

fn plot(watches: &[Watch]) -> Plot {
    let mbps = |rate: Rate| rate.0 as f64 / 1e6;
    let points = |(region, letter, words): (Region, &str, &str)| {
        let all = watches.iter().flat_map(|watch| &watch.points);
        let of = all.filter(|point| point.0 == region);
        let mut points: Vec<(f64, f64)> = of.map(|(_, x, y)| (mbps(*x), mbps(*y))).collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (x, y) = points.into_iter().unzip();
        Curve::new(format!("region {letter}: {words}"), Style::Points, x, y)
    };
    // Straight lines that are bent where the axes are logarithmic.
    let rates: Vec<f64> = (-8..=36)
        .map(|k| 10_f64.powf(f64::from(k) / 16.0))
        .collect();
    let line = |name: &str, headroom: f64| Curve {
        dashed: true,
        ..Curve::new(
            name,
            Style::Line,
            rates.clone(),
            rates.iter().map(|rate| rate + headroom).collect(),
        )
    };
    let mut curves: Vec<Curve> = REGIONS.into_iter().map(points).collect();
    curves.push(line("ACR = SR", 0.0));
    curves.push(line("ACR = SR + headroom", mbps(HEADROOM)));
    let axis = |label: &str| Axis {
        log: true,
        ..Axis::new(label, "Mbps")
    };
    Plot {
        id: "fig03".into(),
        title: "Figure 3: regions of operation".into(),
        x: axis("SR"),
        y: axis("ACR"),
        curves,
        note: "From A a step of TDF at a time down to B, where the source stays until it wakes up."
            .into(),
        ..Plot::default()
    }
}

fn table(watches: &[Watch]) -> Table {
    let row = |source: usize, (region, letter, words): (Region, &str, &str)| {
        let seen = watches[source].seen[region as usize];
        let numbers = [
            seen.forward,
            seen.triggered,
            seen.answers,
            seen.asked,
            seen.raised,
            seen.lowered,
        ];
        let first = SOURCES[source].words;
        let mut row: Vec<Cell> = vec![first.into(), letter.into(), words.into()];
        row.extend(numbers.map(Cell::from));
        row
    };
    Table {
        name: "table-1".into(),
        caption: "Table 1, counted: RM cells of two sources in each region in 400 ms.".into(),
        columns: vec![
            words("source", "whose RM cells"),
            words("region", "as the paper calls it"),
            words("where", "condition at a forward RM cell"),
            column("forward", "RM cells", "sent in the region"),
            column(
                "triggered",
                "",
                "of these, how many lowered ACR by the policy",
            ),
            column(
                "backward",
                "RM cells",
                "backward RM cells received in the region",
            ),
            column("asked", "", "of these, how many had an ER above ACR"),
            column("raised", "", "and raised ACR"),
            column("lowered", "", "backward RM cells that lowered ACR"),
        ],
        rows: (0..watches.len())
            .flat_map(|source| REGIONS.map(|region| row(source, region)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_by_hand() {
        let mbps = |rate: f64| Rate((rate * 1e6) as u64);
        let of = |acr: f64, source_rate: f64| Region::of(mbps(acr), mbps(source_rate));
        assert!(of(11.1, 10.0) == Region::A);
        assert!(of(11.0, 10.0) == Region::B);
        assert!(of(10.1, 10.0) == Region::B);
        assert!(of(10.005, 10.0) == Region::C);
        assert!(of(9.995, 10.0) == Region::C);
        assert!(of(9.9, 10.0) == Region::D);
    }

    #[test]
    fn answers_count_for_the_region_of_the_last_forward_cell() {
        let mbps = |rate: u64| Rate(rate * 1_000_000);
        let mut watch = Watch {
            flow: 7,
            ..Watch::default()
        };
        let forward = |before: u64, after: u64, source_rate: u64| ForwardCell {
            acr_before: mbps(before),
            acr: mbps(after),
            source_rate: Some(mbps(source_rate)),
        };
        watch.on_forward(Time(1), 7, forward(28, 24, 10));
        watch.on_forward(Time(2), 6, forward(10, 10, 10));
        // ER 30 asks for more and is not followed; 20 lowers.
        watch.on_backward(Time(3), 7, mbps(30), mbps(24));
        watch.on_backward(Time(4), 7, mbps(20), mbps(20));
        watch.on_backward(Time(5), 6, mbps(99), mbps(99));
        watch.on_forward(Time(6), 7, forward(10, 10, 10));
        watch.on_backward(Time(7), 7, mbps(12), mbps(12));
        let of = |region: Region| {
            let seen = watch.seen[region as usize];
            [
                seen.forward,
                seen.triggered,
                seen.answers,
                seen.asked,
                seen.raised,
                seen.lowered,
            ]
        };
        assert_eq!(of(Region::A), [1, 1, 2, 1, 0, 1]);
        assert_eq!(of(Region::C), [1, 0, 1, 1, 1, 0]);
        assert_eq!(of(Region::B), [0; 6]);
        assert_eq!(watch.points.len(), 2);
    }
}
