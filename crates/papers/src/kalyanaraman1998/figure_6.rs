//! Figures 5 and 6: five sources that are bottlenecked for 200 ms.

use backwater_results::{Block, Table};

use super::FIVE;
use super::policies::{
    AUGUST, AUGUST_PRINTED, BASELINE, COUNT, Five, GOAL_MBPS, ICR, NONE, Policy, Sets, TIME,
    TIME_HELD, WAKE_MS, columns,
};
use crate::Evidence;
use crate::columns::words;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

/// One panel.
struct Panel {
    id: &'static str,
    title: &'static str,
    policy: Policy,
    icr: &'static str,
    headroom: &'static str,
    note: &'static str,
}

const LOW: &str = "1 Mbps";
const HIGH: &str = "155.52 Mbps";

const fn low(id: &'static str, title: &'static str, policy: Policy, note: &'static str) -> Panel {
    Panel {
        id,
        title,
        policy,
        icr: LOW,
        headroom: LOW,
        note,
    }
}

const fn high(
    id: &'static str,
    title: &'static str,
    policy: Policy,
    headroom: &'static str,
    note: &'static str,
) -> Panel {
    Panel {
        id,
        title,
        policy,
        icr: HIGH,
        headroom,
        note,
    }
}

const PANELS: [Panel; 13] = [
    low(
        "fig06a",
        "Figure 6(a): no policy, ICR 1 Mbps",
        NONE,
        "ACR waits at 0.9 of the link; at 200 ms five sources use it.",
    ),
    low(
        "fig06b",
        "Figure 6(b): August 1995, ICR 1 Mbps",
        AUGUST,
        "ACR falls below the source rate, to ICR, and limits the source.",
    ),
    low(
        "fig06b-printed",
        "August 1995, ICR 1 Mbps, with the printed TDF of 0.125/s",
        AUGUST_PRINTED,
        "The rule triggers with almost no effect: ACR stays at what the network offers.",
    ),
    low(
        "fig06c",
        "Figure 6(c): baseline, ICR 1 Mbps",
        BASELINE,
        "Down to the goal, one increase ignored, then up to what the network offers.",
    ),
    low(
        "fig06d",
        "Figure 6(d): count-based, ICR 1 Mbps",
        COUNT,
        "At the goal after nine reductions, and it stays there.",
    ),
    low(
        "fig06e",
        "Figure 6(e): time-based, ICR 1 Mbps",
        TIME,
        "Slow; at the goal nothing keeps it there.",
    ),
    high("fig06a-high", "No policy, ICR 155.52 Mbps", NONE, HIGH, ""),
    high(
        "fig06b-high",
        "August 1995, ICR 155.52 Mbps",
        AUGUST,
        HIGH,
        "ACR is never above ICR: the rule never triggers.",
    ),
    high(
        "fig06c-high",
        "Baseline, ICR 155.52 Mbps",
        BASELINE,
        HIGH,
        "ICR is the headroom: the rule never triggers.",
    ),
    high(
        "fig06d-high",
        "Count-based, ICR 155.52 Mbps",
        COUNT,
        LOW,
        "Its headroom is a separate parameter, 1 Mbps.",
    ),
    high(
        "fig06e-high",
        "Time-based, ICR 155.52 Mbps taken literally",
        TIME,
        HIGH,
        "ICR is the headroom: the rule never triggers.",
    ),
    high(
        "fig06e-headroom",
        "Time-based from 155.52 Mbps, headroom 1 Mbps",
        TIME,
        LOW,
        "Five sources overload the network if they wake up while ACR is above 31 Mbps.",
    ),
    high(
        "fig06e-hold",
        "The same, no increase while ACR > SR",
        TIME_HELD,
        LOW,
        "The rule that the paper does not state keeps it at the goal.",
    ),
];

const WORDS: &str = "The caption of Figure 6 says ICR = 1 Mbps, the text 155.52 and 1. With the \
    large value the rules that contain ICR never trigger; only the count-based rule has a \
    separate headroom, which is the paper's argument for it. Panel (e) can overload the network \
    only if ACR starts high: the last two panels start at 155.52 Mbps with 1 Mbps instead of \
    ICR in the rule. ACR then falls by a constant factor with each RM cell, and stays at the \
    goal only with a rule that the paper does not state: no increase while ACR > SR. Panel (b) \
    as described in the paper needs a TDF far above the printed 0.125, which is run as well.";

pub fn figure_6(lab: &Lab) -> Result<Evidence, LabError> {
    let runs: Vec<Five> = lab.each(&PANELS, |panel| Five::run(lab, &panel.sets()))?;
    let mut blocks = vec![Block::Text(WORDS.into())];
    for (panel, five) in PANELS.iter().zip(&runs) {
        blocks.push(Block::Plot(five.plot(panel.id, panel.title, panel.note)));
    }
    blocks.push(Block::Table(table(&runs)));
    Ok(Evidence {
        findings: findings(&runs),
        blocks,
    })
}

impl Panel {
    fn sets(&self) -> Sets {
        let mut sets = self.policy.sets(self.headroom);
        sets.push((ICR, format!("\"{}\"", self.icr)));
        sets
    }
}

fn of<'a>(runs: &'a [Five], id: &str) -> &'a Five {
    let at = PANELS.iter().position(|panel| panel.id == id);
    &runs[at.expect("a panel that ran")]
}

fn findings(runs: &[Five]) -> Vec<Finding> {
    let [none, baseline, count] = ["fig06a", "fig06c", "fig06d"].map(|id| of(runs, id));
    let august = [of(runs, "fig06b"), of(runs, "fig06b-printed")];
    let time = [of(runs, "fig06e-headroom"), of(runs, "fig06e-hold")];
    let found = [
        ("kalyanaraman1998.fig6a.no-uili", retained(none)),
        ("kalyanaraman1998.fig6b.august-oscillates", dragged(august)),
        (
            "kalyanaraman1998.fig6c.baseline-oscillates",
            swings(baseline),
        ),
        ("kalyanaraman1998.fig6d.count-converges", converges(count)),
        (
            "kalyanaraman1998.fig6e.time-slow",
            slow(of(runs, "fig06d-high"), time),
        ),
    ];
    let finding = |(claim, measured)| Finding {
        claim,
        scenario: FIVE,
        measured,
    };
    found.into_iter().map(finding).collect()
}

fn retained(none: &Five) -> Vec<Measured> {
    vec![
        Measured::new("acr_min_mbps", none.range().0).within(100.0, 155.52),
        Measured::new("queue_peak_cells", none.queue_peak).at_least(10_000.0),
        Measured::new("utilization", none.utilization).within(0.97, 1.0),
    ]
}

fn dragged([august, printed]: [&Five; 2]) -> Vec<Measured> {
    let (least, most) = august.range();
    let (printed_least, printed_most) = printed.range();
    vec![
        Measured::new("acr_min_mbps", least).within(0.99, 1.01),
        Measured::new("acr_max_mbps", most).within(25.0, 155.52),
        Measured::new("source_rate_min_mbps", august.source_rate_least()).within(0.0, 2.0),
        Measured::new("printed_tdf_acr_min_mbps", printed_least).within(26.5, 28.5),
        Measured::new("printed_tdf_acr_max_mbps", printed_most).within(26.5, 28.5),
    ]
}

/// A time that was not reached is not within any bounds.
fn ms(at: Option<f64>) -> f64 {
    at.unwrap_or(f64::NAN)
}

fn swings(baseline: &Five) -> Vec<Measured> {
    vec![
        Measured::new("at_goal_ms", ms(baseline.reached_ms())).within(0.0, 80.0),
        Measured::new("excursions", baseline.excursions().into()).at_least(5.0),
    ]
}

fn converges(count: &Five) -> Vec<Measured> {
    let settled = ms(count.settled_ms());
    let (_, most) = count.acr[0].range(settled, WAKE_MS);
    vec![
        Measured::new("settled_ms", settled).within(0.0, 60.0),
        Measured::new("acr_max_after_mbps", most).within(0.0, 1.1 * GOAL_MBPS),
        Measured::new("queue_peak_cells", count.queue_peak).within(0.0, 99.0),
        Measured::new("utilization", count.utilization).within(0.85, 0.95),
    ]
}

fn slow(count: &Five, [time, held]: [&Five; 2]) -> Vec<Measured> {
    let (count_ms, time_ms) = (ms(count.reached_ms()), ms(time.reached_ms()));
    vec![
        Measured::new("time_over_count", time_ms / count_ms).at_least(3.0),
        Measured::new("count_ms", count_ms),
        Measured::new("time_ms", time_ms),
        Measured::new("without_hold_acr_max_mbps", time.range().1).within(16.5, 155.52),
        Measured::new("with_hold_settled_ms", ms(held.settled_ms())).within(0.0, WAKE_MS),
    ]
}

fn table(runs: &[Five]) -> Table {
    let first = vec![words("panel", "policy and ICR")];
    let row = |(panel, five): (&Panel, &Five)| five.row(vec![panel.title.into()]);
    Table {
        name: "fig06-panels".into(),
        caption: "The first of five identical circuits; queue and utilization of the link \
                  between the switches."
            .into(),
        columns: columns(first),
        rows: PANELS.iter().zip(runs).map(row).collect(),
    }
}
