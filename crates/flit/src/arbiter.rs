//! Who goes first among lanes that are ready: random, in turn, earliest.
//!
//! Random choices are a hash of (seed, cycle, channel), so they depend on nothing that was
//! evaluated before.

/// One of the set bits of `set`, which is not empty.
pub(crate) trait Choose: Copy {
    /// It keeps a pointer.
    const POINTS: bool = false;
    /// `channel` tells its draws apart, `pointer` is its memory, `key` the urgency of a bit.
    fn choose(&self, set: u32, channel: u32, pointer: u32, key: impl Fn(u32) -> u64) -> u32;
}

/// All equally likely.
#[derive(Clone, Copy)]
pub(crate) struct Random {
    /// Of this cycle, from [`cycle_key`].
    pub key: u64,
}

/// The same for sets within the two lowest bytes.
#[derive(Clone, Copy)]
pub(crate) struct RandomOfSome {
    /// Of this cycle, from [`cycle_key`].
    pub key: u64,
}

/// The same for sets within the lowest byte.
#[derive(Clone, Copy)]
pub(crate) struct RandomOfFew {
    /// Of this cycle, from [`cycle_key`].
    pub key: u64,
}

/// The only one.
#[derive(Clone, Copy)]
pub(crate) struct Only;

/// From the pointer on, cyclically.
#[derive(Clone, Copy)]
pub(crate) struct RoundRobin;

/// The smallest key; among equals the lowest bit.
#[derive(Clone, Copy)]
pub(crate) struct Earliest;

impl Choose for Random {
    #[inline(always)]
    fn choose(&self, set: u32, channel: u32, _: u32, _: impl Fn(u32) -> u64) -> u32 {
        let (prefix, total) = bytes_before(set);
        let draw = draw(self.key, channel) >> 32;
        nth(set, prefix, ((draw * total as u64) >> 32) as u32)
    }
}

impl Choose for RandomOfFew {
    #[inline(always)]
    fn choose(&self, set: u32, channel: u32, _: u32, _: impl Fn(u32) -> u64) -> u32 {
        let byte = (set & 0xff) as usize;
        let draw = draw(self.key, channel) >> 32;
        let nth = (draw * u64::from(ONES[byte])) >> 32;
        u32::from(SELECT[byte << 3 | nth as usize & 7])
    }
}

impl Choose for RandomOfSome {
    #[inline(always)]
    fn choose(&self, set: u32, channel: u32, _: u32, _: impl Fn(u32) -> u64) -> u32 {
        let (low, high) = ((set & 0xff) as usize, (set >> 8 & 0xff) as usize);
        let in_low = u64::from(ONES[low]);
        let draw = draw(self.key, channel) >> 32;
        let nth = (draw * (in_low + u64::from(ONES[high]))) >> 32;
        let is_high = nth >= in_low;
        let byte = if is_high { high } else { low };
        let nth = nth.wrapping_sub(if is_high { in_low } else { 0 });
        u32::from(is_high) * 8 + u32::from(SELECT[byte << 3 | nth as usize & 7])
    }
}

impl Choose for Only {
    #[inline(always)]
    fn choose(&self, _: u32, _: u32, _: u32, _: impl Fn(u32) -> u64) -> u32 {
        0
    }
}

impl Choose for RoundRobin {
    const POINTS: bool = true;

    #[inline(always)]
    fn choose(&self, set: u32, _: u32, pointer: u32, _: impl Fn(u32) -> u64) -> u32 {
        let from = set & (u32::MAX << (pointer & 31));
        let chosen = if from != 0 { from } else { set };
        chosen.trailing_zeros()
    }
}

impl Choose for Earliest {
    #[inline(always)]
    fn choose(&self, set: u32, _: u32, _: u32, key: impl Fn(u32) -> u64) -> u32 {
        let mut rest = set;
        let mut best = (u64::MAX, 0);
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let this = key(bit);
            if this < best.0 || best.0 == u64::MAX {
                best = (this, bit);
            }
        }
        best.1
    }
}

/// What all draws of a cycle share.
pub(crate) fn cycle_key(seed: u64, cycle: u64) -> u64 {
    mix(mix(seed ^ 0x6a09_e667_f3bc_c908).wrapping_add(cycle))
}

/// 64 random bits of `entity` in the cycle of `key`.
#[inline(always)]
pub(crate) fn draw(key: u64, entity: u32) -> u64 {
    let word = (key ^ u64::from(entity)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (word ^ (word >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Bits set up to and including each byte, a byte each; and in all.
#[inline(always)]
fn bytes_before(set: u32) -> (u32, u32) {
    let pairs = set - ((set >> 1) & 0x5555_5555);
    let nibbles = (pairs & 0x3333_3333) + ((pairs >> 2) & 0x3333_3333);
    let bytes = (nibbles + (nibbles >> 4)) & 0x0f0f_0f0f;
    let prefix = bytes.wrapping_mul(0x0101_0101);
    (prefix, prefix >> 24)
}

/// The `n`-th set bit, counted from 0.
#[inline(always)]
fn nth(set: u32, prefix: u32, n: u32) -> u32 {
    // A byte counts when all its bits and those below it are at most n: it is passed.
    let passed = ((n * 0x0101_0101) | 0x8080_8080).wrapping_sub(prefix) & 0x8080_8080;
    let shift = ((passed >> 7).wrapping_mul(0x0101_0101) >> 24) * 8;
    let before = (prefix << 8) >> shift & 0xff;
    let byte = (set >> shift) & 0xff;
    let place = SELECT[(byte as usize) << 3 | (n - before) as usize & 7];
    shift + u32::from(place)
}

/// Place of the `n`-th set bit of a byte, at `byte * 8 + n`.
static SELECT: [u8; 2048] = select_table();

/// Bits set in a byte.
static ONES: [u8; 256] = ones_table();

const fn ones_table() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).count_ones() as u8;
        byte += 1;
    }
    table
}

const fn select_table() -> [u8; 2048] {
    let mut table = [0; 2048];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut seen) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte << 3 | seen] = bit as u8;
                seen += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(set: u32) -> std::vec::Vec<u32> {
        (0..32).filter(|bit| set >> bit & 1 == 1).collect()
    }

    #[test]
    fn the_nth_bit_is_found_in_every_kind_of_set() {
        let mut set = 1_u32;
        for step in 0..20_000_u32 {
            set = set.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let sparse = if step % 2 == 0 {
                set
            } else {
                set & (set >> 7) & (set >> 13)
            };
            let (prefix, total) = bytes_before(sparse);
            assert_eq!(total, sparse.count_ones());
            for (n, bit) in bits(sparse).into_iter().enumerate() {
                assert_eq!(nth(sparse, prefix, n as u32), bit, "{sparse:032b}");
            }
        }
    }

    #[test]
    fn random_choices_are_even() {
        for set in [
            0b1_u32,
            0b101,
            0x9421,
            0xff00,
            0x8000_0001,
            0xffff_ffff,
            0x00f0_1234,
        ] {
            let mut seen = [0_u32; 32];
            let draws = 32_000;
            for cycle in 0..draws {
                let random = Random {
                    key: cycle_key(7, cycle),
                };
                let chosen = random.choose(set, 5, 0, |_| 0);
                if set < 1 << 16 {
                    let some = RandomOfSome { key: random.key };
                    assert_eq!(some.choose(set, 5, 0, |_| 0), chosen);
                }
                if set < 256 {
                    let few = RandomOfFew { key: random.key };
                    assert_eq!(few.choose(set, 5, 0, |_| 0), chosen);
                }
                seen[chosen as usize] += 1;
            }
            let expected = draws as f64 / f64::from(set.count_ones());
            for (bit, count) in seen.into_iter().enumerate() {
                let share = f64::from(count);
                if set >> bit & 1 == 0 {
                    assert_eq!(share, 0.0);
                } else {
                    assert!((share - expected).abs() < 5.0 * expected.sqrt() + 1.0);
                }
            }
        }
    }

    #[test]
    fn round_robin_goes_on_after_the_last() {
        let choose = |set, pointer| RoundRobin.choose(set, 0, pointer, |_| 0);
        assert_eq!(choose(0b1010, 0), 1);
        assert_eq!(choose(0b1010, 2), 3);
        assert_eq!(choose(0b1010, 4), 1);
        assert_eq!(choose(1 << 31, 31), 31);
    }

    #[test]
    fn earliest_takes_the_smallest_key_then_the_lowest_bit() {
        let keys = [5, 3, 3, 9];
        let choose = |set| Earliest.choose(set, 0, 0, |bit| keys[bit as usize]);
        assert_eq!(choose(0b1111), 1);
        assert_eq!(choose(0b1101), 2);
        assert_eq!(choose(0b1001), 0);
    }
}
