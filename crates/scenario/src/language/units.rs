//! Quantities with units, read and converted in integers: no value passes through a float.

mod foreign;

use backwater_kernel::Rate;

pub use backwater_kernel::Decimal;
use backwater_kernel::decimal::measured;
pub(crate) use backwater_kernel::decimal::{Fault, quantity, split_number};
use backwater_kernel::units::{KINDS, SPOKEN_RATES, worth};
pub(crate) use backwater_kernel::units::{LENGTHS, RATES, SIZES, TIMES, Unit};
pub(crate) use foreign::meant;

/// Longest span a key may hold, picoseconds: sums of a few of them still fit the clock.
pub(crate) const LONGEST_PS: u64 = 1 << 62;

/// Largest rate, bits per second: a frame of 64 bytes takes five whole picoseconds.
const FASTEST_BPS: u64 = 100_000_000_000_000;
/// The same as a file has it.
pub(crate) const FASTEST: &str = "100 Tbps";

/// All units of rate that are read.
pub(crate) fn rates() -> Vec<Unit> {
    [RATES, SPOKEN_RATES].concat()
}

/// What is counted in units of a flow, by its words.
pub(crate) const COUNTS: &[Unit] = &[
    ("cells", 1),
    ("units", 1),
    ("packets", 1),
    ("cell", 1),
    ("unit", 1),
    ("packet", 1),
];

/// How much a source sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amount {
    /// So many of the flow's units.
    Units(u64),
    /// Bytes.
    Bytes(u64),
}

/// Delay of cable, picoseconds a millimetre: 5 ns/m.
const CABLE_PS: u64 = 5;
/// Longest cable, millimetres.
const LONGEST_CABLE: u64 = 1_000_000_000_000;

/// Cycles of the clock that all routers share.
pub(crate) const CYCLES: &[Unit] = &[("cycles", 1), ("cycle", 1)];

/// Fractions: one is the whole.
pub(crate) const SHARES: &[Unit] = &[("%", 1)];

/// Picoseconds of "50 us" or "77.5 cells", rounded half up to one picosecond.
pub(crate) fn time_ps(text: &str, cell_ps: u64) -> Result<u64, Fault> {
    let cells = [("cells", cell_ps.into()), ("cell", cell_ps.into())];
    measured(text, &[TIMES, &cells].concat(), LONGEST_PS)
}

/// Picoseconds of "50 us".
pub(crate) fn clock_ps(text: &str) -> Result<u64, Fault> {
    measured(text, TIMES, LONGEST_PS)
}

/// Delay of "100 m" of cable, picoseconds.
pub(crate) fn cable_ps(text: &str) -> Result<u64, Fault> {
    Ok(measured(text, LENGTHS, LONGEST_CABLE)? * CABLE_PS)
}

/// The fraction "1/8", "0.125" or "12.5 %" as its two numbers, in lowest terms.
pub(crate) fn ratio(text: &str) -> Result<(u32, u32), Fault> {
    let (above, below) = match text.split_once('/') {
        Some((above, below)) => {
            let whole = |text: &str| text.trim().parse::<u128>().map_err(|_| Fault::NoNumber);
            (whole(above)?, whole(below)?)
        }
        None => {
            let share = share(text)?.shortest();
            let below = 10_u128.checked_pow(share.scale).ok_or(Fault::TooLarge)?;
            (share.digits, below)
        }
    };
    let (mut a, mut b) = (above, below);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let part = |number: u128| u32::try_from(number / a.max(1)).map_err(|_| Fault::TooLarge);
    Ok((part(above)?, part(below)?))
}

/// "20000 cycles", or the number alone. Half a cycle is none.
pub(crate) fn cycles(text: &str) -> Result<u64, Fault> {
    let number = match quantity(text, CYCLES) {
        Ok((number, _)) => number,
        Err(Fault::NoUnit) => split_number(text)?.0,
        Err(fault) => return Err(fault),
    };
    whole(number)
}

fn whole(number: Decimal) -> Result<u64, Fault> {
    let number = number.shortest();
    if number.scale > 0 {
        return Err(Fault::Broken);
    }
    u64::try_from(number.digits).map_err(|_| Fault::TooLarge)
}

/// "500 cells" or "1 MB". Half a cell is none.
pub(crate) fn amount(text: &str) -> Result<Amount, Fault> {
    match quantity(text, COUNTS) {
        Ok((number, _)) => whole(number).map(Amount::Units),
        Err(Fault::UnknownUnit(_)) => size_bytes(text).map(Amount::Bytes),
        Err(fault) => Err(fault),
    }
}

/// Bits per second of "622 Mbps" or "400 GbE", rounded half up.
pub(crate) fn rate_bps(text: &str) -> Result<u64, Fault> {
    measured(text, &rates(), FASTEST_BPS)
}

/// Bits per second of "10 Mbps" or "10 cells/s", cells of `cell_bits`; rounded half up.
pub(crate) fn cell_rate_bps(text: &str, cell_bits: u64) -> Result<u64, Fault> {
    let cells = ("cells/s", u128::from(cell_bits));
    measured(text, &[rates(), vec![cells]].concat(), FASTEST_BPS)
}

/// Bytes of "6 kB", rounded half up.
pub(crate) fn size_bytes(text: &str) -> Result<u64, Fault> {
    measured(text, SIZES, u64::MAX)
}

/// The share of "33 %" or "0.33".
pub(crate) fn share(text: &str) -> Result<Decimal, Fault> {
    match quantity(text, SHARES) {
        Ok((number, _)) => Ok(number.percent()),
        Err(Fault::NoUnit) => Ok(split_number(text)?.0),
        Err(fault) => Err(fault),
    }
}

/// A share of a rate, rounded half up to one bit per second.
pub(crate) fn share_of(rate: Rate, share: Decimal) -> Rate {
    let bps = share.times(u128::from(rate.0)).unwrap_or(u128::MAX);
    Rate(u64::try_from(bps).unwrap_or(u64::MAX).max(1))
}

/// Gap between units of a source that uses `share` of `rate`, rounded half up to 1 ps.
pub(crate) fn gap_ps(unit_ps: u64, share: Decimal) -> Option<u64> {
    let one = 10_u128.checked_pow(share.scale)?;
    let product = u128::from(unit_ps).checked_mul(one)?;
    let gap = product
        .checked_add(share.digits / 2)?
        .checked_div(share.digits)?;
    u64::try_from(gap)
        .ok()
        .filter(|gap| *gap <= LONGEST_PS)
        .map(|gap| gap.max(1))
}

/// Is it a unit of time, rate, size or length?
pub(crate) fn is_known(unit: &str) -> bool {
    KINDS.iter().any(|kind| worth(kind, unit).is_some())
}

/// The usual spelling of a unit that has several: `us` for `µs`, `Gbps` for `G`.
pub(crate) fn usual(unit: &str) -> &str {
    let alike = [
        ("cell", "cells"),
        ("unit", "units"),
        ("packet", "packets"),
        ("cycle", "cycles"),
    ];
    if let Some((_, usual)) = alike.iter().find(|(one, _)| *one == unit) {
        return usual;
    }
    let same = KINDS.iter().find_map(|kind| {
        let own = worth(kind, unit)?;
        let mut units = kind.iter().copied().flatten();
        units.find(|(_, other)| *other == own)
    });
    same.map_or(unit, |(name, _)| name)
}

/// A quantity so that equal ones are the same text: `1 us` and `1000 ns` are.
pub(crate) fn comparable(text: &str) -> Option<String> {
    let (number, unit) = split_number(text).ok()?;
    let known = KINDS
        .iter()
        .find_map(|kind| Some((kind[0][0].0, worth(kind, unit)?)));
    let (least, digits) = match known {
        Some((least, worth)) => (least, number.digits.checked_mul(worth)?),
        None => (usual(unit), number.digits),
    };
    let number = Decimal { digits, ..number };
    Some(format!("{} {least}", number.shortest()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL_PS: u64 = 681_672;

    #[test]
    fn rates_are_read_as_they_are_spoken() {
        let read = |text: &str| rate_bps(text).ok();
        assert_eq!(read("100G"), Some(100_000_000_000));
        assert_eq!(read("400 GbE"), Some(400_000_000_000));
        assert_eq!(read("10GE"), Some(10_000_000_000));
        assert_eq!(read("2.5 Gb/s"), Some(2_500_000_000));
        assert_eq!(read("1.6T"), Some(1_600_000_000_000));
        // Bytes and binary multiples are no rates of a link.
        assert_eq!(read("100 GB"), None);
        assert_eq!(read("100 Gi"), None);
    }

    #[test]
    fn half_cells_are_exact() {
        assert_eq!(time_ps("77.5 cells", CELL_PS), Ok(52_829_580));
        assert_eq!(time_ps("1 cell", CELL_PS), Ok(CELL_PS));
        assert_eq!(time_ps("0.5 cells", 3), Ok(2), "half up");
        assert_eq!(time_ps("50us", CELL_PS), Ok(50_000_000));
        assert_eq!(time_ps("1e-3 s", CELL_PS), Ok(1_000_000_000));
        assert_eq!(time_ps("0.000000000001 s", CELL_PS), Ok(1));
    }

    #[test]
    fn cells_a_second_are_bits_a_second() {
        assert_eq!(cell_rate_bps("10 cells/s", 424), Ok(4240));
        assert_eq!(cell_rate_bps("0.5 cells/s", 424), Ok(212));
        assert_eq!(cell_rate_bps("4240 bps", 424), Ok(4240));
        assert_eq!(cell_rate_bps("0 bps", 424), Ok(0));
        assert_eq!(cell_rate_bps("10", 424), Err(Fault::NoUnit));
    }

    #[test]
    fn a_decimal_that_no_float_holds_stays_exact() {
        assert_eq!(
            time_ps("1234567.000000000001 s", 1),
            Ok(1_234_567_000_000_000_001)
        );
    }

    #[test]
    fn faults_are_told_apart() {
        assert_eq!(time_ps("50", 1), Err(Fault::NoUnit));
        assert_eq!(time_ps("us", 1), Err(Fault::NoNumber));
        assert_eq!(time_ps("-1 us", 1), Err(Fault::Negative));
        assert_eq!(
            time_ps("1 parsec", 1),
            Err(Fault::UnknownUnit("parsec".into()))
        );
        assert_eq!(time_ps("1e30 s", 1), Err(Fault::TooLarge));
        assert_eq!(time_ps("1e99999999999 s", 1), Err(Fault::TooLarge));
        assert_eq!(time_ps(&"9".repeat(100), 1), Err(Fault::TooLarge));
        assert_eq!(rate_bps("1e30 bps"), Err(Fault::TooLarge));
    }

    #[test]
    fn shares_are_percents_or_fractions() {
        assert_eq!(
            share("33 %"),
            Ok(Decimal {
                digits: 33,
                scale: 2
            })
        );
        assert_eq!(
            share("0.33"),
            Ok(Decimal {
                digits: 33,
                scale: 2
            })
        );
        assert_eq!(
            share("100 %"),
            Ok(Decimal {
                digits: 1,
                scale: 0
            })
        );
        assert_eq!(
            share_of(Rate(622_000_000), share("64 %").unwrap()),
            Rate(398_080_000)
        );
        assert_eq!(gap_ps(681_672, share("33.3 %").unwrap()), Some(2_047_063));
    }

    #[test]
    fn fractions_are_in_lowest_terms() {
        assert_eq!(ratio("1/8"), Ok((1, 8)));
        assert_eq!(ratio("0.125"), Ok((1, 8)));
        assert_eq!(ratio("12.5 %"), Ok((1, 8)));
        assert_eq!(ratio("4"), Ok((4, 1)));
        assert_eq!(ratio("1/x"), Err(Fault::NoNumber));
        assert_eq!(ratio("1/99999999999"), Err(Fault::TooLarge));
    }

    #[test]
    fn cable_is_its_delay() {
        assert_eq!(cable_ps("100 m"), Ok(500_000));
        assert_eq!(cable_ps("2 km"), Ok(10_000_000));
        assert_eq!(cable_ps("100"), Err(Fault::NoUnit));
        assert_eq!(cable_ps("1e9 km"), Err(Fault::TooLarge));
    }
}
