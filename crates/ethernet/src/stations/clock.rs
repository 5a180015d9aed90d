//! When the slow and fast timers of a station tick.
//!
//! A station draws two fractions once, whatever runs on it; a flow's ticks stand that far into
//! its tick lengths. So connections of one host with equal ticks tick together, and hosts do not.

use kernel::stream::Purpose;
use kernel::{Duration, Stream};
use transport::TcpSpec;
use transport::spec::AckSpec;
use transport::tcp::HostClock;

/// The clock of `station` as a connection with this spec sees it.
pub(super) fn of_host(seed: u64, station: u32, tcp: &TcpSpec) -> HostClock {
    let mut stream = Stream::new(seed, u64::from(station), Purpose::Clock);
    let (slow, fast) = (stream.next_u64(), stream.next_u64());
    let slow_tick = tcp.timer.tick.unwrap_or(Duration::ZERO);
    let fast_tick = match tcp.acks {
        AckSpec::DelayedTick(tick) => tick,
        AckSpec::Every | AckSpec::Delayed(_) => Duration::ZERO,
    };
    HostClock {
        slow_phase: part(slow, slow_tick),
        fast_phase: part(fast, fast_tick),
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
        let first = of_host(1, 4, &tcp);
        assert_eq!(first, of_host(1, 4, &tcp));
        assert_ne!(first, of_host(1, 5, &tcp));
        assert_ne!(first, of_host(2, 4, &tcp));
        // Another flavour with the same slow tick sees the same slow ticks.
        let other = of_host(1, 4, &TcpSpec::bsd());
        assert_eq!(other.slow_phase, first.slow_phase);
        assert_eq!(other.fast_phase, Duration::ZERO);
        assert_eq!(of_host(1, 4, &TcpSpec::modern()), HostClock::default());
    }

    #[test]
    fn phases_fill_a_tick_evenly() {
        let tick = TcpSpec::bsd().timer.tick.expect("it has ticks");
        let mut quarters = [0; 4];
        for station in 0..4_000 {
            let phase = of_host(7, station, &TcpSpec::bsd()).slow_phase;
            assert!(phase < tick);
            quarters[(phase.ps() * 4 / tick.ps()) as usize] += 1;
        }
        assert!(quarters.iter().all(|n| (900..1_100).contains(n)));
    }
}
