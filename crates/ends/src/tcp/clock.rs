//! When the slow and fast timers of a host tick.
//!
//! A host draws two fractions once, whatever runs on it; a connection's ticks stand that far into
//! its tick lengths. So connections of one host with equal ticks tick together, and hosts do not.

use backwater_kernel::stream::Purpose;
use backwater_kernel::{Duration, Stream};

use crate::spec::{AckSpec, TcpSpec};

/// When the slow and fast timers of a host tick: at `phase + k * tick`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HostClock {
    /// Of the slow timer.
    pub slow_phase: Duration,
    /// Of the fast timer.
    pub fast_phase: Duration,
}

impl HostClock {
    /// The clock of host number `host` as a connection with this spec sees it.
    pub fn of_host(seed: u64, host: u32, spec: &TcpSpec) -> HostClock {
        let mut stream = Stream::new(seed, u64::from(host), Purpose::Clock);
        let (slow, fast) = (stream.next_u64(), stream.next_u64());
        let slow_tick = spec.timer.tick.unwrap_or(Duration::ZERO);
        let fast_tick = match spec.acks {
            AckSpec::DelayedTick(tick) => tick,
            AckSpec::Every | AckSpec::Delayed { .. } => Duration::ZERO,
        };
        HostClock {
            slow_phase: part(slow, slow_tick),
            fast_phase: part(fast, fast_tick),
        }
    }
}

/// `fraction / 2^64` of a tick.
fn part(fraction: u64, tick: Duration) -> Duration {
    Duration(((u128::from(fraction) * u128::from(tick.ps())) >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_one_clock_and_hosts_differ() {
        let tcp = TcpSpec::bsd_full();
        let first = HostClock::of_host(1, 4, &tcp);
        assert_eq!(first, HostClock::of_host(1, 4, &tcp));
        assert_ne!(first, HostClock::of_host(1, 5, &tcp));
        assert_ne!(first, HostClock::of_host(2, 4, &tcp));
        // Another flavour with the same slow tick sees the same slow ticks.
        let other = HostClock::of_host(1, 4, &TcpSpec::bsd());
        assert_eq!(other.slow_phase, first.slow_phase);
        assert_eq!(other.fast_phase, Duration::ZERO);
        assert_eq!(
            HostClock::of_host(1, 4, &TcpSpec::linux_3()),
            HostClock::default()
        );
    }

    #[test]
    fn phases_fill_a_tick_evenly() {
        let tick = TcpSpec::bsd().timer.tick.expect("it has ticks");
        let mut quarters = [0; 4];
        for station in 0..4_000 {
            let phase = HostClock::of_host(7, station, &TcpSpec::bsd()).slow_phase;
            assert!(phase < tick);
            quarters[(phase.ps() * 4 / tick.ps()) as usize] += 1;
        }
        assert!(quarters.iter().all(|n| (900..1_100).contains(n)));
    }
}
