//! Units of one kind: what is given in several of them has one axis.

use crate::column::NoColumn;

/// Units by kind, and what one of each is worth in the smallest of its kind.
const KINDS: [&[(&str, f64)]; 4] = [
    &[
        ("ps", 1.0),
        ("ns", 1e3),
        ("us", 1e6),
        ("µs", 1e6),
        ("μs", 1e6),
        ("ms", 1e9),
        ("s", 1e12),
        ("min", 6e13),
    ],
    &[
        ("bps", 1.0),
        ("bit/s", 1.0),
        ("kbps", 1e3),
        ("kbit/s", 1e3),
        ("kb/s", 1e3),
        ("Mbps", 1e6),
        ("Mbit/s", 1e6),
        ("Mb/s", 1e6),
        ("M", 1e6),
        ("Gbps", 1e9),
        ("Gbit/s", 1e9),
        ("Gb/s", 1e9),
        ("G", 1e9),
        ("GE", 1e9),
        ("GbE", 1e9),
        ("Tbps", 1e12),
        ("Tbit/s", 1e12),
        ("Tb/s", 1e12),
        ("T", 1e12),
        ("TbE", 1e12),
    ],
    &[
        ("B", 1.0),
        ("bytes", 1.0),
        ("kB", 1e3),
        ("KiB", 1024.0),
        ("MB", 1e6),
        ("MiB", 1_048_576.0),
        ("GB", 1e9),
        ("GiB", 1_073_741_824.0),
    ],
    &[("m", 1.0), ("km", 1e3)],
];

/// A value in the unit `own`, in the unit `wanted`.
///
/// # Errors
/// If they are of different kinds; `what` is what has them.
pub fn converted(value: f64, own: &str, wanted: &str, what: &str) -> Result<f64, NoColumn> {
    if own == wanted {
        return Ok(value);
    }
    let worth = |kind: &[(&str, f64)], unit: &str| {
        let found = kind.iter().find(|(name, _)| *name == unit);
        found.map(|(_, worth)| *worth)
    };
    let ratio = |kind: &&[(&str, f64)]| Some((worth(kind, own)?, worth(kind, wanted)?));
    match KINDS.iter().find_map(ratio) {
        Some((own, wanted)) => Ok(value * own / wanted),
        None => {
            let what = format!("`{what}` has unlike units: `{wanted}` and `{own}`");
            Err(NoColumn::sorted(what, []))
        }
    }
}
