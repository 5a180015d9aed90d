//! Swift: how the source's window goes by delay.

use backwater_kernel::Duration;

/// Swift's source. Windows are in packets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SwiftSpec {
    /// Payload of a full packet, bytes: what a window counts.
    pub payload_bytes: u32,
    /// A full packet with its headers, bytes: what its pace counts.
    pub packet_bytes: u32,
    /// The target's base.
    pub base: Duration,
    /// What each hop adds to it.
    pub per_hop: Duration,
    /// Hops of the path.
    pub hops: u32,
    /// What is added for small windows, at most.
    pub range: Duration,
    /// The window for which all of it is.
    pub range_from: f64,
    /// The window for which nothing is.
    pub range_to: f64,
    /// ai: packets added in a round trip.
    pub additive: f64,
    /// beta: what a decrease takes, of the share of delay above the target.
    pub decrease: f64,
    /// No decrease takes more.
    pub largest_cut: f64,
    /// First window.
    pub first_window: f64,
    /// No window below.
    pub least_window: f64,
    /// No window above.
    pub most_window: f64,
}

impl SwiftSpec {
    /// What a hop adds to a target with this base: a part in 6.55.
    pub fn per_hop_of(base: Duration) -> Duration {
        Duration((u128::from(base.0) * 100 / 655) as u64)
    }

    /// As a public program has it (it calls them guesses).
    pub fn guessed(payload_bytes: u32, packet_bytes: u32, hops: u32) -> SwiftSpec {
        let base = Duration(20_000_000);
        SwiftSpec {
            payload_bytes,
            packet_bytes,
            base,
            per_hop: SwiftSpec::per_hop_of(base),
            hops,
            range: base * 5,
            range_from: 0.1,
            range_to: 100.0,
            additive: 1.0,
            decrease: 0.8,
            largest_cut: 0.5,
            first_window: 12.0,
            least_window: 0.01,
            most_window: 65_536.0,
        }
    }
}
