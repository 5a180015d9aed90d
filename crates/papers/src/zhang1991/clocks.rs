//! Clocks of the trunks: the other readings beside the one that runs.

use backwater_results::{Block, Cell, Table};

use super::seen::{Seeds, Sets, each, sets};
use crate::columns::{column, words};
use crate::estimate::cell;
use crate::lab::{Lab, LabError};

/// The scenarios have the first.
const NAMES: [&str; 3] = [
    "each next trunk 10 ppm faster",
    "equal",
    "each next trunk 10 ppm slower",
];

/// Settings of those that the scenarios don't have.
fn others() -> [Sets; 2] {
    let equal = [
        ("links.*.forward.rate", "400 kbps"),
        ("links.*.backward.rate", "400 kbps"),
    ];
    let slower = [
        ("links.S1-S2.forward.rate", "400008 bps"),
        ("links.S1-S2.backward.rate", "400000 bps"),
        ("links.S3-S4.forward.rate", "400000 bps"),
        ("links.S3-S4.backward.rate", "400008 bps"),
    ];
    [sets(equal), sets(slower)]
}

/// What is measured of the runs: its name, its unit, values by seed, decimals.
pub type Quantity<'a> = (&'a str, &'a str, &'a dyn Fn(&Seeds) -> Vec<f64>, usize);

/// `quantities` of `file` under each reading; `found` are the runs of the first, the others take
/// `count` seeds.
pub fn table(
    lab: &Lab,
    name: &str,
    file: &str,
    (found, count): (&Seeds, u64),
    quantities: &[Quantity],
) -> Result<Block, LabError> {
    let others = each(lab, file, &others(), count)?;
    let row = |(name, seeds): (&&str, &Seeds)| {
        let mut row = vec![Cell::from(*name)];
        let values = quantities.iter();
        row.extend(values.map(|(_, _, value, digits)| cell(&value(seeds), *digits)));
        row
    };
    let mut columns = vec![words("clocks of trunks", "reading")];
    let quantity = |(name, unit, _, _): &Quantity| column(name, unit, "as in the tables above");
    columns.extend(quantities.iter().map(quantity));
    let all = std::iter::once(found).chain(&others);
    Ok(Block::Table(Table {
        name: name.into(),
        caption: format!(
            "Packets of one size stay synchronized from trunk to trunk; depending on the clocks \
             a packet arrives after, at or before the end of a transmission. The first row is \
             judged; the others are of {count} seeds."
        ),
        columns,
        rows: NAMES.iter().zip(all).map(row).collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::super::TEST_ONE;
    use super::*;

    #[test]
    fn trunks_get_faster_stay_equal_or_get_slower_along_both_ways() {
        let rates = |sets: &Sets| {
            let sets: Vec<(&str, &str)> = sets.iter().map(|(a, b)| (&**a, &**b)).collect();
            let scenario = Lab::default()
                .scenario(TEST_ONE, &sets)
                .expect("it is sound");
            let trunks = &scenario.network.links[..3];
            let forward = trunks.iter().map(|link| link.channels[0].rate.0);
            let backward = trunks.iter().rev().map(|link| link.channels[1].rate.0);
            (forward.collect::<Vec<_>>(), backward.collect::<Vec<_>>())
        };
        let [equal, slower] = others();
        let faster = vec![400_000, 400_004, 400_008];
        assert_eq!(rates(&Sets::new()), (faster.clone(), faster));
        assert_eq!(rates(&equal), (vec![400_000; 3], vec![400_000; 3]));
        let down = vec![400_008, 400_004, 400_000];
        assert_eq!(rates(&slower), (down.clone(), down));
    }
}
