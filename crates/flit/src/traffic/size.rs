//! How long packets are.

use alloc::format;
use alloc::vec::Vec;
use backwater_kernel::{BuildError, Stream};

use super::weights::Weights;
use crate::spec::{LENGTH_MAX, Size};

const MILLION: u32 = 1_000_000;

/// A [`Size`] that was checked.
#[derive(Clone, Debug)]
pub(crate) enum Lengths {
    Fixed(u16),
    Bimodal {
        short: u16,
        long: u16,
        long_per_million: u32,
    },
    Weighted(Vec<u16>, Weights),
}

impl Lengths {
    pub(crate) fn new(size: &Size) -> Result<Lengths, BuildError> {
        match size {
            Size::Fixed(length) => {
                check(*length)?;
                Ok(Lengths::Fixed(*length))
            }
            Size::Bimodal {
                short,
                long,
                long_per_million,
            } => {
                check(*short)?;
                check(*long)?;
                if *long_per_million > MILLION {
                    let what = format!("{long_per_million} of 1,000,000 packets can't be long");
                    return Err(BuildError(what));
                }
                Ok(Lengths::Bimodal {
                    short: *short,
                    long: *long,
                    long_per_million: *long_per_million,
                })
            }
            Size::Weighted(list) => {
                list.iter().try_for_each(|(length, _)| check(*length))?;
                let weights = Weights::new(list.iter().map(|(_, weight)| *weight))
                    .ok_or_else(|| BuildError("no packet length has a weight above 0".into()))?;
                let lengths = list.iter().map(|(length, _)| *length).collect();
                Ok(Lengths::Weighted(lengths, weights))
            }
        }
    }

    #[inline]
    pub(crate) fn pick(&self, stream: &mut Stream) -> u16 {
        match self {
            Lengths::Fixed(length) => *length,
            Lengths::Bimodal {
                short,
                long,
                long_per_million,
            } => {
                let is_long = stream.below(u64::from(MILLION)) < u64::from(*long_per_million);
                if is_long { *long } else { *short }
            }
            Lengths::Weighted(lengths, weights) => lengths[weights.pick(stream)],
        }
    }
}

fn check(length: u16) -> Result<(), BuildError> {
    if (1..=LENGTH_MAX).contains(&length) {
        return Ok(());
    }
    let what = format!("a packet can't have {length} flits: 1 to {LENGTH_MAX}");
    Err(BuildError(what))
}

/// Mean length in flits of a size that was checked.
pub(crate) fn mean(size: &Size) -> f64 {
    match size {
        Size::Fixed(length) => f64::from(*length),
        Size::Bimodal {
            short,
            long,
            long_per_million,
        } => {
            let share = f64::from(*long_per_million) / f64::from(MILLION);
            f64::from(*short) + (f64::from(*long) - f64::from(*short)) * share
        }
        Size::Weighted(list) => {
            let flits = |(length, weight): &(u16, u32)| u128::from(*length) * u128::from(*weight);
            let total: u128 = list.iter().map(|(_, weight)| u128::from(*weight)).sum();
            list.iter().map(flits).sum::<u128>() as f64 / total.max(1) as f64
        }
    }
}
