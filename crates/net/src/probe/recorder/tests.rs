//! Series by hand.

use backwater_kernel::Duration;

use super::*;
use crate::frames::testing;
use crate::probe::{Content, FrameView};
use crate::simulation::plan::Specification;

/// Of two hosts at a switch, whose channels have two classes.
fn recorder(measures: &[(Measure, Subject)]) -> Recorder {
    recorder_until(measures, Time::MAX)
}

fn recorder_until(measures: &[(Measure, Subject)], until: Time) -> Recorder {
    let series: Vec<SeriesSpec> = measures
        .iter()
        .map(|(measure, of)| SeriesSpec {
            name: "s".into(),
            measure: *measure,
            of: *of,
            window: Some(Duration(100)),
            from: Time::ZERO,
            until,
        })
        .collect();
    let mut recorder = Recorder::new(&series);
    let plan = testing::spec(None).plan().expect("a sound network");
    recorder.on_begin(&plan.network);
    recorder
}

fn frame(class: u8) -> FrameView {
    FrameView {
        flow: 0,
        number: 0,
        source: 0,
        destination: 1,
        receivers: (0, 1),
        class,
        bytes: 64,
        is_tagged: false,
        is_ect: false,
        is_marked: false,
        born: Time::ZERO,
        content: Content::Udp {
            bytes: 1,
            number: 0,
            has_rtp: false,
        },
    }
}

/// What happens after the end of a series changes none of its windows.
#[test]
fn nothing_counts_after_the_end() {
    let (channel, class) = (1, 1);
    let of_class = (Measure::Queue, Subject::Class { channel, class });
    let mut recorder = recorder_until(&[of_class], Time(300));
    recorder.on_frame_joined(Time(50), 1, &(&frame(1)).into(), 64);
    recorder.on_frame_joined(Time(250), 1, &(&frame(1)).into(), 128);
    let expected = recorder.series(Time(900)).remove(0);
    assert_eq!(expected.y, [32.0, 64.0, 96.0]);
    for at in [310, 450, 460] {
        recorder.on_frame_sent(Time(at), 1, 1, 0);
    }
    assert_eq!(recorder.series(Time(900)), [expected]);
}

#[test]
fn a_queue_is_averaged_over_the_time_it_holds() {
    let (channel, class) = (1, 1);
    let mut recorder = recorder(&[(Measure::Queue, Subject::Class { channel, class })]);
    recorder.on_frame_joined(Time(50), 1, &(&frame(1)).into(), 64);
    recorder.on_frame_joined(Time(60), 1, &(&frame(0)).into(), 9999);
    recorder.on_frame_joined(Time(60), 0, &(&frame(1)).into(), 9999);
    recorder.on_frame_sent(Time(325), 1, 1, 0);
    let series = &recorder.series(Time(450))[0];
    assert_eq!(series.x, [50, 150, 250, 350], "whole windows only");
    assert_eq!(series.y, [32.0, 64.0, 64.0, 16.0]);
    assert_eq!(recorder.series(Time(99))[0].y, [0.0; 0]);
}

#[test]
fn what_is_stopped_twice_goes_when_both_let_go() {
    let measure = |class| (Measure::Stopped, Subject::Class { channel: 0, class });
    let mut recorder = recorder(&[measure(0), measure(1)]);
    recorder.on_gate(Time(0), 0, Gate::Port, true);
    recorder.on_gate(Time(50), 0, Gate::Destination(1, 7), true);
    recorder.on_gate(Time(100), 0, Gate::Port, false);
    recorder.on_gate(Time(175), 0, Gate::Destination(1, 7), false);
    recorder.on_gate(Time(175), 1, Gate::Port, true);
    let series = recorder.series(Time(300));
    assert_eq!(series[0].y, [1.0, 0.0, 0.0]);
    assert_eq!(series[1].y, [1.0, 0.75, 0.0]);
    assert_eq!(series[0].unit, "share");
}

#[test]
fn goodput_is_payload_over_the_window_in_which_it_came() {
    let goodput = |of| (Measure::Goodput, of);
    let mut recorder = recorder(&[goodput(Subject::Flow(1)), goodput(Subject::Flows)]);
    recorder.on_payload(Time(100), 1, true, 125);
    recorder.on_payload(Time(101), 1, true, 250);
    recorder.on_payload(Time(120), 0, true, 125);
    recorder.on_payload(Time(130), 1, false, 5000);
    let series = recorder.series(Time(200));
    // 1000 bits in 100 ps are 10^13 bit/s.
    assert_eq!(series[0].y, [1e7, 2e7]);
    assert_eq!(series[1].y, [1e7, 3e7]);
}

#[test]
fn a_buffer_is_the_sum_of_the_queues_of_its_node() {
    let mut recorder = recorder(&[(Measure::Stored, Subject::Node(1))]);
    recorder.on_frame_joined(Time(0), 1, &(&frame(0)).into(), 64);
    recorder.on_frame_joined(Time(0), 2, &(&frame(1)).into(), 100);
    recorder.on_frame_joined(Time(0), 0, &(&frame(1)).into(), 5000);
    recorder.on_frame_sent(Time(50), 2, 1, 0);
    let series = &recorder.series(Time(200))[0];
    assert_eq!(
        (series.unit, series.y.as_slice()),
        ("bytes", &[114.0, 64.0][..])
    );
}

#[test]
fn rates_stops_and_marks_are_counted_where_they_leave() {
    let measures = [Measure::Rate, Measure::Stops, Measure::Marks];
    let mut recorder = recorder(&measures.map(|measure| (measure, Subject::Channel(0))));
    let marked = FrameView {
        is_marked: true,
        ..frame(0)
    };
    let stop = |quanta| FrameView {
        content: Content::Pause { quanta },
        ..frame(0)
    };
    recorder.on_frame_start(Time(10), 0, &(&frame(0)).into());
    recorder.on_frame_start(Time(20), 0, &(&marked).into());
    recorder.on_frame_start(Time(30), 1, &(&marked).into());
    recorder.on_frame_start(Time(120), 0, &(&stop(7)).into());
    recorder.on_frame_start(Time(130), 0, &(&stop(0)).into());
    let series = recorder.series(Time(200));
    // 1024 bits in 100 ps, and one frame in 100 ps.
    let found: Vec<&[f64]> = series.iter().map(|one| one.y.as_slice()).collect();
    assert_eq!(found, [&[1.024e7, 1.024e7][..], &[0.0, 1e10], &[1e10, 0.0]]);
    assert_eq!(series[1].unit, "frames/s");
}

/// However long a run is, a series has a bound; its windows get longer, and what is in them stays.
#[test]
fn a_series_of_too_many_windows_is_thinned() {
    let (channel, class) = (1, 1);
    let mut recorder = recorder(&[
        (Measure::Queue, Subject::Class { channel, class }),
        (Measure::Goodput, Subject::Flows),
    ]);
    let most = backwater_kernel::series::MOST_POINTS as u64;
    let end = Time(300 * most);
    recorder.on_frame_joined(Time(0), 1, &(&frame(1)).into(), 64);
    recorder.on_payload(Time(50), 0, true, 1000);
    assert_eq!(recorder.thinned(Time(99 * most)), []);
    recorder.on_payload(Time(200 * most), 0, true, 1000);
    recorder.on_frame_sent(end, 1, 1, 0);
    let thinned = recorder.thinned(end);
    let groups: Vec<u64> = thinned.iter().map(|one| one.group).collect();
    assert_eq!(groups, [4, 4]);
    let series = recorder.series(end);
    for one in &series {
        assert_eq!(one.x.len() as u64, 300 * most / 400);
        assert_eq!(one.x[..2], [200, 600]);
    }
    assert!(series[0].y.iter().all(|y| *y == 64.0));
    let bits: f64 = series[1].y.iter().map(|y| y * 1e6 * 400e-12).sum();
    assert!((bits - 16_000.0).abs() < 1e-6, "{bits}");
}
