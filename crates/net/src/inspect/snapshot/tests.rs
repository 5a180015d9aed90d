use alloc::vec::Vec;

use backwater_kernel::{Duration, Rate, Rings, Time};

use super::ChannelState;
use crate::Simulation;
use crate::frames::testing;
use crate::spec::{ChannelSpec, FlowControlSpec, FlowSpec, NetworkSpec, NodeKind};

/// Two slow hops: the port in front of the slow one is half as fast.
#[test]
fn a_channel_half_busy_shows_half_in_each_slice() {
    let mut network = NetworkSpec::new(Time(4_000_000_000));
    network.warm_up = Time(1_500_000_000);
    let [a, switch, b] = [
        network.node("a", NodeKind::Host),
        network.node("S", NodeKind::Switch),
        network.node("b", NodeKind::Host),
    ];
    let channel = |mbps: u64| ChannelSpec::new(Rate(mbps * 1_000_000), Duration(1_000));
    let slow = network.link([a, switch], channel(100));
    let fast = network.link([switch, b], channel(200));
    let path = [slow, fast].map(|channel| (channel, FlowControlSpec::None));
    network.flows.push(FlowSpec::new("VC", a, &path));
    let mut run = Simulation::<Rings>::new(&network).expect("it builds");
    let mut states = Vec::new();
    let mut busy = |run: &Simulation<Rings>, at: u64| {
        run.snapshot(Time(at), &mut states);
        [slow, fast].map(|channel| states[channel as usize].busy.ps())
    };
    run.run_until(Time(1_000_000_000));
    let first = busy(&run, 1_000_000_000);
    assert_eq!(first[0], 1_000_000_000);
    assert!(first[1].abs_diff(500_000_000) < 5_000_000, "{first:?}");
    assert!(!run.is_warm());
    run.run_until(Time(1_499_999_999));
    assert_eq!(busy(&run, 1_500_000_000)[0], 1_500_000_000);
    run.run_until(Time(3_000_000_000));
    assert!(run.is_warm());
    let second = busy(&run, 3_000_000_000);
    assert_eq!(second[0], 1_500_000_000);
    assert!(second[1].abs_diff(750_000_000) < 5_000_000, "{second:?}");
    run.run();
    let all = busy(&run, 4_000_000_000);
    let outcome = run.outcome();
    for (channel, busy) in [slow, fast].into_iter().zip(all) {
        let share = outcome.channels[channel as usize].data_share;
        assert!((share * 2.5e9 - busy as f64).abs() < 1.0, "{share} {busy}");
    }
}

/// The share of a stopped class is what the outcome says of it, however the run is cut.
#[test]
fn a_stop_is_measured_in_the_slice_in_which_it_holds() {
    let mut run = testing::Run::new(&testing::spec(None)).expect("it builds");
    let class = 1;
    let mut states = Vec::new();
    let mut stopped = |run: &testing::Run, at: u64| {
        run.snapshot(Time(at), &mut states);
        let state: &ChannelState = &states[testing::OUT as usize];
        state.stopped[class].ps()
    };
    let watch = |run: &mut testing::Run, at: u64, holds: bool| {
        let gates = &mut run.network.classes.gates[testing::OUT as usize];
        gates.class_gates()[class].watch.set(Time(at), holds);
    };
    watch(&mut run, 30, true);
    assert_eq!(stopped(&run, 100), 70);
    watch(&mut run, 120, false);
    assert_eq!(stopped(&run, 200) - 70, 20);
    assert_eq!(stopped(&run, 300), 90);
}
