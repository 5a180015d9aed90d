//! Queue pairs under a rate control: what a switch's queue, the rates and the ends come to.

use backwater_ends::control::Inner;
use backwater_ends::spec::rates::{DcqcnProfile, HpccSpec, SwiftSpec, TimelySpec};
use backwater_ends::spec::{AckEvery, PairRecovery, RateControlSpec, RoceSpec, Span};
use backwater_kernel::{Duration, Rate, Rings, Time};
use backwater_net::Simulation;
use backwater_net::frames::spec::*;
use backwater_net::outcome::Outcome;

use crate::frames::common::*;

const GBPS: u64 = 1_000_000_000;

/// Hosts of this rate around a switch, one receives from all others.
fn star(hosts: u32, gbps: u64, marking: Option<EcnSpec>) -> Net {
    let mut net = Net::new(1, None);
    let switch = net.switch("S");
    for host in 0..=hosts {
        let host = net.station(&format!("H{host}"));
        let link = net.link(host, switch, gbps * 1_000);
        let link = &mut net.spec.links[link as usize];
        for channel in &mut link.channels {
            channel.delay = Duration(US);
            channel.queues[0].limit_bytes = None;
            channel.queues[0].ecn = marking;
        }
    }
    net
}

/// All to the last host.
fn to_one(net: &mut Net, hosts: u32, roce: &RoceSpec, bytes: Option<u64>) {
    for host in 0..hosts {
        let start = Time::ZERO;
        let traffic = TrafficSpec::Infinite { start, bytes };
        let transport = TransportSpec::Roce(roce.clone());
        net.add(1 + host, 1 + hosts, 0, transport, traffic);
    }
}

fn dcqcn(profile: DcqcnProfile, line: Rate) -> (RoceSpec, EcnSpec) {
    let marking = profile.marking(line);
    let control = RateControlSpec::Dcqcn(profile.spec(line));
    let ecn = EcnSpec {
        low_bytes: marking.least_bytes,
        high_bytes: marking.most_bytes,
        probability: marking.probability,
        at: MarkAt::Leave,
    };
    let roce = RoceSpec {
        mtu_bytes: 1_000,
        notify: control.notify(),
        is_ect: true,
        control,
        ..RoceSpec::plain(line)
    };
    (roce, ecn)
}

#[derive(Debug)]
struct Found {
    queue_kb: f64,
    used: f64,
    jain: f64,
    last_ms: f64,
}

fn found(net: &Net) -> Found {
    let mut run = Simulation::<Rings>::new(&net.spec).expect("it is sound");
    run.run();
    let outcome: Outcome = run.outcome();
    let last = outcome.channels.len() - 1;
    let port = &outcome.channels[last];
    let rates: Vec<f64> = outcome
        .flows
        .iter()
        .map(|f| f.ends.goodput_bytes as f64)
        .collect();
    let sum: f64 = rates.iter().sum();
    let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
    let ends = outcome
        .flows
        .iter()
        .map(|flow| flow.ends.last_transfer.ps());
    Found {
        queue_kb: port.by_class.queues[0].mean_bytes / 1e3,
        used: port.data_share,
        jain: sum * sum / squares / rates.len() as f64,
        last_ms: ends.max().unwrap_or(0) as f64 / 1e9,
    }
}

fn under(control: RateControlSpec, line: Rate, mtu_bytes: u32) -> RoceSpec {
    RoceSpec {
        mtu_bytes,
        has_telemetry: control.hears_telemetry(),
        notify: control.notify(),
        is_ect: control.notify().is_some(),
        control,
        ..RoceSpec::plain(line)
    }
}

/// Every wire this long.
fn wires(net: &mut Net, delay: Duration) {
    for link in &mut net.spec.links {
        for channel in &mut link.channels {
            channel.delay = delay;
        }
    }
}

/// What hosts without end come to from one instant to another, ms.
fn between(net: &mut Net, from: u64, to: u64) -> Found {
    net.spec.warm_up = Time(from * MS);
    net.spec.stop_at = Time(to * MS);
    found(net)
}

/// When the last of eight transfers of 2 MB is in.
fn eight_of_two_megabytes(mut net: Net, roce: &RoceSpec) -> f64 {
    to_one(&mut net, 8, roce, Some(2_000_000));
    net.spec.warm_up = Time::ZERO;
    net.spec.stop_at = Time(20 * MS);
    found(&net).last_ms
}

fn is_near(found: f64, wanted: f64, part: f64) -> bool {
    (found - wanted).abs() <= part * wanted
}

/// Figures of a packet model of the rules, for queues that start without PFC at line rate.
#[test]
fn dcqcn_rests_where_its_rules_say() {
    let (artifact, paper) = (DcqcnProfile::Artifact, DcqcnProfile::Paper);
    let cases = [
        (artifact, 100, 2, (50, 100), 207.0),
        (artifact, 100, 16, (50, 100), 337.0),
        (paper, 40, 2, (100, 400), 26.0),
        (paper, 40, 16, (100, 200), 187.0),
    ];
    for (profile, gbps, hosts, (from, to), queue_kb) in cases {
        let (roce, ecn) = dcqcn(profile, Rate(gbps * GBPS));
        let mut net = star(hosts, gbps, Some(ecn));
        to_one(&mut net, hosts, &roce, None);
        let found = between(&mut net, from, to);
        let words = format!("{profile:?}, {hosts} hosts: {found:?}");
        assert!(is_near(found.queue_kb, queue_kb, 0.1), "{words}");
        assert!(found.used >= 0.985 && found.jain >= 0.995, "{words}");
    }
    let (roce, ecn) = dcqcn(DcqcnProfile::Artifact, Rate(100 * GBPS));
    let last = eight_of_two_megabytes(star(8, 100, Some(ecn)), &roce);
    assert!((1.9..=2.1).contains(&last), "{last} ms");
}

/// Without marks nothing is ever told, and nothing answers: the queue grows by what is too much.
#[test]
fn without_marks_a_queue_grows() {
    let (roce, _) = dcqcn(DcqcnProfile::Artifact, Rate(100 * GBPS));
    let mut net = star(2, 100, None);
    to_one(&mut net, 2, &roce, None);
    let found = between(&mut net, 1, 2);
    assert!(found.queue_kb > 10_000.0, "{found:?}");
}

/// One flow: eta and the additive step, exactly; several: the same with the queues of chance.
#[test]
fn hpcc_leaves_a_twentieth_of_the_link() {
    let line = Rate(100 * GBPS);
    let hpcc = HpccSpec::artifact(line, Duration(12 * US));
    let roce = under(RateControlSpec::Hpcc(hpcc), line, 1_000);
    for hosts in [1, 8] {
        let mut net = star(hosts, 100, None);
        to_one(&mut net, hosts, &roce, None);
        wires(&mut net, Duration(11 * US / 4));
        let found = between(&mut net, 5, 15);
        let range = match hosts {
            1 => 0.95035..=0.95045,
            _ => 0.945..=0.955,
        };
        assert!(
            range.contains(&found.used) && found.queue_kb < 3.0,
            "{hosts}: {found:?}"
        );
    }
    let mut net = star(8, 100, None);
    wires(&mut net, Duration(11 * US / 4));
    let last = eight_of_two_megabytes(net, &roce);
    assert!((1.45..=1.6).contains(&last), "{last} ms");
}

/// Patched TIMELY has one fixed point: `rtt = T_ref (1 + N add / (beta C))`. By Little's law
/// the queue holds the frame that is being sent beside what waits.
#[test]
fn patched_timely_rests_at_its_closed_form() {
    let line = Rate(10 * GBPS);
    let roce = under(RateControlSpec::Timely(TimelySpec::patched()), line, 1_000);
    for hosts in [2, 4] {
        let mut net = star(hosts, 10, None);
        to_one(&mut net, hosts, &roce, None);
        wires(&mut net, Duration(5 * US));
        let found = between(&mut net, 700, 800);
        let rtt_us = 50.0 * (1.0 + f64::from(hosts) * 10.0 / (0.008 * 10_000.0));
        let base_us = 20.0 + 2.0 * (1_082.0 + 86.0) * 8.0 / 10_000.0;
        let wanted = (rtt_us - base_us) * 1.25 + 1.082;
        let wire_kb = found.queue_kb * 1_082.0 / 1_062.0;
        assert!(
            is_near(wire_kb, wanted, 0.005),
            "{hosts}: {wire_kb} kB, {wanted} kB"
        );
        assert!(found.jain > 0.9999 && found.used > 0.9999, "{found:?}");
    }
}

/// Swift: equal windows, and a queue of what delay is aimed at beyond the empty path.
#[test]
fn swift_rests_at_its_target() {
    let line = Rate(100 * GBPS);
    let swift = SwiftSpec::guessed(1_000, 1_062, 2);
    let roce = under(RateControlSpec::Swift(swift), line, 1_000);
    for hosts in [2, 10] {
        let mut net = star(hosts, 100, None);
        to_one(&mut net, hosts, &roce, None);
        let found = between(&mut net, 20, 30);
        // The target of the window that fills it: a fixed point of both.
        let packet_us = 1_082.0 * 8.0 / 100_000.0;
        let mut target_us = 26.1;
        for _ in 0..100 {
            let window = target_us / packet_us / f64::from(hosts);
            let alpha = 100.0 / (1.0 / f64::sqrt(0.1) - 0.1);
            let more = (alpha / window.sqrt() - alpha / 10.0).clamp(0.0, 100.0);
            target_us = 20.0 + 2.0 * 20.0 / 6.55 + more;
        }
        let base_us = 4.0 + 2.0 * packet_us;
        let wanted = (target_us - base_us) * 12.5 * 1_062.0 / 1_082.0;
        assert!(
            is_near(found.queue_kb, wanted, 0.05),
            "{hosts}: {found:?}, {wanted}"
        );
        assert!(found.jain > 0.999 && found.used > 0.999, "{found:?}");
    }
}

/// A pair alone takes what the line has, whatever is acknowledged.
#[test]
fn acknowledgements_decide_nothing_without_a_window() {
    let line = Rate(100 * GBPS);
    let plain = under(RateControlSpec::None, line, 1_024);
    for acks in [
        AckEvery::Packets(1),
        AckEvery::Packets(16),
        AckEvery::Message,
    ] {
        let roce = RoceSpec {
            acks,
            ..plain.clone()
        };
        let mut net = star(1, 100, None);
        to_one(&mut net, 1, &roce, Some(1_024_000));
        net.spec.warm_up = Time::ZERO;
        net.spec.stop_at = Time(MS);
        let mut run = Simulation::<Rings>::new(&net.spec).expect("it is sound");
        run.run();
        let outcome = run.outcome();
        // A thousand packets of 1,106 B on the wire, one of them again at the switch; two wires.
        let packet_ps = 1_106 * 80;
        let ends = &outcome.flows[0].ends;
        assert_eq!(
            ends.last_transfer,
            Time(1_001 * packet_ps + 2 * US),
            "{acks:?}"
        );
        let answers = match acks {
            AckEvery::Packets(packets) => 1_000_u64.div_ceil(packets.into()),
            AckEvery::Message => 1,
        };
        assert_eq!(ends.tcp.segments, 1_000 + answers, "{acks:?}");
    }
}

/// A wire that loses: go-back-N sends a round trip again for each loss, selective repeat what was
/// lost; both deliver everything.
#[test]
fn what_is_lost_goes_again() {
    let line = Rate(100 * GBPS);
    let mut again = Vec::new();
    for recovery in [PairRecovery::GoBackN, PairRecovery::Selective] {
        let roce = RoceSpec {
            recovery,
            timeout: Duration(100 * US),
            ..under(RateControlSpec::None, line, 1_000)
        };
        let mut net = star(1, 100, None);
        to_one(&mut net, 1, &roce, Some(20_000_000));
        let link = net.spec.links.last_mut().expect("there are two");
        let wire = &mut link.channels[1];
        wire.errors.data_loss = 0.001;
        net.spec.warm_up = Time::ZERO;
        net.spec.stop_at = Time(50 * MS);
        let mut run = Simulation::<Rings>::new(&net.spec).expect("it is sound");
        run.run();
        let outcome = run.outcome();
        let flow = &outcome.flows[0];
        assert_eq!(flow.ends.transfers_total, 1, "{recovery:?}");
        assert_eq!(flow.ends.goodput_bytes, 20_000_000, "{recovery:?}");
        assert!(
            flow.lost_total > 5,
            "{recovery:?}: {} lost",
            flow.lost_total
        );
        again.push((flow.ends.tcp.again_bytes / 1_000, flow.lost_total));
    }
    let [(went_back, lost_before), (selective, lost)] = again[..] else {
        panic!("two of them");
    };
    // A round trip of 4.3 us holds some 50 packets.
    assert!(
        went_back > 20 * lost_before,
        "{went_back} for {lost_before}"
    );
    assert!(selective <= lost + 2, "{selective} for {lost}");
}

/// A response is data, too, paced at the other end.
#[test]
fn requests_bring_responses() {
    let line = Rate(100 * GBPS);
    let (roce, ecn) = dcqcn(DcqcnProfile::Artifact, line);
    let mut net = star(8, 100, Some(ecn));
    for host in 0..8 {
        let traffic = TrafficSpec::Requests {
            start: Time::ZERO,
            request_bytes: 16,
            response_bytes: 500_000,
            service: Span::Fixed(Duration::ZERO),
            think: Span::Fixed(Duration::ZERO),
            count: Some(2),
        };
        // Host 9 reads from all others at once.
        net.add(9, 1 + host, 0, TransportSpec::Roce(roce.clone()), traffic);
    }
    net.spec.warm_up = Time::ZERO;
    net.spec.stop_at = Time(20 * MS);
    let mut run = Simulation::<Rings>::new(&net.spec).expect("it is sound");
    run.run();
    let outcome = run.outcome();
    for flow in &outcome.flows {
        assert_eq!(flow.ends.transfers_total, 2);
        assert_eq!(
            (flow.ends.goodput_bytes, flow.ends.returned_bytes),
            (32, 1_000_000)
        );
        assert!(flow.ends.tcp.ecn_cuts > 0, "their senders heard of marks");
    }
}

/// A receiver stops the switch from 0.2 ms on for 10 ms, and the switch its sources soon after: by
/// timers that go on, alpha has fallen to nothing when they go on; by timers that stand still it
/// has not.
#[test]
fn timers_may_stand_still_while_the_port_is_stopped() {
    let line = Rate(100 * GBPS);
    let least_alpha = |freezes: bool| {
        let (mut roce, ecn) = dcqcn(DcqcnProfile::Artifact, line);
        if let RateControlSpec::Dcqcn(dcqcn) = &mut roce.control {
            dcqcn.freezes = freezes;
        }
        let mut net = star(2, 100, Some(ecn));
        to_one(&mut net, 2, &roce, None);
        net.spec.warm_up = Time::ZERO;
        net.spec.stop_at = Time(12 * MS);
        net.spec.rules.stall_after = Duration(1_000 * MS);
        if let NodeKind::Switch(switch) = &mut net.spec.nodes[0].kind {
            switch.stops.common = Some(BackPressureSpec {
                select: Select::Class,
                notify: Notify::All,
                ..simple()
            });
        }
        net.spec.nodes[3].kind = NodeKind::Station {
            storm: Some(StormSpec {
                from: Time(200 * US),
                until: Time(10 * MS),
                classes: None,
                quanta: 60_000,
            }),
        };
        for channel in net.spec.links.iter_mut().flat_map(|it| &mut it.channels) {
            channel.queues[0].high_bytes = 1_000_000;
            channel.queues[0].low_bytes = 500_000;
        }
        let mut run = Simulation::<Rings>::new(&net.spec).expect("it is sound");
        let mut least = f64::INFINITY;
        for us in (200..10_500).step_by(2) {
            run.run_until(Time(us * US));
            let alpha = run.network().inner(0, Inner::Alpha);
            least = least.min(alpha.expect("it was notified"));
        }
        least
    };
    let (going, standing) = (least_alpha(false), least_alpha(true));
    assert!(going < 1e-6 && standing > 0.01, "{going}, {standing}");
}
