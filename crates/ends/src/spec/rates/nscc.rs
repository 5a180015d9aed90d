//! NSCC: how the source's window goes by marks and delay.

use backwater_kernel::{Duration, Rate};

/// The network for which the gains are printed: 100 Gbps and a round trip of 12 us.
const REFERENCE_BYTES: f64 = 150_000.0;
const REFERENCE_RTT: Duration = Duration(12_000_000);

/// NSCC's source. Windows and gains are in bytes of payload, so those of the network are scaled to
/// what of a packet is payload.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NsccSpec {
    /// Payload of a full packet, bytes.
    pub payload_bytes: u32,
    /// A full packet on the wire, bytes.
    pub packet_bytes: u32,
    /// Rate of the source's port.
    pub line: Rate,
    /// Round trip of the flow's own path in an empty network; [`Duration::ZERO`]: not known yet.
    pub base_rtt: Duration,
    /// The same of the longest path of the network; [`Duration::ZERO`]: not known yet.
    pub network_rtt: Duration,
    /// q: the queueing delay that is aimed at; [`Duration::ZERO`]: `target_share` of `network_rtt`.
    pub target: Duration,
    /// What of `network_rtt` the target is.
    pub target_share: f64,
    /// gamma: what a decrease takes, of the share of delay above the target.
    pub decrease: f64,
    /// No decrease takes more.
    pub largest_cut: f64,
    /// Weight of the new in the mean of delays.
    pub weight: f64,
    /// The window is at most so many times rate by round trip, and begins there.
    pub most_window: f64,
    /// Packets after whose acknowledgement the window takes what it has gained.
    pub adjust_packets: u32,
    /// Quick adapt: only where less than this share of the largest window got through in a period.
    pub quick_share: f64,
    /// Quick adapt: a delay of more than so many times the target asks for it.
    pub quick_delay: f64,
    /// Quick adapt is used at all.
    pub quick: bool,
}

/// What follows from a spec: bytes, and bytes by span.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NsccGains {
    /// alpha: bytes for each byte and ps below the target.
    pub alpha: f64,
    /// fi: bytes for each byte where delay is not below the target and nothing was marked.
    pub fair: f64,
    /// fi_scale: window for each byte where there has been no queue for a window.
    pub fast: f64,
    /// eta: bytes a round trip, whatever happens.
    pub eta: f64,
    /// q.
    pub target: Duration,
}

impl NsccSpec {
    /// As a public program has it, which says that it follows Ultra Ethernet 1.0.
    pub fn usual(payload_bytes: u32, packet_bytes: u32, line: Rate) -> NsccSpec {
        NsccSpec {
            payload_bytes,
            packet_bytes,
            line,
            base_rtt: Duration::ZERO,
            network_rtt: Duration::ZERO,
            target: Duration::ZERO,
            target_share: 1.0,
            decrease: 0.8,
            largest_cut: 0.5,
            weight: 0.0125,
            most_window: 1.5,
            adjust_packets: 8,
            quick_share: 0.125,
            quick_delay: 4.0,
            quick: true,
        }
    }

    /// Payload of a packet that is in flight for so long at line rate, bytes.
    pub fn payload_in(&self, span: Duration) -> f64 {
        let bits = self.line.0 as f64 * span.seconds();
        bits / 8.0 * f64::from(self.payload_bytes) / f64::from(self.packet_bytes.max(1))
    }

    /// The gains of the network of this spec.
    pub fn gains(&self) -> NsccGains {
        let target = match self.target {
            Duration::ZERO => {
                let share = self.network_rtt.0 as f64 * self.target_share;
                Duration((share as u64).max(1))
            }
            target => target,
        };
        let line_bytes = self.line.0 as f64 * self.network_rtt.seconds() / 8.0;
        let a = line_bytes / REFERENCE_BYTES;
        let b = target.0 as f64 / REFERENCE_RTT.0 as f64;
        let packet = f64::from(self.payload_bytes);
        NsccGains {
            alpha: 4.0 * packet * a * b / target.0 as f64,
            fair: 5.0 * packet * a,
            fast: 0.25 * a,
            eta: 0.15 * packet * a,
            target,
        }
    }
}
