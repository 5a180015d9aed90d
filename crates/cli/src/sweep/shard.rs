//! A part of a sweep: one of so many, each for a machine of its own.

use std::fmt;
use std::str::FromStr;

use super::digest::sha256;

/// Most parts of a sweep.
const MOST: u64 = 100_000;

/// `3/16`: the third of sixteen parts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Shard {
    /// Which, from 1.
    pub which: u64,
    /// Of so many.
    pub of: u64,
}

impl Shard {
    /// Its points, of so many in all.
    pub fn points(self, all: u64) -> Vec<u64> {
        let shards = assigned(all, self.of).into_iter();
        let mine = (0..all)
            .zip(shards)
            .filter(|(_, which)| *which == self.which);
        mine.map(|(point, _)| point).collect()
    }

    /// The last part of its directory's name.
    pub fn name(self) -> String {
        format!("{}-of-{}", self.which, self.of)
    }
}

/// The shard of each of so many points, from 1. Of every `of` points in a row each shard has one,
/// in an order without rule: so no shard gets all points of one value, such as the highest load.
pub fn assigned(points: u64, of: u64) -> Vec<u64> {
    let all: Vec<u64> = (0..points).collect();
    let mut shards = vec![1; all.len()];
    for row in all.chunks(usize::try_from(of).unwrap_or(usize::MAX)) {
        let mut order = row.to_vec();
        order.sort_by_cached_key(|point| sha256(&point.to_le_bytes()));
        for (which, point) in (1..).zip(order) {
            shards[point as usize] = which;
        }
    }
    shards
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.which, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let usage = "write which of how many, as 3/16";
        let (which, of) = text.split_once('/').ok_or(usage)?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| usage.to_owned());
        let (which, of) = (number(which)?, number(of)?);
        if !(1..=MOST).contains(&of) {
            return Err(format!("there may be from 1 to {MOST} shards; {usage}"));
        }
        if !(1..=of).contains(&which) {
            return Err(format!("shards of {of} are 1/{of} to {of}/{of}; {usage}"));
        }
        Ok(Shard { which, of })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_of_one_shard_and_shards_are_alike() {
        for (points, of) in [(36, 16), (1, 4), (0, 3), (100, 7), (48, 48), (10, 1)] {
            let shards = (1..=of).map(|which| Shard { which, of }.points(points));
            let shards: Vec<Vec<u64>> = shards.collect();
            let mut all: Vec<u64> = shards.concat();
            all.sort_unstable();
            assert_eq!(all, (0..points).collect::<Vec<u64>>());
            let lengths = shards.iter().map(Vec::len);
            let (least, most) = (lengths.clone().min(), lengths.max());
            assert!(most <= least.map(|least| least + 1), "{points}/{of}");
        }
    }

    /// As many values of the last axis as shards: with every sixteenth point, one shard would have
    /// all points of the highest load.
    #[test]
    fn no_shard_has_all_points_of_a_value() {
        for values in [4, 8, 15, 16, 17] {
            for which in 1..=16 {
                let points = Shard { which, of: 16 }.points(values * 200);
                let mut of_value = vec![0; values as usize];
                points
                    .iter()
                    .for_each(|point| of_value[(point % values) as usize] += 1);
                let most = of_value.iter().max().copied().unwrap_or_default();
                assert!(2 * most <= points.len(), "{values}: {of_value:?}");
            }
        }
    }

    #[test]
    fn words_are_refused() {
        assert_eq!("3/16".parse(), Ok(Shard { which: 3, of: 16 }));
        for text in [
            "17/16", "0/16", "0/0", "1/0", "3", "a/b", "3/16/2", "-1/4", "1/999999",
        ] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
