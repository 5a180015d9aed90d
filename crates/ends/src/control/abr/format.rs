//! The rate format of RM cells (TM 4.0): nz 2^e (1 + m / 512) cells per second, with e of 5 bits
//! and m of 9.

use backwater_kernel::Rate;

const LARGEST_EXPONENT: u32 = 31;

/// The largest rate that the format can state and that is not above `rate`; `bits` are those of a
/// cell. Below one cell per second it is 0.
pub(crate) fn rounded(rate: Rate, bits: u64) -> Rate {
    let cells = rate.0 / bits.max(1);
    if cells == 0 {
        return Rate(0);
    }
    let exponent = cells.ilog2();
    if exponent > LARGEST_EXPONENT {
        return Rate((((1u64 << 10) - 1) << (LARGEST_EXPONENT - 9)) * bits);
    }
    let kept = match exponent.checked_sub(9) {
        Some(dropped) => cells >> dropped << dropped,
        // Steps are finer than a cell per second here; whole cells are stated exactly.
        None => cells,
    };
    Rate(kept * bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mantissa_has_nine_bits() {
        let cells = |cells: u64| rounded(Rate(cells * 424 + 423), 424).0 / 424;
        assert_eq!(cells(0), 0);
        assert_eq!(cells(1), 1);
        assert_eq!(cells(1023), 1023);
        assert_eq!(cells(1024), 1024);
        assert_eq!(cells(1025), 1024);
        // 366,792 cells/s (155.52 Mbps): 2^18 (1 + 204 / 512).
        assert_eq!(cells(366_792), 262_144 + 204 * 512);
        assert_eq!(cells(1 << 40), 1023 << 22);
    }
}
