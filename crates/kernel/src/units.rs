//! Units of measure: what people write, and what one of each is worth.

use crate::time::PS_PER_SECOND;

/// A unit's name and what one of it is worth.
pub type Unit = (&'static str, u128);

/// Units of time, in picoseconds (cells come on top; their length is the scenario's).
pub const TIMES: &[Unit] = &[
    ("ps", 1),
    ("ns", 1_000),
    ("us", 1_000_000),
    ("µs", 1_000_000),
    ("μs", 1_000_000),
    ("ms", 1_000_000_000),
    ("s", PS_PER_SECOND as u128),
    ("min", 60 * PS_PER_SECOND as u128),
];

/// Units of rate, in bits per second.
pub const RATES: &[Unit] = &[
    ("bps", 1),
    ("kbps", 1_000),
    ("Mbps", 1_000_000),
    ("Gbps", 1_000_000_000),
    ("Tbps", 1_000_000_000_000),
    ("bit/s", 1),
    ("kbit/s", 1_000),
    ("Mbit/s", 1_000_000),
    ("Gbit/s", 1_000_000_000),
    ("Tbit/s", 1_000_000_000_000),
];

/// Other spellings of rates that are read, and left out where units are listed.
pub const SPOKEN_RATES: &[Unit] = &[
    ("kb/s", 1_000),
    ("M", 1_000_000),
    ("Mb/s", 1_000_000),
    ("G", 1_000_000_000),
    ("Gb/s", 1_000_000_000),
    ("GE", 1_000_000_000),
    ("GbE", 1_000_000_000),
    ("T", 1_000_000_000_000),
    ("Tb/s", 1_000_000_000_000),
    ("TbE", 1_000_000_000_000),
];

/// Units of size, in bytes.
pub const SIZES: &[Unit] = &[
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("bytes", 1),
];

/// Lengths of cable, in millimetres.
pub const LENGTHS: &[Unit] = &[("m", 1_000), ("km", 1_000_000)];

/// Units of one kind each, in one or two lists.
pub const KINDS: [&[&[Unit]]; 4] = [&[TIMES], &[RATES, SPOKEN_RATES], &[SIZES], &[LENGTHS]];

/// What one of a unit is worth, if it is of this kind.
pub fn worth(kind: &[&[Unit]], unit: &str) -> Option<u128> {
    let mut units = kind.iter().copied().flatten();
    let named = units.find(|(name, _)| *name == unit);
    named.map(|(_, worth)| *worth)
}
