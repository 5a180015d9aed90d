//! Traces for Perfetto, read back: small runs by hand, slices, arrows and counters.

mod decode;

use backwater_kernel::{Duration, Rate, Rings, Series, Time};
use backwater_net::frames::spec as frames;
use backwater_net::probe::{Probe, Recorder};
use backwater_net::spec::{
    ChannelSpec, CreditRule, CreditSpec, FlowControlSpec, FlowSpec, Measure, NetworkSpec, NodeKind,
    SeriesSpec, Subject,
};
use backwater_net::{Simulation, Specification};
use backwater_results::{PerfettoCells, PerfettoFrames, TraceFile};
use decode::{Slice, Trace, read};

/// Nanoseconds.
const US: u64 = 1_000;

/// A file that outlives its probe.
#[derive(Clone, Default)]
pub struct File(pub std::rc::Rc<std::cell::RefCell<Vec<u8>>>);

impl std::io::Write for File {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Series that record every change, to compare counters with.
fn changes(of: &[(Measure, Subject)], until: Time) -> Recorder {
    let series = of.iter().map(|(measure, of)| SeriesSpec {
        name: String::new(),
        measure: *measure,
        of: *of,
        window: None,
        from: Time::ZERO,
        until,
    });
    Recorder::new(&series.collect::<Vec<_>>())
}

fn run<P: Probe>(spec: &impl Specification, probe: P) -> (P, Time) {
    let mut simulation = Simulation::<Rings, _>::with_probe(spec, probe).expect("a sound network");
    simulation.run();
    let at = simulation.outcome().ended_at;
    (simulation.into_probe(), at)
}

/// A slice with nothing that points to it, us.
fn slice(name: &str, from: u64, to: u64) -> Slice {
    Slice {
        from,
        to,
        name: name.into(),
        by: None,
    }
}

fn by(slice: Slice, path: &str, name: &str) -> Slice {
    Slice {
        by: Some((path.into(), name.into())),
        ..slice
    }
}

/// The last value of each instant, from its first change on.
fn levels(counter: &[(u64, i64)]) -> Vec<(u64, i64)> {
    let mut levels: Vec<(u64, i64)> = Vec::new();
    for &(at, value) in counter {
        match levels.last_mut() {
            Some(last) if last.0 == at => last.1 = value,
            Some(last) if last.1 == value => {}
            _ => levels.push((at, value)),
        }
    }
    levels.dedup_by_key(|level| level.1);
    levels
}

/// The same of a series, whose instants are picoseconds.
fn steps(series: &Series) -> Vec<(u64, i64)> {
    let points = series.x.iter().zip(&series.y);
    let points: Vec<(u64, i64)> = points.map(|(x, y)| (x / 1_000, *y as i64)).collect();
    levels(&points)
}

/// Either may begin with the 0 that holds before anything comes.
fn assert_equal(counter: &[(u64, i64)], series: &Series) {
    let (mut ours, mut theirs) = (levels(counter), steps(series));
    for levels in [&mut ours, &mut theirs] {
        if levels.first().is_some_and(|first| first.1 == 0) {
            levels.remove(0);
        }
    }
    // The last change may be at the end of the run, which a series repeats.
    let shorter = ours.len().min(theirs.len());
    assert!(
        shorter > 4 && ours.len().abs_diff(theirs.len()) <= 1,
        "{ours:?} {theirs:?}"
    );
    ours.truncate(shorter);
    theirs.truncate(shorter);
    assert_eq!(ours, theirs);
}

/// S at 100 Mbps sends frames of 1,000 bytes to D at 10 Mbps; stopped above 5 frames at A.
fn stopped_source() -> frames::EthernetSpec {
    let back_pressure = frames::BackPressureSpec {
        classes: 0xff,
        select: frames::Select::Port,
        detect: frames::Detect::Outputs,
        notify: frames::Notify::Others,
        message: frames::Message::UntilCancelled,
        binding: Default::default(),
        time_out: None,
        blocked: None,
    };
    let node = |name: &str, kind| frames::NodeSpec {
        name: name.into(),
        kind,
        is_deaf: false,
        watchdog: None,
        promised: 0,
    };
    let switch = frames::SwitchSpec {
        forwarding: frames::Forwarding::StoreAndForward,
        latency: Duration::ZERO,
        memory: frames::MemorySpec::Queues,
        stops: Some(back_pressure).into(),
    };
    let station = || frames::NodeKind::Station { storm: None };
    frames::EthernetSpec {
        seed: 1,
        stop_at: Time(10_000_000_000),
        warm_up: Time::ZERO,
        nodes: vec![
            node("S", station()),
            node("A", frames::NodeKind::Switch(switch)),
            node("D", station()),
        ],
        links: vec![link([0, 1], 100), link([1, 2], 10)],
        rules: frames::FrameRules::shortest(Duration(200_000_000_000)),
        flows: vec![file()],
        outages: Vec::new(),
    }
}

/// Stopped above 5 frames, until there are less than 4.
fn link(ends: [u32; 2], mbps: u64) -> frames::LinkSpec {
    let queue = frames::QueueSpec {
        limit_bytes: Some(70_000),
        high_bytes: 5_000,
        low_bytes: 4_000,
        priority: 0,
        quantum_bytes: 1518,
        reserve: None,
        ecn: None,
        rocc: None,
        trim: None,
    };
    let channel = frames::ChannelSpec {
        counters: None,
        rate: Rate(mbps * 1_000_000),
        delay: Duration(500_000),
        errors: Default::default(),
        scheduler: frames::SchedulerSpec::StrictPriority,
        queues: vec![queue],
        inputs: Vec::new(),
        credits: Vec::new(),
        stopped: frames::StoppedSpec {
            response: Duration(3_000_000),
            ..Default::default()
        },
    };
    frames::LinkSpec::symmetric(ends, channel.into())
}

/// All that S has, in frames of 1,000 bytes.
fn file() -> frames::FlowSpec {
    frames::FlowSpec {
        name: "file".into(),
        source: 0,
        destination: 2,
        others: Vec::new(),
        class: 0,
        is_tagged: false,
        transport: frames::TransportSpec::Udp {
            payload_bytes: 954,
            has_rtp: false,
            is_ect: false,
        },
        traffic: frames::TrafficSpec::Infinite {
            start: Time::ZERO,
            bytes: None,
        },
    }
}

fn of_frames(spec: &frames::EthernetSpec) -> (Vec<u8>, Vec<Series>) {
    let class = |channel| Subject::Class { channel, class: 0 };
    let recorder = changes(&[(Measure::Queue, class(2))], spec.stop_at);
    let file = File::default();
    let mut probe = PerfettoFrames::new(spec);
    probe.begin(file.clone(), "test").expect("memory");
    let ((mut probe, recorder), at) = run(spec, (probe, recorder));
    probe.finish(at.ps()).expect("it is written");
    (file.0.take(), recorder.series(at))
}

/// The times of a stop by hand: the sixth frame is in the switch before the first has left it.
#[test]
fn a_stop_and_what_it_stops_are_slices_with_an_arrow() {
    let (content, series) = of_frames(&stopped_source());
    let trace = read(&content).expect("it can be read");
    // Frames with preamble and gap; 84 bytes of control; the way.
    let (fast, slow, control, way) = (81_600, 816 * US, 6_720, 500);
    let (port, back) = ("S/S -> A", "A/A -> S");
    let frame = |from: u64| slice("file", from, from + fast);
    let stop = 6 * fast + way;
    let obeyed = stop + control + way + 3 * US;
    // Below 4,000 bytes once the fourth has left at 10 Mbps.
    let resume = fast + way + 4 * slow;
    let resumed = resume + control + way + 3 * US;
    let mut sent: Vec<Slice> = (0..7).map(|k| frame(k * fast)).collect();
    sent.push(slice("blocked", 7 * fast, resumed));
    sent.extend((0..2).map(|k| frame(resumed + k * fast)));
    assert_eq!(trace.slices[port][..10], sent);
    let told = [("pause", stop), ("pause", resume)];
    let told = told.map(|(name, at)| slice(name, at, at + control));
    assert_eq!(trace.slices[back][..2], told);
    let stopped = slice("stopped", obeyed, resumed);
    let stops = &trace.slices["S/S -> A/stops"];
    assert_eq!(stops[0], by(stopped, back, "pause"));
    assert!(stops.iter().all(|stop| stop.by.is_some()));
    let left: Vec<Slice> = (0..5)
        .map(|k| fast + way + k * slow)
        .map(|at| slice("file", at, at + slow))
        .collect();
    assert_eq!(trace.slices["A/A -> D"][..5], left);
    assert_equal(&trace.counters["A/A -> D/queue, class 0"], &series[0]);
}

/// A to S with two cells of credit, which comes back for each cell that has left S: cells of 1 us,
/// links of 10 us.
fn two_cells_of_credit() -> NetworkSpec {
    let mut spec = NetworkSpec::new(Time(200_000_000));
    let nodes = [
        ("A", NodeKind::Host),
        ("S", NodeKind::Switch),
        ("B", NodeKind::Host),
    ];
    let [a, s, b] = nodes.map(|(name, kind)| spec.node(name, kind));
    let channel = || ChannelSpec::new(Rate(424_000_000), Duration(10_000_000));
    let (into, out) = (spec.link([a, s], channel()), spec.link([s, b], channel()));
    let credit = FlowControlSpec::Credit(CreditSpec {
        rule: CreditRule::Relative,
        ..CreditSpec::n23(1, 1, Duration(30_000_000))
    });
    let path = [(into, credit), (out, FlowControlSpec::None)];
    spec.flows.push(FlowSpec::new("VC", a, &path));
    spec
}

/// Two circuits, and the way out of S is slower: queues grow and credit runs out.
fn crowded() -> NetworkSpec {
    let mut spec = two_cells_of_credit();
    for side in &mut spec.links[1].channels {
        side.rate = Rate(212_000_000);
    }
    let credit = CreditSpec::n23(1, 6, Duration(30_000_000));
    let credit = FlowControlSpec::Credit(credit);
    let path = [(0, credit), (2, FlowControlSpec::None)];
    spec.flows[0] = FlowSpec::new("VC", 0, &path);
    spec.flows.push(FlowSpec::new("other", 0, &path));
    spec
}

#[test]
fn counters_are_the_series_of_the_same_run() {
    let (content, series) = of_cells(&crowded());
    let trace = read(&content).expect("it can be read");
    let counters = ["A/A -> S/credit of VC", "S/S -> B/queue of VC"];
    for (counter, series) in counters.into_iter().zip(&series) {
        assert_equal(&trace.counters[counter], series);
    }
}

fn of_cells(spec: &NetworkSpec) -> (Vec<u8>, Vec<Series>) {
    let leg = |channel| Subject::Leg { flow: 0, channel };
    let of = [(Measure::Credit, leg(0)), (Measure::Queue, leg(2))];
    let recorder = changes(&of, spec.stop_at);
    let file = File::default();
    let mut probe = PerfettoCells::new(spec);
    probe.begin(file.clone(), "test").expect("memory");
    let ((mut probe, recorder), at) = run(spec, (probe, recorder));
    probe.finish(at.ps()).expect("it is written");
    (file.0.take(), recorder.series(at))
}

#[test]
fn a_sender_without_credit_is_blocked_until_credit_comes() {
    let (content, _) = of_cells(&two_cells_of_credit());
    let trace = read(&content).expect("it can be read");
    let port = "A/A -> S";
    let cell = |at: u64| slice("VC", at * US, (at + 1) * US);
    // In at S after 11 us, it goes on at once and frees its place; credit is back at A at 22.
    let mut sent = Vec::new();
    for start in [0, 22, 44] {
        sent.extend([cell(start), cell(start + 1)]);
        sent.push(slice("blocked", (start + 2) * US, (start + 22) * US));
    }
    assert_eq!(trace.slices[port][..9], sent);
    let back = [11, 12, 33, 34].map(|at| slice("credit", at * US, (at + 1) * US));
    assert_eq!(trace.slices["S/S -> A"][..4], back);
    let out = [11, 12, 33, 34].map(cell);
    assert_eq!(trace.slices["S/S -> B"][..4], out);
    // The second cell takes the last credit; from then on each takes what has just come.
    let empty = [(1, 22), (22, 23), (23, 44), (44, 45)];
    let empty = empty.map(|(from, to)| by(slice("no credit", from * US, to * US), port, "VC"));
    assert_eq!(trace.slices["A/A -> S/no credit, VC"][..4], empty);
}

/// A program that is killed leaves a file of whole packets; slices in it may lack their ends.
#[test]
fn what_was_flushed_can_be_read() {
    let spec = crowded();
    let file = File::default();
    let mut probe = PerfettoCells::new(&spec);
    probe.begin(file.clone(), "test").expect("memory");
    let mut simulation = Simulation::<Rings, _>::with_probe(&spec, probe).expect("it builds");
    simulation.run_until(Time(100_000_000));
    simulation.probe_mut().flush().expect("it is written");
    let content = file.0.take();
    assert!(content.len() > 2_000, "{}", content.len());
    if let Err(what) = read(&content) {
        assert!(what.ends_with("a slice without an end"), "{what}");
    }
}

/// The checks above can fail: what is lost or comes too late is seen.
#[test]
fn a_trace_with_something_wrong_does_not_pass() {
    let (content, _) = of_cells(&two_cells_of_credit());
    let whole = read(&content).expect("it can be read");
    let packets = packets(&content);
    let without = |nth: usize| {
        let all = packets
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != nth);
        all.flat_map(|(_, packet)| packet.iter().copied())
            .collect::<Vec<u8>>()
    };
    let mut seen = 0;
    for nth in 1..packets.len() {
        let is_same =
            |trace: &Trace| trace.slices == whole.slices && trace.counters == whole.counters;
        match read(&without(nth)) {
            Ok(trace) if is_same(&trace) => {}
            _ => seen += 1,
        }
    }
    // Categories and what is said beside a name are not read here.
    assert!(seen + 12 > packets.len(), "{seen} of {}", packets.len());
    assert!(read(&content[..content.len() - 1]).is_err());
}

/// Packets, each with its head.
fn packets(mut content: &[u8]) -> Vec<&[u8]> {
    let mut packets = Vec::new();
    while content.len() > 2 {
        let (length, head) = match content[1] {
            short @ 0..0x80 => (usize::from(short), 2),
            low => (usize::from(low & 0x7f) | usize::from(content[2]) << 7, 3),
        };
        let (packet, rest) = content.split_at(head + length);
        packets.push(packet);
        content = rest;
    }
    packets
}
