//! Rate and stops of a channel over time, by hand.

use crate::common;

use backwater_kernel::{Series, Time};
use backwater_net::Watched;
use backwater_net::spec::*;
use common::*;

/// Cell times in which 60 cells are sent where N2 is 10, N3 51 and the loop takes 155.
const PERIOD: u64 = 163;

fn series(measure: Measure, flow: Option<u32>, channel: u32, window: Option<u64>) -> SeriesSpec {
    SeriesSpec {
        name: String::new(),
        measure,
        of: Subject::leg(flow, channel),
        window: window.map(cells),
        from: at(20 * PERIOD),
        until: at(24 * PERIOD),
    }
}

fn record(net: &Net, wanted: &[SeriesSpec]) -> Vec<Series> {
    let mut run = Watched::new(&net.spec, wanted, None).expect("a network");
    run.run_until(Time::MAX);
    run.series(at(24 * PERIOD))
}

/// Greedy flows, each with N2 10 and N3 51, over one link with a loop of 155 cells.
fn one_link(flows: usize) -> (Net, u32) {
    let mut net = Net::new(Timing::CutThrough, halves(155), at(24 * PERIOD));
    let (a, b) = (net.node("A", NodeKind::Host), net.node("B", NodeKind::Host));
    let link = net.link(a, b);
    for _ in 0..flows {
        let control = net.n23(10, 51);
        net.flow(a, &[link], control);
    }
    (net, link)
}

fn all_near(series: &Series, wanted: f64) {
    assert_eq!(series.y.len(), 4, "windows of a period each");
    for value in &series.y {
        let off = (value / wanted - 1.0).abs();
        assert!(off < 1e-6, "{value}, should be {wanted}");
    }
}

#[test]
fn a_lone_circuit_sends_60_cells_in_163_and_is_stopped_for_109() {
    let (net, link) = one_link(1);
    let window = Some(PERIOD);
    let found = record(
        &net,
        &[
            series(Measure::Rate, None, link, window),
            series(Measure::Rate, Some(0), link, window),
            series(Measure::Rate, None, link ^ 1, window),
            series(Measure::Stopped, None, link, window),
            series(Measure::Stopped, Some(0), link, window),
        ],
    );
    let part = |cells: f64| cells / PERIOD as f64;
    all_near(&found[0], part(60.0) * RATE.0 as f64);
    all_near(&found[1], part(60.0) * RATE.0 as f64);
    // A credit cell for every ten.
    all_near(&found[2], part(6.0) * RATE.0 as f64);
    // Credit is 0 from the start of each tenth cell to the next credit cell: five times a cell
    // time in the burst, and after its last cell for what is left of the period.
    let stopped = 5.0 + (PERIOD as f64 - 59.0);
    assert_eq!(stopped, 109.0);
    all_near(&found[3], part(stopped));
    all_near(&found[4], part(stopped));
    assert_eq!(
        (found[0].unit, found[3].unit),
        ("bps", "fraction of the time")
    );
}

#[test]
fn without_windows_every_stop_and_every_start_is_a_point() {
    let (net, link) = one_link(1);
    let found = record(
        &net,
        &[
            series(Measure::Stopped, None, link, None),
            series(Measure::Rate, None, link, None),
        ],
    );
    let stops = &found[0];
    // Six stops a period, and their ends, in four periods.
    let changes = stops.x.len();
    assert!((47..=49).contains(&changes), "{changes}");
    assert!(stops.y.windows(2).all(|two| two[0] != two[1]));
    assert!(stops.y.iter().all(|value| [0.0, 1.0].contains(value)));
    assert_eq!(found[1].x.len(), 4 * 60);
    assert!(found[1].y.iter().all(|value| *value == RATE.0 as f64));
}

#[test]
fn a_channel_is_not_stopped_while_one_of_its_flows_may_send() {
    // Three circuits could send 183 cells in a loop of 155: one of them always has credit.
    let (net, link) = one_link(3);
    let window = Some(PERIOD);
    let found = record(
        &net,
        &[
            series(Measure::Rate, None, link, window),
            series(Measure::Stopped, None, link, window),
            series(Measure::Stopped, Some(0), link, window),
        ],
    );
    all_near(&found[0], RATE.0 as f64);
    assert!(
        found[1].y.iter().all(|share| *share < 0.05),
        "{:?}",
        found[1].y
    );
    assert!(
        found[2].y.iter().all(|share| *share > 0.05),
        "{:?}",
        found[2].y
    );
}

#[test]
fn a_channel_without_credit_is_never_stopped() {
    let mut net = Net::new(Timing::CutThrough, cells(3), at(24 * PERIOD));
    let (a, b) = (net.node("A", NodeKind::Host), net.node("B", NodeKind::Host));
    let link = net.link(a, b);
    net.flow(a, &[link], FlowControlSpec::None);
    let found = record(&net, &[series(Measure::Stopped, None, link, Some(PERIOD))]);
    assert_eq!(found[0].y, [0.0; 4]);
}
