//! Units that are not read: what one of them is worth, so that a hint keeps the value.

use std::ops::Range;

use backwater_kernel::units::{KINDS, LENGTHS, TIMES, Unit};

use super::{Decimal, SHARES};
use crate::language::suggest;

/// A decimal: digits, and how many of them stand behind the point.
type Worth = (u128, u32);

/// In picoseconds.
const OTHER_TIMES: &[(&[&str], Worth)] = &[
    (&["fs"], (1, 3)),
    (&["psec", "picosecond"], (1, 0)),
    (&["nsec", "nanosecond", "nano"], (1_000, 0)),
    (&["usec", "microsecond", "micro"], (1_000_000, 0)),
    (&["msec", "millisecond", "milli"], (1_000_000_000, 0)),
    (&["sec", "second"], (1_000_000_000_000, 0)),
    (&["minute"], (60_000_000_000_000, 0)),
    (&["h", "hr", "hour"], (3_600_000_000_000_000, 0)),
    (&["d", "day"], (86_400_000_000_000_000, 0)),
];

/// In millimetres.
const OTHER_LENGTHS: &[(&[&str], Worth)] = &[
    (&["mm", "millimetre", "millimeter"], (1, 0)),
    (&["cm", "centimetre", "centimeter"], (10, 0)),
    (&["metre", "meter"], (1_000, 0)),
    (&["kilometre", "kilometer"], (1_000_000, 0)),
    (&["in", "inch", "inche"], (254, 1)),
    (&["ft", "feet", "foot"], (3_048, 1)),
    (&["yd", "yard"], (9_144, 1)),
    (&["mi", "mile"], (1_609_344, 0)),
];

/// In percent.
const OTHER_SHARES: &[(&[&str], Worth)] = &[
    (&["percent", "per cent", "pct"], (1, 0)),
    (&["permille", "per mille", "‰"], (1, 1)),
    (&["ppm"], (1, 4)),
    (&["ppb"], (1, 7)),
];

/// Words for what is counted, as the keys have them.
const OTHER_COUNTS: &[(&str, &str)] = &[
    ("byte", "bytes"),
    ("cell time", "cells"),
    ("clock", "cycles"),
    ("clocks", "cycles"),
    ("clk", "cycles"),
];

/// Multiples of bits and bytes: what they are called in short, in full, and by how much.
const MULTIPLES: &[(&str, &str, u128)] = &[
    ("", "", 1),
    ("k", "kilo", 1_000),
    ("m", "mega", 1_000_000),
    ("g", "giga", 1_000_000_000),
    ("t", "tera", 1_000_000_000_000),
    ("p", "peta", 1_000_000_000_000_000),
    ("ki", "kibi", 1 << 10),
    ("mi", "mebi", 1 << 20),
    ("gi", "gibi", 1 << 30),
    ("ti", "tebi", 1 << 40),
];

/// What a unit of data counts.
#[derive(Clone, Copy)]
struct Data {
    bits: u128,
    are_bytes: bool,
    a_second: bool,
}

/// What a number with an unknown unit may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Meant {
    /// The quantity in a unit that is known.
    pub quantity: String,
    /// What to say of it.
    pub help: String,
}

/// What a number with a unit that is none of `units` may be: with the unit that is meant, or as
/// the same quantity in one of them.
pub(crate) fn meant(text: &str, unit: &str, units: &[&'static str]) -> Vec<Meant> {
    let Ok((number, _)) = super::split_number(text) else {
        return Vec::new();
    };
    let either = either(number, unit, units);
    if !either.is_empty() {
        return either;
    }
    one(text, number, unit, units).into_iter().collect()
}

fn one(text: &str, number: Decimal, unit: &str, units: &[&'static str]) -> Option<Meant> {
    let same_letters = |known: &&&str| known.eq_ignore_ascii_case(unit);
    let is_of = |list: &[Unit]| kind_of(units).is_some_and(|kind| kind.contains(&list));
    if is_of_data(units) {
        let said = data(unit).and_then(|data| data.meant(text, number, units));
        if said.is_some() {
            return said;
        }
    }
    let named = |list: &[(&[&str], Worth)]| {
        let unit = unit.to_lowercase();
        let one = unit.strip_suffix('s').unwrap_or(&unit);
        let mut found = list.iter();
        let found = found.find(|(names, _)| names.contains(&one) || names.contains(&&*unit));
        found.map(|(_, worth)| *worth)
    };
    let other = match () {
        () if is_of(TIMES) => named(OTHER_TIMES),
        () if is_of(LENGTHS) => named(OTHER_LENGTHS),
        () if units.contains(&SHARES[0].0) => named(OTHER_SHARES),
        () => None,
    };
    if let Some(worth) = other {
        return same(text, number, worth, units);
    }
    let counted = OTHER_COUNTS.iter();
    let counted = counted.filter(|(name, _)| name.eq_ignore_ascii_case(unit));
    let mut counted = counted.map(|(_, own)| *own);
    let meant = units
        .iter()
        .find(same_letters)
        .copied()
        .or_else(|| counted.find(|own| units.contains(own)))
        .or_else(|| slip(unit, units));
    meant.map(|meant| as_unit(number, meant))
}

/// The units of one kind that these are of.
fn kind_of(units: &[&'static str]) -> Option<&'static [&'static [Unit]]> {
    let mut kinds = units.iter().filter_map(|own| {
        let mut kinds = KINDS.iter();
        kinds.find(|kind| super::worth(kind, own).is_some())
    });
    kinds.next().copied()
}

fn is_of_data(units: &[&'static str]) -> bool {
    kind_of(units).is_some_and(|kind| !kind.contains(&TIMES) && !kind.contains(&LENGTHS))
}

fn as_unit(number: Decimal, unit: &str) -> Meant {
    Meant {
        quantity: format!("{number} {unit}"),
        help: format!("did you mean `{unit}`?"),
    }
}

/// A unit of almost the same letters, of the same multiple: a slip of the finger.
fn slip(unit: &str, units: &[&'static str]) -> Option<&'static str> {
    let bytes = |unit: &str| unit.matches('B').count();
    let first = |unit: &str| unit.chars().next().map(|first| first.to_ascii_lowercase());
    let alike = |own: &&str| {
        let is_binary = own.contains('i') == unit.contains('i');
        own.len() > 2 && bytes(own) == bytes(unit) && first(own) == first(unit) && is_binary
    };
    suggest::nearest(unit, units.iter().copied().filter(alike))
}

/// Multiples of bytes that some take for a power of ten and some for one of two: how they are
/// written, both readings, and what each is.
type Either = (&'static [&'static str], [(&'static str, &'static str); 2]);
const EITHER: &[Either] = &[
    (&["K", "KB", "k"], [("kB", "1000 B"), ("KiB", "1024 B")]),
    (&["M"], [("MB", "1000 kB"), ("MiB", "1024 KiB")]),
    (&["G"], [("GB", "1000 MB"), ("GiB", "1024 MiB")]),
];

/// What may be one of two: such a multiple, and a rate in capitals, whose author may mean bits as
/// well as bytes.
fn either(number: Decimal, unit: &str, units: &[&'static str]) -> Vec<Meant> {
    if units.contains(&"KiB") {
        let found = EITHER.iter().find(|(names, _)| names.contains(&unit));
        let readings = found.into_iter().flat_map(|(_, readings)| readings);
        let meant = readings.map(|(own, each)| {
            let quantity = format!("{number} {own}");
            Meant {
                help: format!("`{quantity}`: `{each}` each"),
                quantity,
            }
        });
        return meant.collect();
    }
    let in_capitals = data(unit).filter(|data| data.are_bytes && unit.ends_with("PS"));
    let Some(data) = in_capitals else {
        return Vec::new();
    };
    let readings = [(data.bits / 8, "bits"), (data.bits, "bytes")].into_iter();
    let meant = readings.filter_map(|(bits, what)| {
        let quantity = spelled(number, (bits, 0), units)?;
        Some(Meant {
            help: format!("`{quantity}` if {what} are meant"),
            quantity,
        })
    });
    meant.collect()
}

/// Bits and bytes, a second or not, in all their spellings.
fn data(unit: &str) -> Option<Data> {
    const SECOND: [&str; 5] = ["/second", "/sec", "/s", "p/s", "ps"];
    let folded = unit.to_lowercase();
    let (rest, a_second) = SECOND
        .iter()
        .find_map(|end| Some((folded.strip_suffix(end)?, true)))
        .unwrap_or((&folded, false));
    let letters: Range<usize> = 0..rest.len();
    let (multiple, are_bytes) = ["bits", "bit", "bytes", "byte", "octets", "octet", "b"]
        .iter()
        .find_map(|base| {
            let multiple = rest.strip_suffix(base)?;
            let is_letter = base.len() == 1;
            let are_bytes = match is_letter {
                true => unit.get(letters.clone())?.ends_with('B'),
                false => !base.starts_with("bit"),
            };
            Some((multiple, are_bytes))
        })?;
    let mut multiples = MULTIPLES.iter();
    let (.., times) = multiples.find(|(short, long, _)| multiple == *short || multiple == *long)?;
    Some(Data {
        bits: times * if are_bytes { 8 } else { 1 },
        are_bytes,
        a_second,
    })
}

impl Data {
    fn meant(self, text: &str, number: Decimal, units: &[&'static str]) -> Option<Meant> {
        let of_rates = units.iter().any(|unit| unit.ends_with("bps"));
        match (of_rates, self.a_second) {
            (true, true) => same(text, number, (self.bits, 0), units),
            (true, false) => {
                let equal = spelled(number, (self.bits, 0), units)?;
                Some(Meant {
                    help: format!("`{}` a second are `{equal}`", text.trim()),
                    quantity: equal,
                })
            }
            // An eighth of a bit's worth: 0.125 bytes.
            (false, false) if self.are_bytes => same(text, number, (self.bits / 8, 0), units),
            (false, false) => same(text, number, (self.bits * 125, 3), units),
            (false, true) => None,
        }
    }
}

/// The one unit that is worth as much; else the same quantity in another.
fn same(text: &str, number: Decimal, worth: Worth, units: &[&'static str]) -> Option<Meant> {
    let one = Decimal {
        digits: 1,
        scale: 0,
    };
    let alike = spelled(one, worth, units).filter(|unit| unit.starts_with("1 "));
    if let Some(unit) = alike.as_deref().and_then(|unit| unit.strip_prefix("1 ")) {
        return Some(as_unit(number, unit));
    }
    let equal = spelled(number, worth, units)?;
    Some(Meant {
        help: format!("`{}` is `{equal}`", text.trim()),
        quantity: equal,
    })
}

/// So many of what is worth so much, in the unit that makes it shortest.
fn spelled(number: Decimal, worth: Worth, units: &[&'static str]) -> Option<String> {
    let digits = number.digits.checked_mul(worth.0)?;
    let value = Decimal {
        digits,
        scale: number.scale + worth.1,
    };
    let in_unit = |unit: &&'static str| {
        let own = KINDS.iter().find_map(|kind| super::worth(kind, unit));
        let own = own.or_else(|| super::worth(&[SHARES], unit))?;
        let number = divided(value.shortest(), own)?;
        Some((number.digits < 10_u128.pow(number.scale), number, *unit))
    };
    let spelled = units.iter().filter_map(in_unit);
    let spelled = spelled.map(|(below_one, number, unit)| (below_one, format!("{number} {unit}")));
    let shortest = spelled.min_by_key(|(below_one, text)| (*below_one, text.len()));
    shortest.map(|(_, text)| text)
}

/// Exactly, if it is a decimal of few digits.
fn divided(number: Decimal, by: u128) -> Option<Decimal> {
    const MOST: u32 = 15;
    let (mut digits, mut scale) = (number.digits, number.scale);
    while digits % by != 0 {
        digits = digits.checked_mul(10)?;
        scale += 1;
        if scale > MOST {
            return None;
        }
    }
    let quotient = Decimal {
        digits: digits / by,
        scale,
    };
    Some(quotient.shortest())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::units::{cable_ps, clock_ps, rate_bps, share, size_bytes};

    const RATES: &[&str] = &["bps", "kbps", "Mbps", "Gbps", "Tbps"];
    const BYTES: &[&str] = &["B", "kB", "MB", "GB", "KiB", "MiB", "GiB"];
    const SPANS: &[&str] = &["ps", "ns", "us", "ms", "s", "min"];

    fn all_of(text: &str, units: &[&'static str]) -> Vec<Meant> {
        let unit = crate::language::units::split_number(text)
            .expect("a number")
            .1;
        meant(text, unit, units)
    }

    fn help_of(text: &str, units: &[&'static str]) -> String {
        let help = all_of(text, units).into_iter().map(|meant| meant.help);
        help.collect::<Vec<_>>().join(", ")
    }

    /// The one quantity that is proposed.
    fn proposed(text: &str, units: &[&'static str]) -> String {
        match &all_of(text, units)[..] {
            [meant] => meant.quantity.clone(),
            all => panic!("{text}: {all:?}"),
        }
    }

    #[test]
    fn rates_in_other_units_keep_their_value() {
        for (text, bps) in [
            ("50 GB/s", 400e9),
            ("50 GBps", 400e9),
            ("64 KB/s", 512e3),
            ("64 kBps", 512e3),
            ("1.5 MByte/s", 12e6),
            ("1 GiB/s", 8.0 * f64::from(1_u32 << 30)),
            ("2 Mibps", 2.0 * f64::from(1_u32 << 20)),
            ("3 Gibit/s", 3.0 * f64::from(1_u32 << 30)),
            ("100 GB", 800e9),
            ("100 Mb", 100e6),
            ("10 mbps", 10e6),
            ("10 Gigabits/sec", 10e9),
            ("7 B/s", 56.0),
        ] {
            let found = proposed(text, RATES);
            assert_eq!(rate_bps(&found).ok(), Some(bps as u64), "{text}: {found}");
        }
        assert_eq!(help_of("50 GB/s", RATES), "`50 GB/s` is `400 Gbps`");
        assert_eq!(help_of("50 GB", RATES), "`50 GB` a second are `400 Gbps`");
        assert_eq!(help_of("5 Gbsp", RATES), "did you mean `Gbps`?");
        assert_eq!(help_of("5 Gi", RATES), "");
        let both = "`10 Mbps` if bits are meant, `80 Mbps` if bytes are meant";
        assert_eq!(help_of("10 MBPS", RATES), both);
    }

    #[test]
    fn sizes_in_other_units_keep_their_value() {
        for (text, bytes) in [
            ("10 Mb", 1_250_000),
            ("8 b", 1),
            ("1 Gb", 125_000_000),
            ("64 kbit", 8_000),
            ("2 TB", 2_000_000_000_000),
            ("1 Kib", 128),
            ("3 megabytes", 3_000_000),
            ("1500 octets", 1_500),
            ("2 TiB", 2 << 40),
        ] {
            let found = proposed(text, BYTES);
            assert_eq!(size_bytes(&found).ok(), Some(bytes), "{text}: {found}");
        }
        let both = "`64 kB`: `1000 B` each, `64 KiB`: `1024 B` each";
        assert_eq!(help_of("64 KB", BYTES), both);
        assert_eq!(help_of("9 Gbps", BYTES), "");
    }

    #[test]
    fn times_lengths_and_shares_keep_their_value() {
        let span = |text: &str| clock_ps(&proposed(text, SPANS)).ok();
        assert_eq!(span("1 h"), clock_ps("60 min").ok());
        assert_eq!(span("2 days"), clock_ps("2880 min").ok());
        assert_eq!(span("5 usec"), clock_ps("5 us").ok());
        assert_eq!(span("7 Seconds"), clock_ps("7 s").ok());
        assert_eq!(span("1500 fs"), clock_ps("1.5 ps").ok());
        assert_eq!(span("3 MS"), clock_ps("3 ms").ok());
        assert_eq!(help_of("1 furlong", SPANS), "");
        let cable = |text: &str| cable_ps(&proposed(text, &["m", "km"])).ok();
        assert_eq!(cable("100 ft"), cable_ps("30.48 m").ok());
        assert_eq!(cable("50 cm"), cable_ps("0.5 m").ok());
        assert_eq!(cable("3 miles"), cable_ps("4828.032 m").ok());
        let part = |text: &str| share(&proposed(text, &["%"])).ok();
        assert_eq!(part("5 percent"), share("5 %").ok());
        assert_eq!(part("20 ppm"), share("0.002 %").ok());
    }
}
