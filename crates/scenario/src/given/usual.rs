//! Values that hold where a key is absent, for keys without a `default`: what builders take and
//! what the reference says is one constant, made by `usual!` beside the key.
//!
//! ```ignore
//! /// Flits of a VC where neither `depth` nor `storage` is given.
//! pub(crate) const DEPTH: Usual<u16> = usual!(4);
//!
//! #[key(is = Whole { .. }, otherwise = "{DEPTH}, or from `storage`")]
//! pub depth: Placed<Option<u16>>,
//! ```
//!
//! The builder writes `router.depth.unwrap_or(DEPTH.value)`.

use backwater_kernel::Duration;

use crate::language::kinds::OrShare;
use crate::language::units::Decimal;

/// A value, and how it is written in a scenario.
#[derive(Clone, Copy)]
pub(crate) struct Usual<T> {
    pub text: &'static str,
    pub value: T,
}

/// Makes a `Usual` of a number, or of a number with a unit; a unit that is missing here takes an
/// arm.
macro_rules! usual {
    ($number:literal) => {
        usual!(@ stringify!($number), $number)
    };
    ($above:literal / $below:literal) => {
        usual!(@ concat!(stringify!($above), "/", stringify!($below)), ($above, $below))
    };
    ($number:literal ms) => {
        usual!(@ concat!(stringify!($number), " ms"), crate::given::usual::ns($number * 1_000_000))
    };
    ($number:literal ns) => {
        usual!(@ concat!(stringify!($number), " ns"), crate::given::usual::ns($number))
    };
    ($number:literal Mbps) => {
        usual!(@ concat!(stringify!($number), " Mbps"), backwater_kernel::Rate($number * 1_000_000))
    };
    ($number:literal percent) => {
        usual!(@ concat!(stringify!($number), " %"), crate::given::usual::percent($number))
    };
    ($number:literal B) => {
        usual!(@ concat!(stringify!($number), " B"), $number)
    };
    ($number:literal kB) => {
        usual!(@ concat!(stringify!($number), " kB"), $number * 1_000)
    };
    ($number:literal KiB) => {
        usual!(@ concat!(stringify!($number), " KiB"), $number * 1024)
    };
    (@ $text:expr, $value:expr) => {
        crate::given::usual::Usual { text: $text, value: $value }
    };
}
pub(crate) use usual;

pub(crate) const fn ns(number: u64) -> Duration {
    Duration(number * 1_000)
}

pub(crate) const fn percent<T>(digits: u128) -> OrShare<T> {
    OrShare::Share(Decimal { digits, scale: 2 })
}

/// The text of these bytes, which are those of texts one after another.
pub(crate) const fn text(bytes: &'static [u8]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("parts of texts are texts"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::typed::{joined, total};
    use backwater_kernel::Rate;

    #[test]
    fn what_is_written_is_what_holds() {
        const DELAY: Usual<Duration> = usual!(40 ms);
        const RATE: Usual<Rate> = usual!(10 Mbps);
        const SIZE: Usual<u64> = usual!(64 KiB);
        assert_eq!(
            (DELAY.text, DELAY.value),
            ("40 ms", Duration(40_000_000_000))
        );
        assert_eq!((RATE.text, RATE.value), ("10 Mbps", Rate(10_000_000)));
        assert_eq!((SIZE.text, SIZE.value), ("64 KiB", 65_536));
        assert_eq!((usual!(7 / 8).text, usual!(7 / 8).value), ("7/8", (7, 8)));
        assert_eq!((usual!(0.125).text, usual!(0.125).value), ("0.125", 0.125));
    }

    #[test]
    fn parts_become_one_text() {
        const PARTS: &[&[u8]] = &[b"", b"40 ms", b" or ", "2 µs".as_bytes()];
        const BYTES: [u8; total(PARTS)] = joined(0, PARTS);
        assert_eq!(text(&BYTES), "40 ms or 2 µs");
    }
}
