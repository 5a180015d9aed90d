//! Distributions of flow sizes: by points, evenly between two of them.

use backwater_kernel::Stream;

use crate::given::frames::workloads::{FlowSizes, Measured};
use crate::language::files::{self, Files, Named};
use crate::prelude::*;

/// All flows, in the shares of points.
const WHOLE: u64 = 1_000_000_000;
/// A draw is a share with this many steps between two billionths of the whole.
const STEPS: u64 = 1 << 30;
/// Most points.
const MOST_POINTS: usize = 100_000;
/// Largest size.
pub(crate) const LARGEST_BYTES: u64 = 1 << 50;

/// Bytes, and how many percent of the flows are no larger.
type Points = &'static [(u64, f64)];

/// Alizadeh et al. 2010, as later studies have it.
const WEB_SEARCH: Points = &[
    (10_000, 15.0),
    (20_000, 20.0),
    (30_000, 30.0),
    (50_000, 40.0),
    (80_000, 53.0),
    (200_000, 60.0),
    (1_000_000, 70.0),
    (2_000_000, 80.0),
    (5_000_000, 90.0),
    (10_000_000, 97.0),
    (30_000_000, 100.0),
];

/// Greenberg et al. 2009, as later studies have it, with 98 % at the last knee.
const DATA_MINING: Points = &[
    (180, 10.0),
    (216, 20.0),
    (560, 30.0),
    (900, 40.0),
    (1_100, 50.0),
    (1_870, 60.0),
    (3_160, 70.0),
    (10_000, 80.0),
    (400_000, 90.0),
    (3_160_000, 95.0),
    (100_000_000, 98.0),
    (1_000_000_000, 100.0),
];

/// Roy et al. 2015, as Li et al. 2019 have it.
const HADOOP: Points = &[
    (100, 1.0),
    (200, 2.0),
    (300, 5.0),
    (350, 15.0),
    (400, 20.0),
    (500, 30.0),
    (600, 40.0),
    (700, 50.0),
    (1_000, 60.0),
    (2_000, 67.0),
    (7_000, 70.0),
    (30_000, 72.0),
    (50_000, 82.0),
    (80_000, 87.0),
    (120_000, 90.0),
    (300_000, 95.0),
    (1_000_000, 97.5),
    (2_000_000, 99.0),
    (10_000_000, 100.0),
];

/// How large flows are.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum SizeLaw {
    /// All the same, bytes.
    Fixed(u64),
    /// Between two points as many as their distance says.
    Points(Law),
}

/// A distribution by points.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Law {
    /// How many bytes, or packets, and of how many billionths of the flows that is the most. None
    /// is below the one before, from none to the largest and all. Two of one size are a jump: that
    /// share of the flows has just that size. Two of one share: no flow lies between them.
    points: Vec<(u64, u64)>,
    /// Bytes of one of them.
    unit: u64,
}

impl SizeLaw {
    /// What the file says; `None` if that is missing or wrong, which is then told.
    pub(crate) fn read(
        given: &FlowSizes,
        files: &mut Files<'_>,
        mistakes: &mut Diagnostics,
    ) -> Option<SizeLaw> {
        let by_points = given.cdf.is_some() || given.cdf_file.is_some();
        if given.cdf_unit.is_given && !by_points {
            Diagnostic::warning("unused", "`cdf_unit` has no effect here")
                .at(&given.cdf_unit.at, "not used")
                .note("it says what the sizes of `cdf` and `cdf_file` count")
                .help("leave it out")
                .tell(mistakes);
        }
        if let Some(bytes) = given.size.value {
            return Some(SizeLaw::Fixed(bytes));
        }
        if let Some(measured) = given.sizes.value {
            return Some(SizeLaw::measured(measured));
        }
        let unit = *given.cdf_unit.sure()?;
        if let Some(rows) = &given.cdf.value {
            let law = rows.iter().map(|row| match row[..] {
                [bytes, share] => Ok((bytes, share)),
                _ => Err("a point is bytes and a percentage".to_owned()),
            });
            let law = law.collect::<Result<Vec<_>, _>>();
            let law = law.and_then(|points| SizeLaw::of(&points, unit).map_err(|(_, what)| what));
            let law = law.map_err(|what| refused(&given.cdf.at, &what));
            return mistakes.kept(law);
        }
        let name = given.cdf_file.value.as_ref()?;
        let file = files.read(name, &given.cdf_file.at, mistakes)?;
        mistakes.kept(of_file(&file, unit))
    }

    /// One of those that were measured.
    fn measured(which: Measured) -> SizeLaw {
        let points = match which {
            Measured::WebSearch => WEB_SEARCH,
            Measured::DataMining => DATA_MINING,
            Measured::Hadoop => HADOOP,
        };
        let origin = std::iter::once((0, 0));
        let points = points.iter();
        let points = points.map(|(bytes, percent)| (*bytes, billionths(percent / 100.0)));
        SizeLaw::Points(Law {
            points: origin.chain(points).collect(),
            unit: 1,
        })
    }

    /// By points whose shares end with 100 or with 1; else which of them is wrong, and how. A
    /// first point that some flows are below starts from nothing.
    fn of(points: &[(f64, f64)], unit: u64) -> Result<SizeLaw, (usize, String)> {
        let last = points.len().saturating_sub(1);
        let whole = match points.last() {
            Some((size, _)) if *size < 1.0 => return Err((last, "no flow has a byte".into())),
            Some((_, share)) if *share == 100.0 || *share == 1.0 => *share,
            Some((_, share)) => {
                let what = format!("the last share is {share}, neither 100 (percent) nor 1");
                return Err((last, what));
            }
            None => return Err((0, "no point at all".into())),
        };
        if points.len() > MOST_POINTS {
            return Err((last, format!("more than {MOST_POINTS} points")));
        }
        let mut law: Vec<(u64, u64)> = Vec::with_capacity(points.len() + 1);
        for (at, (size, share)) in points.iter().enumerate() {
            let point = (size.round() as u64, billionths(share / whole));
            if *size * unit as f64 > LARGEST_BYTES as f64 {
                return Err((at, format!("{size} of {unit} bytes are more than 2^50")));
            }
            if law.is_empty() && point.1 > 0 {
                law.push((0, 0));
            }
            match law.last() {
                Some(before) if *before == point => {}
                Some((before, _)) if point.0 < *before => {
                    return Err((at, format!("{size} after {before}: sizes must not fall")));
                }
                Some((_, before)) if point.1 < *before => {
                    let what = format!("the share {share} is below the one before");
                    return Err((at, what));
                }
                _ => law.push(point),
            }
        }
        Ok(SizeLaw::Points(Law { points: law, unit }))
    }

    /// Twice the mean, in billionths of a byte.
    pub(crate) fn doubled_mean(&self) -> u128 {
        match self {
            SizeLaw::Fixed(bytes) => u128::from(*bytes) * 2 * u128::from(WHOLE),
            SizeLaw::Points(law) => {
                let parts = law.points.windows(2).map(|pair| {
                    let [(low, below), (high, up_to)] = [pair[0], pair[1]];
                    let sum = low + high + law.rounds_up(low, high);
                    u128::from(sum) * u128::from(up_to - below)
                });
                parts.sum::<u128>() * u128::from(law.unit)
            }
        }
    }

    /// The size of a flow, bytes; at least 1.
    pub(crate) fn draw(&self, dice: &mut Stream) -> u64 {
        match self {
            SizeLaw::Fixed(bytes) => *bytes,
            SizeLaw::Points(law) => {
                let share = dice.below(WHOLE * STEPS);
                let above = law
                    .points
                    .partition_point(|(_, up_to)| up_to * STEPS <= share);
                let [(low, below), (high, up_to)] = [law.points[above - 1], law.points[above]];
                let into = u128::from(share - below * STEPS) * u128::from(high - low);
                let more = into / (u128::from(up_to - below) * u128::from(STEPS));
                let count = low + more as u64 + law.rounds_up(low, high);
                (count * law.unit).max(1)
            }
        }
    }
}

impl Law {
    /// A packet that has begun counts whole; a byte is too small to matter.
    fn rounds_up(&self, low: u64, high: u64) -> u64 {
        u64::from(self.unit > 1 && high > low)
    }
}

fn billionths(share: f64) -> u64 {
    (share * WHOLE as f64).round() as u64
}

fn refused(at: &At, what: &str) -> Box<Diagnostic> {
    let mistake = Diagnostic::error("bad-sizes", "this is no distribution of sizes");
    Box::new(
        mistake
            .at(at, what)
            .note("bytes and the percentage of flows that are no larger, neither falling, to 100")
            .help("as in `[[1000, 50], [100000, 90], [1000000, 100]]`"),
    )
}

/// Lines of two numbers, apart by blanks or a comma; `#` starts a comment, and the first line may
/// be a heading. Of three numbers the one between is a count of the lines, as in files of ns-2; all
/// lines have as many.
fn of_file(file: &Named, unit: u64) -> Result<SizeLaw, Box<Diagnostic>> {
    let mut lines = file.lines().peekable();
    lines.next_if(|(_, line)| files::is_heading(line));
    let (mut points, mut numbers, mut columns) = (Vec::new(), Vec::new(), None);
    for (number, line) in lines {
        let cells = line.split([',', ' ', '\t']).filter(|word| !word.is_empty());
        let cells = cells.map(|word| word.parse().ok().filter(|it: &f64| *it >= 0.0));
        let cells: Vec<f64> = match cells.collect::<Option<_>>() {
            Some(cells) => cells,
            None => return Err(Box::new(file.mistake(number, "not bytes and a percentage"))),
        };
        let many = *columns.get_or_insert(cells.len());
        match cells[..] {
            _ if cells.len() != many => {
                let what = format!("{} columns, {many} in the first line", cells.len());
                let help = "write bytes and a percentage in all of them, or a count between in all";
                return Err(Box::new(file.mistake(number, &what).help(help)));
            }
            [size, share] | [size, _, share] => points.push((size, share)),
            _ => return Err(Box::new(file.mistake(number, "not bytes and a percentage"))),
        }
        numbers.push(number);
    }
    SizeLaw::of(&points, unit).map_err(|(at, what)| {
        let line = numbers.get(at).copied().unwrap_or(1);
        Box::new(file.mistake(line, &what))
    })
}

#[cfg(test)]
mod tests {
    use backwater_kernel::Purpose;

    use super::*;

    const ALL: [Measured; 3] = [Measured::WebSearch, Measured::DataMining, Measured::Hadoop];

    fn mean(law: &SizeLaw) -> f64 {
        law.doubled_mean() as f64 / 2.0 / WHOLE as f64
    }

    /// As public generators have them.
    #[test]
    fn means_are_those_of_the_literature() {
        let means = ALL.map(|which| mean(&SizeLaw::measured(which)));
        assert_eq!(means, [1_711_250.0, 12_658_198.6, 120_420.75]);
        assert_eq!(mean(&SizeLaw::Fixed(1_500)), 1_500.0);
    }

    /// The largest distance between the shares drawn and those asked for, over 100,000 draws, and
    /// the means: 1 % off at most for web search.
    #[test]
    fn draws_follow_the_points() {
        const DRAWS: u32 = 100_000;
        for which in ALL {
            let law = SizeLaw::measured(which);
            let mut dice = Stream::new(3, 0, Purpose::Workload);
            let mut drawn: Vec<u64> = (0..DRAWS).map(|_| law.draw(&mut dice)).collect();
            drawn.sort_unstable();
            let SizeLaw::Points(Law { points, .. }) = &law else {
                panic!("{which:?} has points");
            };
            let asked = |bytes: u64| {
                let above = points.partition_point(|point| point.0 <= bytes);
                let Some((high, up_to)) = points.get(above) else {
                    return 1.0;
                };
                let (low, below) = points[above - 1];
                let into = (bytes - low) as f64 / (high - low) as f64;
                (below as f64 + into * (up_to - below) as f64) / WHOLE as f64
            };
            let distances = (1_u32..).zip(&drawn).map(|(no_larger, bytes)| {
                (f64::from(no_larger) / f64::from(DRAWS) - asked(*bytes)).abs()
            });
            let distance = distances.fold(0.0, f64::max);
            assert!(distance < 0.005, "{which:?}: {distance}");
            assert!(drawn[0] >= 1 && drawn.last() <= points.last().map(|point| &point.0));
            let sum: u64 = drawn.iter().sum();
            let ratio = sum as f64 / f64::from(DRAWS) / mean(&law);
            // Of the others so few are so large that the mean comes near only later.
            let is_near = (ratio - 1.0).abs() < 0.02;
            assert!(is_near || which != Measured::WebSearch, "{ratio}");
        }
    }

    fn law(points: &[(f64, f64)], unit: u64) -> SizeLaw {
        SizeLaw::of(points, unit).unwrap_or_else(|(at, what)| panic!("{at}: {what}"))
    }

    /// Percentages and fractions, with and without a first point at nothing.
    #[test]
    fn the_same_points_however_they_are_written() {
        let percent = [(0.0, 0.0), (1e3, 50.0), (1e4, 100.0)];
        let fractions = [(1e3, 0.5), (1e4, 1.0)];
        let wanted = SizeLaw::Points(Law {
            points: vec![(0, 0), (1_000, WHOLE / 2), (10_000, WHOLE)],
            unit: 1,
        });
        assert_eq!(law(&percent, 1), wanted);
        assert_eq!(law(&fractions, 1), wanted);
    }

    /// How many of so many draws lie in these bounds.
    fn share(law: &SizeLaw, bounds: std::ops::RangeInclusive<u64>) -> f64 {
        const DRAWS: u32 = 20_000;
        let mut dice = Stream::new(5, 0, Purpose::Workload);
        let drawn = (0..DRAWS).filter(|_| bounds.contains(&law.draw(&mut dice)));
        drawn.count() as f64 / f64::from(DRAWS)
    }

    /// A jump, at the first point and later, gives its share just that size; nothing lies on a
    /// level; a first point with no share is the least size.
    #[test]
    fn jumps_levels_and_ranges() {
        let jump = law(&[(1.0, 0.0), (1.0, 0.36), (50.0, 0.36), (90.0, 1.0)], 1);
        assert!((share(&jump, 1..=1) - 0.36).abs() < 0.01);
        assert_eq!(share(&jump, 2..=49), 0.0);
        assert_eq!(mean(&jump), 45.16);
        let later = law(
            &[(10.0, 10.0), (20.0, 40.0), (20.0, 90.0), (30.0, 100.0)],
            1,
        );
        assert!((share(&later, 20..=20) - 0.51).abs() < 0.01);
        let range = law(&[(1_000.0, 0.0), (5_000.0, 100.0)], 1);
        assert_eq!(share(&range, 1_000..=5_000), 1.0);
        assert!((share(&range, 1_000..=2_000) - 0.25).abs() < 0.01);
        assert_eq!(mean(&range), 3_000.0);
        let same = law(&[(700.0, 0.0), (700.0, 1.0)], 1);
        assert_eq!((share(&same, 700..=700), mean(&same)), (1.0, 700.0));
    }

    /// One packet for half of the flows, two to five for the others.
    #[test]
    fn sizes_may_be_counted_in_packets() {
        let law = law(&[(1.0, 0.0), (1.0, 0.5), (5.0, 1.0)], 1_460);
        for packets in 1..=5 {
            let wanted = if packets == 1 { 0.5 } else { 0.125 };
            let bytes = packets * 1_460;
            let drawn = share(&law, bytes..=bytes);
            assert!((drawn - wanted).abs() < 0.01, "{packets}: {drawn}");
        }
        assert_eq!(mean(&law), (0.5 + 0.5 * 3.5) * 1_460.0);
    }

    #[test]
    fn what_is_no_distribution_is_refused_where_it_goes_wrong() {
        let at = |points: &[(f64, f64)]| SizeLaw::of(points, 1).unwrap_err().0;
        assert_eq!(at(&[]), 0);
        assert_eq!(at(&[(10.0, 50.0), (20.0, 99.0)]), 1);
        assert_eq!(at(&[(10.0, 50.0), (9.0, 60.0), (20.0, 100.0)]), 1);
        assert_eq!(at(&[(10.0, 50.0), (15.0, 40.0), (20.0, 100.0)]), 1);
        assert_eq!(at(&[(0.0, 50.0), (0.0, 100.0)]), 1);
        assert_eq!(at(&[(f64::INFINITY, 100.0)]), 0);
        assert_eq!(at(&[(10.0, 120.0), (20.0, 100.0)]), 1);
        let large = SizeLaw::of(&[(1e12, 100.0)], 1 << 20).unwrap_err();
        assert_eq!(large.0, 0);
    }
}
