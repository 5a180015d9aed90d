//! Sections 3, 5.4, 5.5 and 6: all policies of the paper side by side on Figure 5.

use backwater_results::{Block, Plot, Table};

use super::policies::{
    AGED, APRIL, AUGUST, AUGUST_PRINTED, AUGUST_SMALL, BASELINE, COUNT, FEBRUARY, Five, GOAL_MBPS,
    JOINT, JUNE, NONE, Policy, TIME, TIME_HELD, TIME_OUT, TIME_PRODUCT, columns,
};
use super::{FIVE, time_out};
use crate::Evidence;
use crate::columns::words;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const POLICIES: [Policy; 15] = [
    NONE,
    FEBRUARY,
    APRIL,
    JUNE,
    AUGUST,
    AUGUST_SMALL,
    AUGUST_PRINTED,
    BASELINE,
    COUNT,
    TIME,
    TIME_PRODUCT,
    TIME_HELD,
    JOINT,
    TIME_OUT,
    AGED,
];

const WORDS: &str = "ICR 1 Mbps, headroom 1 Mbps, sources at 10 Mbps until 200 ms. The joint \
    proposal reaches the goal and rises again, since it lacks the hysteresis of the count-based \
    one. Switches that age allocations keep ACR near 1.5 times the source rate, without any \
    action of the sources. The final time-out acts only on pauses longer than 500 ms: in this \
    table it has no effect. In the second table the same circuits pause from 200 ms, for less \
    or more than that, and then use their whole allowed rate.";

pub fn every_policy(lab: &Lab) -> Result<Evidence, LabError> {
    let runs: Vec<Five> = lab.each(&POLICIES, |policy| Five::run(lab, &policy.sets("1 Mbps")))?;
    let of = |policy: Policy| {
        let at = POLICIES.iter().position(|one| one.name == policy.name);
        &runs[at.expect("a policy that ran")]
    };
    let (joint, aged) = (of(JOINT), of(AGED));
    let pauses = time_out::run(lab)?;
    let mut measured = measured(joint, aged);
    measured.extend(time_out::measured(&pauses));
    Ok(Evidence {
        findings: vec![Finding {
            claim: "kalyanaraman1998.sec54-6.other-policies",
            scenario: FIVE,
            measured,
        }],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(figure_4(joint, of(COUNT))),
            Block::Plot(aged.plot("sec55-aging", "Section 5.5: switches age allocations", "")),
            Block::Table(table(&runs)),
            Block::Plot(time_out::plot(&pauses)),
            Block::Table(time_out::table(&pauses)),
        ],
    })
}

fn measured(joint: &Five, aged: &Five) -> Vec<Measured> {
    let reached = joint.reached_ms().unwrap_or(f64::NAN);
    vec![
        Measured::new("joint_at_goal_ms", reached).within(0.0, 100.0),
        Measured::new("joint_excursions", joint.excursions().into()).at_least(2.0),
        Measured::new("aging_acr_max_mbps", aged.range().1).within(GOAL_MBPS, 20.0),
        Measured::new("aging_queue_peak_cells", aged.queue_peak).within(0.0, 99.0),
    ]
}

/// Figure 4: joint against count-based.
fn figure_4(joint: &Five, count: &Five) -> Plot {
    let mut plot = joint.plot(
        "fig04",
        "Figure 4: the joint and the count-based proposal",
        "One increase ignored after each reduction, or all of them until ACR is used.",
    );
    plot.curves = vec![
        joint.acr[0].curve("ACR, joint"),
        count.acr[0].curve("ACR, count-based"),
        joint.source_rate.curve("source rate"),
    ];
    (plot.x.max, plot.y.max) = (Some(200.0), Some(40.0));
    plot
}

fn table(runs: &[Five]) -> Table {
    let first = vec![words("policy", "what is done about unused rate")];
    let row = |(policy, five): (&Policy, &Five)| five.row(vec![policy.name.into()]);
    Table {
        name: "policies".into(),
        caption: "Every policy on Figure 5; the first of five identical circuits.".into(),
        columns: columns(first),
        rows: POLICIES.iter().zip(runs).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::steps::Steps;
    use super::*;
    use crate::Bounds;

    fn five(acr: &[(f64, f64)], queue_peak: f64) -> Five {
        Five {
            acr: vec![Steps::by_hand(acr)],
            source_rate: Steps::by_hand(&[(0.0, 10.0)]),
            queue_peak,
            utilization: 0.9,
        }
    }

    fn outside(joint: &Five, aged: &Five) -> Vec<String> {
        let is_outside = |one: &Measured| {
            let inside = |Bounds { low, high }| (low..=high).contains(&one.value);
            !one.bounds.is_none_or(inside)
        };
        let all = measured(joint, aged).into_iter();
        all.filter(is_outside).map(|one| one.name).collect()
    }

    #[test]
    fn the_joint_rule_leaves_its_goal_and_aging_stays() {
        let swings = [
            (0.0, 28.0),
            (50.0, 11.0),
            (110.0, 28.0),
            (120.0, 11.0),
            (150.0, 28.0),
        ];
        let swings = five(&swings, 5.0);
        let stays = five(&[(0.0, 28.0), (150.0, 15.0)], 5.0);
        let late = five(&[(0.0, 28.0), (50.0, 15.0)], 13_000.0);
        let calm = five(&[(0.0, 28.0), (50.0, 15.5)], 5.0);
        assert_eq!(outside(&swings, &calm), [""; 0]);
        let wrong = outside(&calm, &swings);
        let wanted = ["joint_at_goal_ms", "joint_excursions", "aging_acr_max_mbps"];
        assert_eq!(wrong, wanted);
        assert_eq!(outside(&swings, &stays), ["aging_acr_max_mbps"]);
        assert_eq!(outside(&swings, &late), ["aging_queue_peak_cells"]);
    }
}
