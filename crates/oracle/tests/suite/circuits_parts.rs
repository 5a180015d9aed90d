//! A run of circuits in several parts is the same run: trace hash, tables, ports, series, what
//! stands still, why and when it ended.

use backwater_ends::TcpSpec;
use backwater_kernel::{Channels, Duration, Purpose, Rate, Rings, Stop, Stream, Time};
use backwater_net::outcome::Outcome;
use backwater_net::parts;
use backwater_net::probe::{Ports, PortsSpec, Recorder, Recovery};
use backwater_net::spec::*;
use backwater_net::{Simulation, watched};
use backwater_oracle::{ServiceMix, abr, exact_window, random_service_spec, random_spec};
use backwater_oracle::{random_residence_spec, random_session_spec, random_warning_spec};

use crate::common::{
    CELL_PS, RULES, cells, control_loss, each_credit, finite, loaded, under, with_errors,
    with_requests,
};
use crate::parts_common::{Turns, counts, difference, words};

const NETWORKS: u64 = 200;
/// Kinds of networks, which have their turns.
const KINDS: u64 = 12;

/// All kinds of networks, by number.
fn network(number: u64) -> NetworkSpec {
    let (seed, turn) = (90_000 + number, number / KINDS);
    let rule = RULES[turn as usize % RULES.len()];
    let mut spec = match number % KINDS {
        0 => random_spec(seed),
        1 => with_requests(with_errors(under(loaded(seed), rule), losses())),
        2 => refreshed(with_errors(under(loaded(seed), rule), losses())),
        3 => under(finite(seed), rule),
        4 => {
            let sources = if turn.is_multiple_of(2) {
                loaded
            } else {
                finite
            };
            with_errors(under(sources(seed), rule), control_loss(0.3))
        }
        5 => random_service_spec(seed, scheduler(turn), ServiceMix::ALL),
        6 => random_warning_spec(seed),
        7 => random_residence_spec(seed),
        8 => abr::random_spec(seed),
        9 => random_session_spec(seed),
        10 => with_tcp(loaded(seed)),
        _ => with_windows(loaded(seed)),
    };
    if turn.is_multiple_of(3) {
        spec.warm_up = Time(spec.stop_at.ps() / 3);
    }
    spec
}

fn losses() -> ErrorSpec {
    ErrorSpec {
        data_loss: 0.01,
        control_loss: 0.1,
        control_corruption: 0.01,
        from: Time(50 * CELL_PS),
    }
}

/// Receivers say again what they have, senders what they have sent.
fn refreshed(mut spec: NetworkSpec) -> NetworkSpec {
    each_credit(&mut spec, |credit| {
        credit.refresh_every = Some(credit.window * 3);
        credit.resync_every = Some(7);
        credit.message_bytes = Some(20);
    });
    spec
}

fn scheduler(number: u64) -> SchedulerSpec {
    let all = [
        SchedulerSpec::Fifo,
        SchedulerSpec::StrictPriority,
        SchedulerSpec::VirtualClock(VirtualClockSpec {
            stamp: Stamp::AuxVc,
            resync: Resync::IdleLink,
            threshold: None,
            alarm_bytes: Some(20),
        }),
        SchedulerSpec::Wfq,
        SchedulerSpec::Wf2qPlus,
        SchedulerSpec::Scfq,
        SchedulerSpec::Sfq,
        SchedulerSpec::Drr { quantum_bytes: 500 },
        SchedulerSpec::Edf,
        SchedulerSpec::Ats {
            max_residence: None,
        },
    ];
    all[number as usize % all.len()]
}

/// Flows with one destination.
fn chains(spec: &NetworkSpec) -> Vec<usize> {
    let is_chain = |flow: &FlowSpec| {
        let parents = flow.legs.iter().map(|leg| leg.parent);
        parents.eq((0..flow.legs.len() as u32).map(|at| at.checked_sub(1)))
    };
    let all = 0..spec.flows.len();
    all.filter(|id| is_chain(&spec.flows[*id])).collect()
}

/// A flow the other way, silent, that is its partner.
fn add_partner(spec: &mut NetworkSpec, id: usize) -> &mut FlowSpec {
    let channels: Vec<u32> = spec.flows[id].legs.iter().map(|leg| leg.channel).collect();
    let back = channels.iter().rev().map(|channel| channel ^ 1);
    let path: Vec<(u32, FlowControlSpec)> = back
        .map(|channel| {
            let credit = CreditSpec::n23(2, 9, exact_window(&spec.links, channel, 53));
            (channel, FlowControlSpec::Credit(credit))
        })
        .collect();
    let (_, to) = spec.links.ends(channels[channels.len() - 1]);
    spec.flows[id].partner = Some(spec.flows.len() as u32);
    let mut back = FlowSpec::new(&format!("a{id}"), to, &path);
    back.traffic = TrafficSpec::Silent;
    spec.flows.push(back);
    &mut spec.flows[id]
}

/// Flows with one destination carry TCP, files or requests, and the others nothing.
fn with_tcp(mut spec: NetworkSpec) -> NetworkSpec {
    let mut dice = Stream::new(spec.seed, 4, Purpose::Pattern);
    let chains = chains(&spec);
    for flow in &mut spec.flows {
        flow.traffic = TrafficSpec::Silent;
        flow.unit_bytes = 53;
    }
    for id in chains {
        let application = match dice.below(3) {
            0 => CellApplication::Requests {
                request_bytes: 300,
                response_bytes: 2_000,
                service: Span::Exponential(cells(30)),
                think: Span::Exponential(cells(60)),
                count: Some(1 + dice.below(5)),
            },
            1 => CellApplication::Bulk(None),
            _ => CellApplication::Bulk(Some(1_000 + dice.below(9_000))),
        };
        add_partner(&mut spec, id).traffic = TrafficSpec::Tcp(CellTcpSpec {
            start: Time(dice.below(100) * CELL_PS),
            tcp: TcpSpec::bsd(),
            application,
            overhead_bytes: 56,
            payload_bytes: 48,
        });
        let back = spec.flows.last_mut().expect("the partner");
        back.traffic = TrafficSpec::TcpBack;
    }
    if dice.below(3) == 0 {
        let ends = spec.flows.iter_mut().map(|flow| &mut flow.traffic);
        ends.for_each(|traffic| match traffic {
            TrafficSpec::Tcp(tcp) if tcp.application == CellApplication::Bulk(None) => {
                tcp.application = CellApplication::Bulk(Some(9_000));
            }
            _ => {}
        });
    }
    spec.stop_at = Time(2_500 * CELL_PS);
    spec
}

/// Flows with one destination have windows, or AIMD, and flows that carry acknowledgements.
fn with_windows(mut spec: NetworkSpec) -> NetworkSpec {
    let mut dice = Stream::new(spec.seed, 3, Purpose::Pattern);
    for id in chains(&spec) {
        let flow = add_partner(&mut spec, id);
        flow.source_control = match dice.below(2) {
            0 => SourceControlSpec::Window {
                units: 1 + dice.below(20) as u32,
            },
            _ => SourceControlSpec::Aimd {
                initial_units: 2,
                maximum_units: 60,
                increase_units: 1.0,
                decrease: 0.5,
                timeout: cells(150 + dice.below(300)),
            },
        };
    }
    let errors = ErrorSpec {
        data_loss: 0.02,
        ..ErrorSpec::default()
    };
    with_errors(spec, errors)
}

type Watch = (Recorder, (Ports, Option<Recovery>));

fn watch(spec: &NetworkSpec) -> Watch {
    let window = cells(40);
    let is_cut = !spec.outages.is_empty();
    let ports = Ports::new(spec, PortsSpec { window });
    let recovery = is_cut.then(|| Recovery::new(spec));
    (Recorder::new(&series(spec)), (ports, recovery))
}

/// A series of each measure, of whatever flow and channel.
fn series(spec: &NetworkSpec) -> Vec<SeriesSpec> {
    let measures = [
        Measure::Throughput,
        Measure::Arrivals,
        Measure::ControlThroughput,
        Measure::Stopped,
        Measure::Forwarded,
        Measure::Credit,
        Measure::Fill,
        Measure::Queue,
        Measure::Delay,
        Measure::Wait,
        Measure::Stored,
        Measure::AllowedRate,
        Measure::SourceRate,
    ];
    let of = |at: usize, measure: Measure| {
        let id = at % spec.flows.len();
        let legs = &spec.flows[id].legs;
        let channel = legs[at % legs.len()].channel;
        match measure {
            Measure::Stored => Subject::Node(spec.links.ends(channel).1),
            Measure::AllowedRate | Measure::SourceRate => Subject::Flow(id as u32),
            _ => Subject::leg((!at.is_multiple_of(3)).then_some(id as u32), channel),
        }
    };
    let windows = [None, Some(cells(25))];
    let all = measures.iter().zip(0..).flat_map(|(measure, at)| {
        windows.map(|window| SeriesSpec {
            name: "looking on".into(),
            measure: *measure,
            of: of(at + usize::from(window.is_some()), *measure),
            window,
            from: Time::ZERO,
            until: spec.stop_at,
        })
    });
    all.collect()
}

/// All that was found, by the run and by what looked on.
fn found(outcome: &Outcome, (recorder, (ports, recovery)): &Watch) -> String {
    let at = outcome.ended_at;
    let recovery = recovery.as_ref().map(|recovery| recovery.outcome(at));
    let series = recorder.series(at);
    let ports = ports.outcome(at);
    format!("{}{series:#?}{ports:#?}{recovery:#?}", words(outcome))
}

#[test]
fn parts_find_what_the_whole_finds() {
    let (mut cut, mut crossings, mut ends, mut stuck) = (0, 0, [0; 3], 0);
    for number in 0..NETWORKS {
        let spec = network(number);
        let (whole, outcome) = watched(&spec, watch(&spec))
            .unwrap_or_else(|error| panic!("network {number}: {error}"));
        let kind = [Stop::TimeReached, Stop::Drained, Stop::Standstill];
        if let Some(at) = kind.iter().position(|stop| *stop == outcome.stop) {
            ends[at] += 1;
        }
        stuck += u32::from(outcome.standstill.is_some());
        let expected = found(&outcome, &whole);
        for count in counts(&spec) {
            let mut turns = Turns::new(&spec, count, &watch(&spec));
            crossings += turns.conductor.crossings();
            turns.run_until(Time::MAX);
            let found = found(&turns.outcome(), &turns.probe());
            assert!(
                found == expected,
                "network {number} in {count} parts: {}",
                difference(&expected, &found)
            );
            cut += 1;
        }
    }
    println!("{cut} runs in parts, {crossings} channels cut, ends {ends:?}, {stuck} stuck");
    assert!(cut > 400 && crossings > 2_000, "{cut} {crossings}");
    assert!(ends.iter().all(|count| *count > 2), "{ends:?}");
    assert!(stuck > 10, "{stuck}");
}

/// Wherever the caller looks in between.
#[test]
fn slices_change_nothing() {
    for number in (0..40).filter(|number| counts(&network(*number)).next().is_some()) {
        let spec = network(number);
        let mut whole = Simulation::<Rings>::new(&spec).expect("a sound network");
        let mut turns = Turns::new(&spec, 2, &());
        for slice in 1..10 {
            let until = Time(spec.stop_at.ps() / 10 * slice + slice);
            turns.run_until(until);
            whole.run_until(until);
            let (expected, found) = (words(&whole.outcome()), words(&turns.outcome()));
            assert!(
                found == expected,
                "{number} at {until:?}: {}",
                difference(&expected, &found)
            );
        }
        whole.run();
        turns.run_until(Time::MAX);
        let (expected, found) = (words(&whole.outcome()), words(&turns.outcome()));
        assert!(
            found == expected,
            "{number}: {}",
            difference(&expected, &found)
        );
    }
}

/// Two hosts, one link, a cell every so often: a cell starts at the beginning of a window, and
/// takes effect as that ends.
fn two_hosts() -> NetworkSpec {
    let mut spec = NetworkSpec::new(Time(100 * CELL_PS));
    let [a, b] = ["a", "b"].map(|name| spec.node(name, NodeKind::Host));
    let wire = ChannelSpec::new(Rate(1_000_000_000), Duration(5 * CELL_PS));
    let channel = spec.link([a, b], wire);
    let path = [(channel, FlowControlSpec::None)];
    let mut flow = FlowSpec::new("VC", a, &path);
    flow.traffic = TrafficSpec::Constant {
        start: Time(CELL_PS),
        interval: cells(10),
        random_phase: false,
        total: None,
    };
    spec.flows.push(flow);
    spec
}

/// A picosecond too much is noticed, and what is right is not.
#[test]
fn a_window_that_is_too_long_by_the_least_is_noticed() {
    let turns = || Turns::new(&two_hosts(), 2, &());
    assert_eq!(turns().conductor.lookahead(), cells(6));
    assert!(!turns().notices(Duration::ZERO));
    assert!(turns().notices(Duration(1)));
}

/// What can't be cut says why.
#[test]
fn what_shares_a_state_says_so() {
    let mut spec = two_hosts();
    let path = [(1, FlowControlSpec::None)];
    spec.flows.push(FlowSpec::new("back", 1, &path));
    spec.flows[0].partner = Some(1);
    spec.flows[1].traffic = TrafficSpec::Server;
    spec.flows[0].traffic = TrafficSpec::Requests(RequestsSpec {
        start: Time::ZERO,
        requests: 1,
        request_units: 1,
        response_units: 1,
        inter_request: Span::Fixed(Duration::ZERO),
        inter_cycle: Span::Fixed(cells(1)),
        service: Span::Fixed(cells(1)),
        cycles: None,
    });
    let why = parts::obstacle(&spec).expect("a client and its server are all there is");
    assert!(why.contains("together"), "{why}");
    assert!(parts::split::<Rings>(&spec, 2).is_err());
}
