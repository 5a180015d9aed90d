//! Credit for classes: small cases by hand, and what becomes of lost credit.

use crate::frames::common::*;
use backwater_ends::spec::RoceSpec;
use backwater_kernel::{Duration, Rate, Stop, Time};
use backwater_net::frames::probe::{Audit, Content, CreditMessage, Frame, Probe};
use backwater_net::frames::spec::*;
use backwater_net::outcome::Outcome;
use backwater_net::watched;

/// A frame of 1,000 bytes at 100 Mbps, preamble and gap included.
const FRAME: u64 = 1020 * 80_000;
/// A control frame.
const CONTROL: u64 = 84 * 80_000;
/// Propagation of every link.
const AWAY: u64 = US / 2;

/// Starts of data on the first link, and what each control frame said and when.
#[derive(Default)]
struct Log {
    data: Vec<u64>,
    control: Vec<(u64, u32, CreditMessage, u64)>,
}

impl Probe for Log {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        if let Content::Credit { message, value, .. } = frame.content {
            self.control.push((at.0, channel, message, value));
        } else if channel == 0 {
            self.data.push(at.0);
        }
    }
}

fn run(net: &Net) -> (Log, Outcome) {
    let (probe, outcome) = watched(&net.spec, Log::default()).expect("a sound network");
    assert_eq!(outcome.violations.total(), 0, "{:?}", outcome.violations);
    (probe, outcome)
}

fn credit(rule: CreditRule, n2: u32, n3: u32) -> CreditSpec {
    CreditSpec {
        rule,
        n1: 0,
        n2,
        n3,
        window: Duration(CONTROL + AWAY),
        bind: Bind::Start,
        redundant_every: None,
        refresh_every: None,
        request_after: None,
        resync_every: None,
        message_bytes: None,
    }
}

/// S sends frames of 1,000 bytes without end over A to D; credit holds from S to A.
fn pair(rule: CreditSpec, unit_bytes: u32) -> Net {
    let mut net = Net::new(1, None);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 100);
    net.udp(s, d, 954, endless());
    net.spec.stop_at = Time(20 * MS);
    net.spec.warm_up = Time::ZERO;
    net.spec.links[0].channels[0].credits = vec![Some(ClassCreditSpec {
        owner: Owner::Class,
        unit_bytes,
        overhead_bytes: 0,
        rule: ClassCreditRule::Zones(rule),
    })];
    net
}

#[test]
fn one_frame_of_credit_is_one_frame_a_loop() {
    // In at A after a frame and the way, out after another frame; then credit goes back.
    let period = 2 * FRAME + CONTROL + 2 * AWAY;
    for rule in [
        CreditRule::N23,
        CreditRule::Relative,
        CreditRule::Cumulative,
    ] {
        let (log, _) = run(&pair(credit(rule, 1, 0), 1_016));
        let expected = (0..).map(|k| k * period).take(log.data.len());
        assert!(log.data.len() > 100 && log.data.iter().copied().eq(expected));
        let freed = (1..4).map(|k| {
            let value = if rule == CreditRule::Cumulative { k } else { 1 };
            let at = (k - 1) * period + 2 * FRAME + AWAY;
            (at, 1, CreditMessage::Credit, value)
        });
        assert!(
            log.control[..3].iter().copied().eq(freed),
            "{:?}",
            &log.control[..3]
        );
    }
}

#[test]
fn a_frame_costs_its_bytes_in_units_rounded_up() {
    // Four units of 300 bytes a frame: of eleven, two frames go; credit comes for each.
    let (log, _) = run(&pair(credit(CreditRule::Cumulative, 1, 10), 300));
    assert_eq!(log.data[..2], [0, FRAME]);
    assert_eq!(log.data[2], 2 * FRAME + AWAY + CONTROL + AWAY);
    let said: Vec<u64> = log.control[..2].iter().map(|(.., value)| *value).collect();
    assert_eq!(said, [4, 8]);
}

#[test]
fn e_is_what_was_sent_within_the_window() {
    // Three places. Credit at 2 FRAME + AWAY says that none is left but one: the second frame is
    // in A, the third on its way, and E takes that one off.
    let (log, _) = run(&pair(credit(CreditRule::N23, 1, 2), 1_000));
    assert_eq!(log.data[..3], [0, FRAME, 2 * FRAME]);
    let back = 2 * FRAME + AWAY + CONTROL + AWAY;
    assert_eq!(
        log.control[0],
        (2 * FRAME + AWAY, 1, CreditMessage::Credit, 2)
    );
    // The wire is busy with the third frame when it comes; the fourth follows that.
    assert!(back < 3 * FRAME);
    assert_eq!(log.data[3], 3 * FRAME);
}

/// Small frames arrive sooner than large ones: E leaves out what has arrived, whatever its size.
/// A window that is some large frames too long counts small ones that are gone, until no credit
/// is left and none of those that would bring some can start.
#[test]
fn small_frames_among_large_ones_do_not_use_up_the_credit() {
    let started = |late: u64| {
        let mut rule = credit(CreditRule::N23, 1, 2);
        rule.window = rule.window + Duration(late);
        let mut net = pair(rule, 1_000);
        net.udp(0, 2, 18, endless());
        run(&net).0.data.len()
    };
    assert!(started(0) > 250, "{} frames in 20 ms", started(0));
    assert!(started(4 * FRAME) < 10, "{} frames", started(4 * FRAME));
}

/// All control frames from A to S are lost from 1 ms on.
fn losing(rule: CreditSpec) -> Net {
    let mut net = pair(rule, 1_000);
    net.spec.stop_at = Time(1_000 * MS);
    net.spec.links[0].channels[1].errors = ErrorSpec {
        control_loss: 1.0,
        from: Time(MS),
        ..ErrorSpec::default()
    };
    net
}

#[test]
fn without_its_credit_a_class_stands_still() {
    let (log, outcome) = run(&losing(credit(CreditRule::N23, 2, 4)));
    assert_eq!(outcome.stop, Stop::Standstill);
    let standstill = outcome.standstill.expect("it is why");
    assert!(!standstill.is_circle);
    assert_eq!(
        (
            standstill.waits.len(),
            standstill.waits[0].queue().map(|queue| queue.channel)
        ),
        (1, Some(0))
    );
    assert!(log.data.iter().all(|at| *at < 2 * MS));
}

#[test]
fn a_request_gets_credit_again() {
    let asking = CreditSpec {
        request_after: Some(Duration(MS)),
        ..credit(CreditRule::N23, 2, 4)
    };
    let mut net = losing(asking);
    // One in three gets through.
    net.spec.links[0].channels[1].errors.control_loss = 0.67;
    let (log, outcome) = run(&net);
    assert_eq!(outcome.stop, Stop::TimeReached);
    let asked = log
        .control
        .iter()
        .filter(|it| it.2 == CreditMessage::Request);
    assert!(asked.count() > 10);
    assert!(log.data.last().is_some_and(|at| *at > 950 * MS));
}

#[test]
fn statements_of_the_counter_make_good_lost_data() {
    let lossy = |resync_every| {
        let rule = CreditSpec {
            resync_every,
            ..credit(CreditRule::Cumulative, 2, 6)
        };
        let mut net = pair(rule, 1_000);
        net.spec.stop_at = Time(1_000 * MS);
        net.spec.links[0].channels[0].errors.data_loss = 0.05;
        run(&net)
    };
    let (stated, _) = lossy(Some(4));
    assert!(stated.control.iter().any(|it| it.2 == CreditMessage::Sync));
    assert!(stated.data.last().is_some_and(|at| *at > 990 * MS));
    let (silent, outcome) = lossy(None);
    assert_eq!(outcome.stop, Stop::Standstill);
    assert!(silent.data.len() < stated.data.len() / 4);
}

/// Data and acknowledgements of two queue pairs, of 1,000 and of few bytes, share lanes of a link
/// with little credit: small ones start while there is none for the large ones behind them, and
/// ways back have lanes of their own. The audit agrees with each start.
#[test]
fn frames_of_both_ways_and_sizes_keep_to_their_lanes() {
    for (owner, n3) in [
        (Owner::Class, 2),
        (Owner::Flow, 2),
        (Owner::Hash(1), 2),
        (Owner::Hash(2), 1),
        (Owner::Hash(3), 3),
    ] {
        let mut net = Net::new(1, None);
        let (s, a, b, d) = (
            net.station("S"),
            net.switch("A"),
            net.switch("B"),
            net.station("D"),
        );
        net.link(s, a, 100);
        net.link(a, b, 100);
        net.link(b, d, 100);
        for (from, to) in [(s, d), (d, s), (s, d)] {
            let roce = RoceSpec {
                mtu_bytes: 1_000,
                ..RoceSpec::plain(Rate(100 * MBPS))
            };
            net.add(from, to, 0, TransportSpec::Roce(roce), endless());
        }
        net.spec.stop_at = Time(20 * MS);
        net.spec.warm_up = Time::ZERO;
        for channel in &mut net.spec.links[1].channels {
            channel.credits = vec![Some(ClassCreditSpec {
                owner,
                unit_bytes: 100,
                overhead_bytes: 0,
                rule: ClassCreditRule::Zones(credit(CreditRule::Cumulative, 1, 12 * n3)),
            })];
        }
        let (audit, outcome) = watched(&net.spec, Audit::new(&net.spec)).expect("a sound network");
        let broken = audit.checks().violations();
        assert_eq!(broken.total(), 0, "{owner:?}: {broken:?}");
        let shut = &outcome.channels[2].by_class.queues[0];
        assert!(outcome.unit_hops > 1_000 && shut.sent > 100, "{owner:?}");
    }
}
