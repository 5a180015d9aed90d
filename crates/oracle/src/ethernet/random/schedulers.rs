//! Schedulers at the ports of a random network, and what its classes reserve.

use backwater_kernel::{Duration, Rate};
use backwater_net::frames::spec::{
    ChannelSpec, EthernetSpec, ReserveSpec, SchedulerSpec, Stamp, VirtualClockSpec,
};
use backwater_net::spec::Resync;

use super::Dice;

/// Every discipline that classes may have, but strict priority.
pub const SCHEDULERS: [SchedulerSpec; 10] = [
    SchedulerSpec::RoundRobin,
    SchedulerSpec::Fifo,
    SchedulerSpec::VirtualClock(VirtualClockSpec {
        stamp: Stamp::AuxVc,
        resync: Resync::None,
        threshold: None,
        alarm_bytes: None,
    }),
    SchedulerSpec::Wfq,
    SchedulerSpec::Wf2qPlus,
    SchedulerSpec::Scfq,
    SchedulerSpec::Sfq,
    SchedulerSpec::Drr { quantum_bytes: 1 },
    SchedulerSpec::Edf,
    SchedulerSpec::Ats {
        max_residence: None,
    },
];

/// Two ports of three serve by one of these, the others by strict priority or turns, as before.
pub(super) fn fill(dice: &mut Dice, spec: &mut EthernetSpec, schedulers: &[SchedulerSpec]) {
    for link in &mut spec.links {
        for channel in &mut link.channels {
            if !dice.one_in(3) {
                channel.scheduler = dice.pick(schedulers);
                reserve(dice, channel);
            }
        }
    }
}

fn reserve(dice: &mut Dice, channel: &mut ChannelSpec) {
    let has_groups = dice.one_in(3);
    // All reserve, some do, none does.
    let one_of = dice.pick(&[0, 0, 3, 1]);
    let twelfth = channel.rate.0 / 12;
    for queue in &mut channel.queues {
        queue.priority = if has_groups {
            dice.between(0, 2) as u8
        } else {
            0
        };
        queue.quantum_bytes = dice.pick(&[60, 200, 600, 1_518, 3_000]);
        let is_datagram = one_of > 0 && dice.one_in(one_of);
        queue.reserve = (!is_datagram).then(|| ReserveSpec {
            rate: Rate(twelfth * dice.pick(&[1, 1, 2, 3, 6])),
            interval: None,
            burst_bytes: dice.pick(&[None, None, Some(2_000), Some(5_000)]),
            offset: Duration::ZERO,
            deadline: dice
                .one_in(2)
                .then(|| Duration(dice.between(1, 2_000) * 1_000_000)),
        });
    }
}
