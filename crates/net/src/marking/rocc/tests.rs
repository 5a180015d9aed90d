use backwater_ends::control::Ratio;

use super::*;

const GBPS: u64 = 1_000_000_000;

fn at(gbps: u64) -> CongestionPoint {
    CongestionPoint::new(RoccPointSpec::of(Rate(gbps * GBPS)))
}

/// At 40 Gb/s, with F so many units.
fn with(fair: i64) -> CongestionPoint {
    let mut point = at(40);
    point.fair = fair << 8;
    point
}

#[test]
fn six_regions_of_gains() {
    // F -> what a0 and b0 are divided by: Fmax is 4,000.
    let table = [
        (4_000, 1),
        (2_000, 1),
        (1_999, 2),
        (1_000, 2),
        (999, 4),
        (500, 4),
        (499, 8),
        (250, 8),
        (249, 16),
        (125, 16),
        (124, 32),
        (10, 32),
    ];
    for (fair, divisor) in table {
        assert_eq!(with(fair).divisor(), divisor, "F = {fair}");
    }
}

#[test]
fn each_branch_by_hand() {
    // (F, Qold in 600 B, Q in bytes) -> F in units of 1/256 of 10 Mb/s.
    let unit = 256;
    let table = [
        // An empty queue: more is not allowed.
        ((4_000, 0, 0), 4_000 * unit),
        // Qmax is 360 kB, 600 units; both cuts need more than Fmax/8.
        ((4_000, 600, 360_000), 10 * unit),
        ((501, 600, 360_000), 10 * unit),
        // 500 - (0.3 * 350 + 1.5 * 0) / 4
        ((500, 600, 360_000), 500 * unit - 105 * unit / 4 - 1),
        // Growth of Qmid, 500 units.
        ((4_000, 99, 359_999), 2_000 * unit),
        ((501, 99, 359_999), 501 * unit / 2),
        // At Qref nothing but growth counts: 10 units of it, at full gain.
        ((4_000, 240, 150_000), 3_985 * unit),
        ((4_000, 250, 150_000), 4_000 * unit),
        // Parts of 600 bytes do not count.
        ((3_000, 250, 150_599), 3_000 * unit),
        // Below Qref it grows: 0.3 * 50 + 1.5 * 50, halved.
        ((1_500, 250, 120_000), 1_545 * unit),
        // No less than Fmin.
        ((12, 0, 359_000), 10 * unit),
    ];
    for ((fair, before, bytes), expected) in table {
        let mut point = with(fair);
        point.before = before;
        point.update(bytes);
        assert_eq!(
            point.fair, expected,
            "F {fair}, Qold {before}, {bytes} bytes"
        );
        assert_eq!(point.before, (bytes / 600) as i64);
    }
}

#[test]
fn the_milder_cut_halves() {
    let mut point = with(4_000);
    point.spec.max_cut = MaxCut::Half;
    point.update(1_000_000);
    assert_eq!(point.rate(), Rate(20 * GBPS));
}

#[test]
fn what_is_stated_has_as_many_bits_as_the_rate() {
    let table = [
        (0, 19_990_000_000),
        (1, 19_995_000_000),
        (8, 19_996_992_187),
    ];
    for (bits, stated) in table {
        let mut point = at(40);
        point.spec.rate_bits = bits;
        // 200 less 0.3 / 1 of one unit of queue.
        (point.fair, point.before) = (2_000 << bits, 251);
        point.update(150_600);
        assert_eq!(point.rate(), Rate(stated), "{bits} bits");
    }
}

/// The same rules once more, slowly: in fractions of whole numbers, nothing shared.
struct Slow {
    most: i128,
    least: i128,
    /// F, in 1/256 units.
    fair: i128,
    before: i128,
    /// Reference, growth, most, in 600 bytes.
    marks: [i128; 3],
    gains: [u64; 2],
}

impl Slow {
    fn of(spec: &RoccPointSpec) -> Slow {
        let marks = [spec.reference_bytes, spec.growth_bytes, spec.most_bytes];
        let fixed = |rate: Rate| i128::from(rate.0 / 10_000_000) * 256;
        Slow {
            most: fixed(spec.most),
            least: fixed(spec.least),
            fair: fixed(spec.most),
            before: 0,
            marks: marks.map(|bytes| i128::from(bytes / 600)),
            gains: [spec.offset_gain.0, spec.growth_gain.0],
        }
    }

    fn update(&mut self, bytes: u64) {
        let queue = i128::from(bytes / 600);
        let [reference, growth, most] = self.marks;
        let is_large = self.fair * 8 > self.most;
        if is_large && queue >= most {
            self.fair = self.least;
        } else if is_large && queue - self.before >= growth {
            self.fair = (self.fair / 2).max(self.least);
        } else {
            let divisor = [1, 2, 4, 8, 16]
                .into_iter()
                .find(|divisor| self.fair * 2 * divisor >= self.most)
                .unwrap_or(32);
            let whole = i128::from(Ratio::ONE.0) * divisor;
            let [a, b] = self.gains.map(i128::from);
            let less = 256 * (a * (queue - reference) + b * (queue - self.before));
            self.fair = (self.fair * whole - less).div_euclid(whole);
            self.fair = self.fair.max(self.least).min(self.most);
        }
        self.before = queue;
    }
}

/// Queues that grow and shrink, by a small generator of numbers. How often the two differ.
fn differences(break_it: bool) -> u32 {
    let mut differ = 0;
    for gbps in [10, 40, 100, 400] {
        let mut point = at(gbps);
        let mut slow = Slow::of(&point.spec);
        if break_it {
            slow.gains[1] += slow.gains[1] / 50;
        }
        let (mut state, mut bytes) = (gbps, 0_i64);
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let step = (state >> 33) as i64 % 400_000 - 200_000;
            let step = if state >> 60 == 0 { step } else { step / 40 };
            bytes = (bytes + step).clamp(0, 3_000_000);
            point.update(bytes as u64);
            slow.update(bytes as u64);
            differ += u32::from(i128::from(point.fair) != slow.fair);
            assert!(point.rate() >= point.spec.least && point.rate() <= point.spec.most);
        }
    }
    differ
}

#[test]
fn a_second_implementation_agrees() {
    assert_eq!(differences(false), 0);
    assert!(differences(true) > 1_000, "another gain is seen");
}
