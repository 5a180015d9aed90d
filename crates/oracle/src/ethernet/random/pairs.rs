//! Queue pairs in place of TCP, and switches that mark as frames leave.

use backwater_ends::spec::rates::{DcqcnProfile, HpccSpec, NsccSpec, SwiftSpec, TimelySpec};
use backwater_ends::spec::{AckEvery, Notify, PairRecovery, RateControlSpec, RoceSpec};
use backwater_kernel::{Duration, Rate};
use backwater_net::frames::spec::{EthernetSpec, MarkAt, TransportSpec};

use super::Dice;

/// Every connection becomes one of queue pairs.
pub(super) fn fill(dice: &mut Dice, spec: &mut EthernetSpec) {
    let classes = spec.links[0].channels[0].queues.len() as u64;
    let fastest = spec.links.iter().map(|link| link.channels[0].rate.0).max();
    let line = Rate(fastest.unwrap_or(1));
    let frame = line.serialization(1_538);
    for flow in &mut spec.flows {
        if let TransportSpec::Tcp(_) = flow.transport {
            flow.transport = TransportSpec::Roce(pair(dice, classes, (line, frame)));
        }
    }
    for link in &mut spec.links {
        for queue in link.channels.iter_mut().flat_map(|it| &mut it.queues) {
            if let Some(ecn) = &mut queue.ecn {
                ecn.at = dice.pick(&[MarkAt::Join, MarkAt::Leave, MarkAt::Leave]);
            }
        }
    }
}

fn pair(dice: &mut Dice, classes: u64, (line, frame): (Rate, Duration)) -> RoceSpec {
    let mtu_bytes = dice.pick(&[256, 1_000, 1_024]);
    let control = control(dice, mtu_bytes, (line, frame));
    let class = |dice: &mut Dice| {
        let class = dice.between(0, classes - 1) as u8;
        dice.one_in(2).then_some(class)
    };
    let told = control.notify();
    RoceSpec {
        mtu_bytes,
        message_bytes: dice.pick(&[u64::MAX, 3_000, 10_000]),
        acks: dice.pick(&[
            AckEvery::Packets(1),
            AckEvery::Packets(3),
            AckEvery::Message,
        ]),
        recovery: dice.pick(&[
            PairRecovery::GoBackN,
            PairRecovery::Selective,
            PairRecovery::AnyOrder,
        ]),
        timeout: frame * dice.pick(&[5, 30, 1_000]),
        window_bytes: dice.pick(&[u64::MAX, 4_000, 20_000]),
        notify: match dice.one_in(4) {
            true => Some(Notify::Tick(frame * 5)),
            false => told,
        },
        ack_class: class(dice),
        cnp_class: class(dice),
        is_ect: told.is_some() || dice.one_in(2),
        has_telemetry: control.hears_telemetry(),
        control,
        line,
    }
}

fn control(dice: &mut Dice, mtu_bytes: u32, (line, frame): (Rate, Duration)) -> RateControlSpec {
    match dice.between(0, 6) {
        0 => RateControlSpec::None,
        1 | 2 => {
            let profile = dice.pick(&DcqcnProfile::ALL);
            let mut dcqcn = profile.spec(line);
            dcqcn.increase_interval = frame * 4;
            dcqcn.least = Rate(line.0 / 100);
            dcqcn.rescales = dice.one_in(2);
            RateControlSpec::Dcqcn(dcqcn)
        }
        3 => {
            let mut hpcc = HpccSpec::artifact(line, frame * dice.pick(&[3, 10]));
            hpcc.least = Rate(line.0 / 100);
            hpcc.max_stage = dice.pick(&[0, 5]);
            RateControlSpec::Hpcc(hpcc)
        }
        4 => {
            let mut timely = dice.pick(&[TimelySpec::paper(), TimelySpec::patched()]);
            timely.least = Rate(line.0 / 100);
            RateControlSpec::Timely(timely)
        }
        5 => {
            let usual = NsccSpec::usual(mtu_bytes, mtu_bytes + 82, line);
            RateControlSpec::Nscc(NsccSpec {
                base_rtt: frame * dice.pick(&[3, 10]),
                network_rtt: frame * 10,
                quick: dice.one_in(2),
                ..usual
            })
        }
        _ => {
            let mut swift = SwiftSpec::guessed(mtu_bytes, mtu_bytes + 62, 2);
            swift.base = frame * 5;
            RateControlSpec::Swift(swift)
        }
    }
}
