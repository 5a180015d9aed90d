//! Sections 3, 5.4, 5.5 and 6: all policies of the paper side by side on Figure 5.

use results::{Block, Plot, Table};

use super::FIVE;
use super::policies::{
    AGED, APRIL, AUGUST, AUGUST_SMALL, BASELINE, COUNT, FEBRUARY, Five, GOAL_MBPS, JOINT, JUNE,
    NONE, Policy, TIME, TIME_HELD, TIME_OUT, TIME_PRODUCT, columns,
};
use crate::Evidence;
use crate::columns::words;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const POLICIES: [Policy; 14] = [
    NONE,
    FEBRUARY,
    APRIL,
    JUNE,
    AUGUST,
    AUGUST_SMALL,
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
    proposal comes to the goal and goes back up, as the hysteresis of the count-based one is not \
    in it. The final time-out looks at pauses longer than 500 ms: here it is no policy. Switches \
    that age allocations keep ACR near 1.5 times the source rate, with nothing asked of sources.";

pub fn every_policy(lab: &Lab) -> Result<Evidence, LabError> {
    let runs: Vec<Five> = lab.each(&POLICIES, |policy| Five::run(lab, &policy.sets("1 Mbps")))?;
    let of = |policy: Policy| {
        let at = POLICIES.iter().position(|one| one.name == policy.name);
        &runs[at.expect("a policy that ran")]
    };
    let (joint, out, aged, none) = (of(JOINT), of(TIME_OUT), of(AGED), of(NONE));
    let reached = joint.reached_ms().unwrap_or(f64::NAN);
    let measured = vec![
        Measured::new("joint_at_goal_ms", reached).within(0.0, 100.0),
        Measured::new("joint_excursions", joint.excursions().into()).at_least(2.0),
        Measured::new("time_out_over_none_acr", out.range().1 / none.range().1).within(1.0, 1.0),
        Measured::new("time_out_over_none_queue", out.queue_peak / none.queue_peak)
            .within(1.0, 1.0),
        Measured::new("aging_acr_most_mbps", aged.range().1).within(GOAL_MBPS, 20.0),
        Measured::new("aging_queue_peak_cells", aged.queue_peak).within(0.0, 99.0),
    ];
    Ok(Evidence {
        findings: vec![Finding {
            claim: "kalyanaraman1998.sec54-6.other-policies",
            scenario: FIVE,
            measured,
        }],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(figure_4(joint, of(COUNT))),
            Block::Plot(aged.plot("sec55", "Section 5.5: switches age allocations", "")),
            Block::Table(table(&runs)),
        ],
    })
}

/// Figure 4: joint against count-based.
fn figure_4(joint: &Five, count: &Five) -> Plot {
    let mut plot = joint.plot(
        "fig4",
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
        caption: "Every policy on Figure 5; the first of five circuits that behave alike.".into(),
        columns: columns(first),
        rows: POLICIES.iter().zip(runs).map(row).collect(),
    }
}
