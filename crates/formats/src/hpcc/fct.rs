//! `fct.txt`: for each flow that is over, in the order in which the last byte was acknowledged,
//! `source destination port port bytes start time alone`: addresses in eight hexadecimal digits,
//! times in nanoseconds. `alone` is what that program computes for an empty network.

use std::fmt::Write;

use crate::FileError;
use crate::text::{lines, no, number};

/// Address of node 0; each further node is 256 beyond.
const FIRST_ADDRESS: u32 = 0x0b00_0001;
/// Nodes that addresses tell apart.
pub const MOST_NODES: u32 = 1 << 16;
/// Bytes of headers that each packet has.
pub const HEADER_BYTES: u64 = 48;

/// A flow that is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// Number of the node that sends.
    pub source: u32,
    /// Number of the node that receives.
    pub destination: u32,
    /// Ports of both.
    pub ports: [u16; 2],
    /// Payload.
    pub bytes: u64,
    /// Nanoseconds.
    pub start_ns: u64,
    /// Until the last byte is acknowledged, nanoseconds.
    pub time_ns: u64,
    /// Of the same on an empty network, nanoseconds.
    pub alone_ns: u64,
}

/// What that program takes an empty network to need, nanoseconds: the round trip of a packet, and
/// all bytes with headers at the slowest link. Links are rate (bits a second) and delay (ps).
pub fn alone_ns(bytes: u64, payload: u64, links: &[(u64, u64)]) -> u64 {
    let slowest = links
        .iter()
        .map(|(rate, _)| *rate)
        .min()
        .unwrap_or(1)
        .max(1);
    let wire = |bytes: u64, rate: u64| u128::from(bytes) * 8_000_000_000 / u128::from(rate.max(1));
    let delays: u128 = links.iter().map(|(_, delay)| u128::from(*delay)).sum();
    let packets: u128 = links.iter().map(|(rate, _)| wire(payload, *rate)).sum();
    let total = bytes.saturating_add(bytes.div_ceil(payload.max(1)).saturating_mul(HEADER_BYTES));
    let all = 2 * delays / 1_000 + packets + wire(total, slowest);
    u64::try_from(all).unwrap_or(u64::MAX)
}

/// Writes one.
pub fn write(flows: &[Completion]) -> String {
    let mut out = String::new();
    for flow in flows {
        let address = |node: u32| FIRST_ADDRESS.wrapping_add(node.wrapping_mul(256));
        let _ = writeln!(
            out,
            "{:08x} {:08x} {} {} {} {} {} {}",
            address(flow.source),
            address(flow.destination),
            flow.ports[0],
            flow.ports[1],
            flow.bytes,
            flow.start_ns,
            flow.time_ns,
            flow.alone_ns
        );
    }
    out
}

/// Reads one.
///
/// # Errors
/// If a line has other words.
pub fn read(text: &str) -> Result<Vec<Completion>, FileError> {
    let what = "`source destination port port bytes start time alone`";
    let flow = |(line, words): (u32, &str)| {
        let all: Vec<&str> = words.split_whitespace().collect();
        let [
            source,
            destination,
            first,
            second,
            bytes,
            start,
            time,
            alone,
        ] = all[..]
        else {
            return Err(no((line, words), what));
        };
        let node = |word: &str| {
            let address = u32::from_str_radix(word, 16).ok();
            let beyond = address.and_then(|address| address.checked_sub(FIRST_ADDRESS));
            let beyond = beyond.filter(|beyond| beyond.is_multiple_of(256));
            beyond
                .map(|beyond| beyond / 256)
                .ok_or_else(|| no((line, word), "an address"))
        };
        let ns = |word: &str| number::<u64>((line, word), "nanoseconds");
        Ok(Completion {
            source: node(source)?,
            destination: node(destination)?,
            ports: [
                number((line, first), "a port")?,
                number((line, second), "a port")?,
            ],
            bytes: number((line, bytes), "bytes")?,
            start_ns: ns(start)?,
            time_ns: ns(time)?,
            alone_ns: ns(alone)?,
        })
    };
    lines(text).map(flow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_the_program() {
        let flow = Completion {
            source: 0,
            destination: 257,
            ports: [10_000, 100],
            bytes: 1_000,
            start_ns: 2_000_000_000,
            time_ns: 5_000,
            alone_ns: 4_240,
        };
        let text = write(std::slice::from_ref(&flow));
        assert_eq!(
            text,
            "0b000001 0b010101 10000 100 1000 2000000000 5000 4240\n"
        );
        assert_eq!(read(&text), Ok(Vec::from([flow])));
        for (from, to) in [
            ("10000 100", "10000"),
            ("0b000001", "0b000002"),
            ("5000", "5us"),
        ] {
            let mistake = read(&text.replacen(from, to, 1)).expect_err(to);
            assert!(mistake.line == 1 && mistake.allowed.is_some(), "{mistake}");
        }
    }

    /// One packet of 1,000 B over two links of 100 Gb/s and 1 us: 4 us of propagation, 80 ns twice,
    /// and 1,048 B; two packets over a slower link.
    #[test]
    fn an_empty_network_is_as_the_program_has_it() {
        let links = [(100_000_000_000, 1_000_000); 2];
        assert_eq!(alone_ns(1_000, 1_000, &links), 4_000 + 160 + 83);
        let slower = [(100_000_000_000, 1_000_000), (10_000_000_000, 500)];
        assert_eq!(alone_ns(1_001, 1_000, &slower), 2_001 + 80 + 800 + 877);
    }
}
