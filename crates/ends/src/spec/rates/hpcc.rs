//! HPCC: how the source goes by what switches write on its packets.

use backwater_kernel::{Duration, Rate};

/// How exact what switches write is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counters {
    /// As it is.
    Exact,
    /// 24 bits of nanoseconds, 20 bits of 128 B sent, 17 bits of 80 B queued; the bytes scaled by
    /// the NIC's rate over 25 Gb/s.
    Narrow,
}

/// HPCC's source.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HpccSpec {
    /// T: the round trip of an empty network.
    pub base_rtt: Duration,
    /// eta: the use of the busiest link that is aimed at.
    pub target_use: f64,
    /// Round trips of additive increase before the rate is set by what was measured.
    pub max_stage: u32,
    /// R_AI: what an increase adds.
    pub additive: Rate,
    /// No rate below.
    pub least: Rate,
    /// Acknowledgements within a round trip change the rate in use, too.
    pub reacts_fast: bool,
    /// A rate for each hop, the least of which is used.
    pub by_hop: bool,
    /// How exact what switches write is.
    pub counters: Counters,
    /// What U starts at.
    pub first_use: f64,
    /// A new rate changes the wait of the packet that is next by now.
    pub rescales: bool,
}

impl HpccSpec {
    /// As its authors run it behind a NIC of this rate.
    pub fn artifact(line: Rate, base_rtt: Duration) -> HpccSpec {
        HpccSpec {
            base_rtt,
            target_use: 0.95,
            max_stage: 0,
            additive: Rate((line.0 / 2_500).max(1)),
            least: Rate(1_000_000_000),
            reacts_fast: true,
            by_hop: false,
            counters: Counters::Exact,
            first_use: 1.0,
            rescales: true,
        }
    }

    /// As it is printed, for so many flows to one link: W_AI = W (1 - eta) / N.
    pub fn paper(line: Rate, base_rtt: Duration, flows: u32) -> HpccSpec {
        let additive = line.0 / 20 / u64::from(flows.max(1));
        HpccSpec {
            max_stage: 5,
            additive: Rate(additive.max(1)),
            ..HpccSpec::artifact(line, base_rtt)
        }
    }
}
