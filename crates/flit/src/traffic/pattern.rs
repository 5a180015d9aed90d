//! Where packets go.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use backwater_kernel::{BuildError, Probability, Purpose, Stream};

use super::weights::Weights;
use crate::spec::{Graph, Pattern, Shape};

/// A [`Pattern`] made ready to draw from.
#[derive(Clone, Debug)]
pub(crate) enum Map {
    /// All of so many.
    Everyone(u32),
    /// All but the source.
    Others(u32),
    /// One destination for each source.
    Fixed(Vec<u32>),
    Hotspot {
        terminals: u32,
        targets: Vec<u32>,
        weights: Weights,
        share: Probability,
    },
    Rows(Rows),
}

/// Weighted destinations for each source, only those that can be drawn; none where it is silent.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// Where each source's part begins, and the end.
    starts: Vec<usize>,
    destinations: Vec<u32>,
    /// Chance of this destination or one before it in the row, in 2^-63.
    chances: Vec<u64>,
}

/// Terminals of a graph, never 0.
pub(crate) fn terminals(graph: &Graph) -> Result<u32, BuildError> {
    let terminals = graph.inject.len();
    if terminals == 0 || terminals != graph.eject.len() || terminals > 1 << 24 {
        let what = format!("{terminals} terminals: 1 to 2^24, each with both channels");
        return Err(BuildError(what));
    }
    Ok(terminals as u32)
}

impl Map {
    /// `class` names the stream a random permutation is drawn from.
    pub(crate) fn new(
        pattern: &Pattern,
        graph: &Graph,
        seed: u64,
        class: usize,
    ) -> Result<Map, BuildError> {
        let n = terminals(graph)?;
        let map = match pattern {
            Pattern::Uniform { include_self: true } => Map::Everyone(n),
            Pattern::Uniform { .. } if n == 1 => {
                return Err(BuildError(
                    "a single terminal has no other to send to".into(),
                ));
            }
            Pattern::Uniform { .. } => Map::Others(n),
            Pattern::BitComplement
            | Pattern::BitReverse
            | Pattern::Shuffle
            | Pattern::Transpose => bits(pattern, n)?,
            Pattern::Tornado => shifted(graph, n, |side| side.div_ceil(2) - 1)?,
            Pattern::Neighbour => shifted(graph, n, |_| 1)?,
            Pattern::Hotspot { targets, share } => hotspot(n, targets, *share)?,
            Pattern::Permutation => Map::Fixed(permutation(n, seed, class)),
            Pattern::Matrix(rows) => Map::Rows(Rows::new(n, rows)?),
        };
        Ok(map)
    }

    #[inline]
    pub(crate) fn pick(&self, source: u32, stream: &mut Stream) -> u32 {
        match self {
            Map::Everyone(n) => stream.below(u64::from(*n)) as u32,
            Map::Others(n) => {
                let drawn = stream.below(u64::from(*n - 1)) as u32;
                drawn + u32::from(drawn >= source)
            }
            Map::Fixed(to) => to[source as usize],
            Map::Hotspot {
                terminals,
                targets,
                weights,
                share,
            } => {
                if stream.chance(*share) {
                    targets[weights.pick(stream)]
                } else {
                    stream.below(u64::from(*terminals)) as u32
                }
            }
            Map::Rows(rows) => rows.pick(source, stream),
        }
    }

    /// Has a source anybody to send to?
    pub(crate) fn leads_on(&self, source: u32) -> bool {
        match self {
            Map::Rows(rows) => {
                let source = source as usize;
                rows.starts[source] < rows.starts[source + 1]
            }
            _ => true,
        }
    }

    /// Tells who may send to whom: a destination with a source, or with none where all may.
    pub(crate) fn pairs(&self, mut tell: impl FnMut(Option<u32>, u32)) {
        match self {
            Map::Fixed(to) => (0..).zip(to).for_each(|(from, to)| tell(Some(from), *to)),
            Map::Rows(rows) => {
                for (source, ends) in (0..).zip(rows.starts.windows(2)) {
                    let row = &rows.destinations[ends[0]..ends[1]];
                    row.iter().for_each(|to| tell(Some(source), *to));
                }
            }
            Map::Hotspot { targets, share, .. } if *share == Probability::ALWAYS => {
                targets.iter().for_each(|to| tell(None, *to));
            }
            Map::Everyone(n) | Map::Others(n) | Map::Hotspot { terminals: n, .. } => {
                (0..*n).for_each(|to| tell(None, to));
            }
        }
    }

    /// Adds to `into`, by destination, its part of what each source sends.
    pub(crate) fn spread(&self, sent: impl Fn(u32) -> f64, into: &mut [f64]) {
        let all = |n: u32| (0..n).map(&sent).sum::<f64>();
        match self {
            Map::Everyone(n) => {
                let each = all(*n) / f64::from(*n);
                into.iter_mut().for_each(|to| *to += each);
            }
            Map::Others(n) => {
                let all = all(*n);
                for (own, to) in (0..).zip(into) {
                    *to += (all - sent(own)) / f64::from(*n - 1);
                }
            }
            Map::Fixed(list) => {
                for (source, to) in (0..).zip(list) {
                    into[*to as usize] += sent(source);
                }
            }
            Map::Hotspot {
                terminals,
                targets,
                weights,
                share,
            } => {
                let all = all(*terminals);
                let share = share.as_f64();
                let rest = all * (1.0 - share) / f64::from(*terminals);
                into.iter_mut().for_each(|to| *to += rest);
                for (target, weight) in targets.iter().zip(weights.shares()) {
                    into[*target as usize] += all * share * weight;
                }
            }
            Map::Rows(rows) => {
                for (source, ends) in (0..).zip(rows.starts.windows(2)) {
                    let mut before = 0;
                    for at in ends[0]..ends[1] {
                        let chance = (rows.chances[at] - before) as f64 / ONE as f64;
                        before = rows.chances[at];
                        into[rows.destinations[at] as usize] += sent(source) * chance;
                    }
                }
            }
        }
    }

    /// Sets the mark of every terminal that somebody may send to.
    pub(crate) fn mark(&self, marks: &mut [bool]) {
        let mut these = |list: &[u32]| list.iter().for_each(|&t| marks[t as usize] = true);
        match self {
            Map::Fixed(to) => these(to),
            Map::Rows(rows) => these(&rows.destinations),
            Map::Hotspot { targets, share, .. } if *share == Probability::ALWAYS => these(targets),
            Map::Everyone(_) | Map::Others(_) | Map::Hotspot { .. } => marks.fill(true),
        }
    }
}

/// Maps that move the bits of a terminal's number.
fn bits(pattern: &Pattern, n: u32) -> Result<Map, BuildError> {
    if !n.is_power_of_two() {
        let what = format!("a pattern of bits needs a power of two of terminals, not {n}");
        return Err(BuildError(what));
    }
    let width = n.trailing_zeros();
    if *pattern == Pattern::Transpose && !width.is_multiple_of(2) {
        let what = format!("transpose needs a power of four of terminals, not {n}");
        return Err(BuildError(what));
    }
    let mask = n - 1;
    let rotated = |s: u32, by: u32| {
        let wide = u64::from(s) << by;
        (wide as u32 | (wide >> width) as u32) & mask
    };
    let to = |s: u32| match pattern {
        Pattern::BitComplement => !s & mask,
        Pattern::BitReverse => (u64::from(s.reverse_bits()) >> (32 - width)) as u32,
        Pattern::Shuffle => rotated(s, 1),
        _ => rotated(s, width / 2),
    };
    Ok(Map::Fixed((0..n).map(to).collect()))
}

/// Every coordinate moves up, around the side, by a number that depends on the side; in shapes
/// without coordinates the terminal's number does.
fn shifted(graph: &Graph, n: u32, by: impl Fn(u32) -> u32) -> Result<Map, BuildError> {
    let (sides, each) = match &graph.shape {
        Shape::Mesh { sides, terminals } | Shape::Torus { sides, terminals } => {
            (sides.as_slice(), *terminals)
        }
        _ => (&[n][..], 1),
    };
    let sizes = sides.iter().map(|&side| u64::from(side));
    let product = sizes.fold(u64::from(each), |product, side| {
        product.saturating_mul(side)
    });
    if product != u64::from(n) {
        let what = format!("{n} terminals don't fill a network made for {product}");
        return Err(BuildError(what));
    }
    let to = |terminal: u32| {
        let (mut rest, mut stride, mut to) = (terminal / each, each, terminal % each);
        for &side in sides {
            to += (rest % side + by(side)) % side * stride;
            rest /= side;
            stride = stride.saturating_mul(side);
        }
        to
    };
    Ok(Map::Fixed((0..n).map(to).collect()))
}

fn hotspot(n: u32, list: &[(u32, u32)], share: f64) -> Result<Map, BuildError> {
    if let Some((target, _)) = list.iter().find(|(target, _)| *target >= n) {
        let what = format!("hot spot {target}: terminals are 0 to {}", n - 1);
        return Err(BuildError(what));
    }
    let Some(share) = Probability::new(share) else {
        let what = format!("{share} of the packets can't go to hot spots: 0 to 1");
        return Err(BuildError(what));
    };
    let list: Vec<(u32, u32)> = list.iter().copied().filter(|(_, w)| *w > 0).collect();
    let weights = Weights::new(list.iter().map(|(_, weight)| *weight))
        .ok_or_else(|| BuildError("no hot spot has a weight above 0".into()))?;
    Ok(Map::Hotspot {
        terminals: n,
        targets: list.iter().map(|(target, _)| *target).collect(),
        weights,
        share,
    })
}

/// All orders equally likely; some terminals may be sent to themselves.
fn permutation(n: u32, seed: u64, class: usize) -> Vec<u32> {
    let mut stream = Stream::new(seed, class as u64, Purpose::Pattern);
    let mut order: Vec<u32> = (0..n).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, stream.below(i as u64 + 1) as usize);
    }
    order
}

impl Rows {
    fn new(n: u32, rows: &[Vec<f64>]) -> Result<Rows, BuildError> {
        if rows.len() != n as usize {
            let what = format!("a matrix of {} rows for {n} terminals", rows.len());
            return Err(BuildError(what));
        }
        let mut matrix = Rows {
            starts: vec![0],
            destinations: Vec::new(),
            chances: Vec::new(),
        };
        for (source, row) in rows.iter().enumerate() {
            matrix
                .add(n, row)
                .map_err(|what| BuildError(format!("row {source} of the matrix: {what}")))?;
        }
        if matrix.destinations.is_empty() {
            return Err(BuildError("no weight of the matrix is above 0".into()));
        }
        Ok(matrix)
    }

    fn add(&mut self, n: u32, row: &[f64]) -> Result<(), alloc::string::String> {
        if row.len() != n as usize {
            return Err(format!("{} weights for {n} terminals", row.len()));
        }
        let good = |weight: &f64| weight.is_finite() && *weight >= 0.0;
        if let Some(weight) = row.iter().find(|weight| !good(weight)) {
            return Err(format!("{weight} is no weight"));
        }
        let total: f64 = row.iter().sum();
        if !total.is_finite() {
            return Err(format!("the sum of its weights is {total}"));
        }
        let mut sum = 0.0;
        for (destination, weight) in row.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            sum += weight;
            self.destinations.push(destination as u32);
            self.chances.push((sum / total * ONE as f64) as u64);
        }
        // Rounding must not leave a gap above the last one.
        if let (Some(last), true) = (self.chances.last_mut(), total > 0.0) {
            *last = ONE;
        }
        self.starts.push(self.chances.len());
        Ok(())
    }

    fn pick(&self, source: u32, stream: &mut Stream) -> u32 {
        let (from, to) = (
            self.starts[source as usize],
            self.starts[source as usize + 1],
        );
        let drawn = stream.next_u64() >> 1;
        let at = self.chances[from..to].partition_point(|&chance| chance <= drawn);
        self.destinations[from + at]
    }
}

/// Certainty in 2^-63.
const ONE: u64 = 1 << 63;
