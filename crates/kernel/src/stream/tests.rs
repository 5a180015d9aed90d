use super::*;
use alloc::vec::Vec;

const DRAWS: usize = 200_000;

fn stream() -> Stream {
    Stream::new(42, 7, Purpose::Pattern)
}

fn take<T>(count: usize, mut draw: impl FnMut(&mut Stream) -> T) -> Vec<T> {
    let mut stream = stream();
    (0..count).map(|_| draw(&mut stream)).collect()
}

/// Computed by an independent program from the key and the generator as documented.
#[test]
fn words_never_change() {
    let golden = [
        (
            (0, 0, Purpose::Traffic),
            [0x7a13_5529_8a8d_1d10, 0x0bd5_46e3_2074_90b6],
        ),
        (
            (1, 0, Purpose::Traffic),
            [0xdd67_51ef_82da_fe12, 0x9671_5ced_3c52_19ab],
        ),
        (
            (0, 1, Purpose::Traffic),
            [0xd969_e528_e73d_a68d, 0xe7cf_0eff_ad47_19d5],
        ),
        (
            (0, 0, Purpose::Sink),
            [0xac09_5ad1_908d_e80f, 0x8b93_df30_0da0_fd3a],
        ),
        (
            (42, 7, Purpose::Pattern),
            [0xa594_4ae4_867b_4884, 0xb284_f93d_3aec_1674],
        ),
        (
            (u64::MAX, u64::MAX, Purpose::Routing),
            [0xfb86_5327_c98b_ee13, 0x8307_5b85_7a20_aa36],
        ),
    ];
    for ((seed, entity, purpose), words) in golden {
        let mut stream = Stream::new(seed, entity, purpose);
        assert_eq!([stream.next_u64(), stream.next_u64()], words);
    }
}

/// As above, with another library's logarithm and normal quantile.
#[test]
fn distributions_never_change() {
    let spans = take(4, |s| s.exponential(Duration(1_000_000)).ps());
    assert_eq!(spans, [435_727, 360_480, 61_670, 233_883]);
    assert_eq!(take(6, |s| s.below(1_000)), [646, 697, 940, 791, 395, 728]);
    assert_eq!(take(6, |s| s.geometric(10.0)), [5, 4, 1, 3, 9, 4]);
    let close = |values: Vec<f64>, golden: [f64; 3]| {
        for (value, golden) in values.iter().zip(golden) {
            assert!(
                (value / golden - 1.0).abs() < 1e-13,
                "{value} is not {golden}"
            );
        }
    };
    close(
        take(3, Stream::normal),
        [0.37667926952443687, 0.5167696510986765, 1.556395237753965],
    );
    close(
        take(3, |s| s.lognormal(100.0, 1.0)),
        [145.74367900066176, 167.6602880195147, 474.1697707660836],
    );
    close(
        take(3, |s| s.pareto(2.0, 1.5)),
        [2.674151455731435, 2.5433120444517208, 2.0839406255545523],
    );
}

#[test]
fn purposes_keep_their_numbers() {
    use Purpose::*;
    let in_order = [
        Traffic,
        Sink,
        DataLoss,
        ControlLoss,
        Corruption,
        Service,
        Think,
        FileSize,
        Topology,
        Pattern,
        Placement,
        Start,
        Arbitration,
        Routing,
    ];
    assert!(
        (1..)
            .zip(in_order)
            .all(|(number, purpose)| purpose as u8 == number)
    );
}

/// Chi-square of 64 equally likely classes, as a distance from its mean in deviations.
fn chi_square_distance(draws: &[u64]) -> f64 {
    let mut counts = [0_u32; 64];
    draws.iter().for_each(|&class| counts[class as usize] += 1);
    let expected = draws.len() as f64 / 64.0;
    let squares = counts
        .iter()
        .map(|&n| (f64::from(n) - expected) * (f64::from(n) - expected));
    (squares.sum::<f64>() / expected - 63.0) / libm::sqrt(126.0)
}

#[test]
fn bits_and_bounded_numbers_are_even() {
    assert!(chi_square_distance(&take(DRAWS, |s| s.next_u64() >> 58)).abs() < 4.0);
    assert!(chi_square_distance(&take(DRAWS, |s| s.next_u64() & 63)).abs() < 4.0);
    assert!(chi_square_distance(&take(DRAWS, |s| s.below(64))).abs() < 4.0);
    assert!(chi_square_distance(&take(DRAWS, |s| s.below(640) / 10)).abs() < 4.0);
    let first_of_each = |entity| Stream::new(1, entity, Purpose::Traffic).below(64);
    let firsts: Vec<u64> = (0..DRAWS as u64).map(first_of_each).collect();
    assert!(chi_square_distance(&firsts).abs() < 4.0);
}

/// Negative control: one class in 64 taken a quarter too often.
#[test]
fn an_uneven_generator_is_found_out() {
    let uneven = take(DRAWS, |s| if s.below(256) == 0 { 0 } else { s.below(64) });
    assert!(chi_square_distance(&uneven) > 4.0);
}

/// With `n = 3 * 2^62` a draw taken modulo `n` would favour the lowest third two to one.
#[test]
fn large_bounds_are_not_biased() {
    let third = 1_u64 << 62;
    let low = take(DRAWS, |s| s.below(3 * third))
        .iter()
        .filter(|&&x| x < third)
        .count();
    assert!((low as f64 / DRAWS as f64 - 1.0 / 3.0).abs() < 0.005);
    let modulo = take(DRAWS, |s| s.next_u64() % (3 * third));
    let low = modulo.iter().filter(|&&x| x < third).count();
    assert!((low as f64 / DRAWS as f64 - 0.5).abs() < 0.005);
}

#[test]
fn bounds_of_nought_and_one_give_nought() {
    assert_eq!(take(2, |s| [s.below(0), s.below(1)]), [[0, 0], [0, 0]]);
}

fn mean_and_variance(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares = values.iter().map(|x| (x - mean) * (x - mean));
    (mean, squares.sum::<f64>() / values.len() as f64)
}

/// Are mean and variance within 2 % (of the deviation, of the variance)?
fn has_moments(values: &[f64], mean: f64, variance: f64) -> bool {
    let (found_mean, found_variance) = mean_and_variance(values);
    let mean_fits = (found_mean - mean).abs() < 0.02 * libm::sqrt(variance);
    mean_fits && (found_variance / variance - 1.0).abs() < 0.02
}

#[test]
fn moments_fit_the_formulas() {
    let spans = take(DRAWS, |s| {
        s.exponential(Duration(1 << 40)).ps() as f64 / (1_u64 << 40) as f64
    });
    assert!(has_moments(&spans, 1.0, 1.0));
    assert!(
        !has_moments(&spans, 1.05, 1.0),
        "the bounds are too wide to fail"
    );
    assert!(has_moments(&take(DRAWS, Stream::unit_f64), 0.5, 1.0 / 12.0));
    assert!(has_moments(&take(DRAWS, Stream::normal), 0.0, 1.0));
    assert!(has_moments(
        &take(DRAWS, |s| s.geometric(8.0) as f64),
        8.0,
        56.0
    ));
    let logarithms = take(DRAWS, |s| libm::log(s.lognormal(1.0, 0.5)));
    assert!(has_moments(&logarithms, 0.0, 0.25));
    // Above the minimum, the logarithm of a Pareto number is exponential.
    assert!(has_moments(
        &take(DRAWS, |s| libm::log(s.pareto(1.0, 2.0))),
        0.5,
        0.25
    ));
}

#[test]
fn chances_come_as_often_as_they_should() {
    for p in [1e-3, 0.25, 0.5, 0.999] {
        let probability = Probability::new(p).unwrap();
        let hits = take(DRAWS, |s| s.chance(probability))
            .iter()
            .filter(|hit| **hit)
            .count();
        let deviation = libm::sqrt(p * (1.0 - p) / DRAWS as f64);
        assert!((hits as f64 / DRAWS as f64 - p).abs() < 4.0 * deviation);
    }
}

#[test]
fn never_draws_nothing_and_always_always_happens() {
    let mut undisturbed = stream();
    assert!(!undisturbed.chance(Probability::NEVER));
    assert_eq!(undisturbed, stream());
    assert!(
        take(1_000, |s| s.chance(Probability::ALWAYS))
            .iter()
            .all(|hit| *hit)
    );
}

#[test]
fn a_probability_lies_between_nought_and_one() {
    assert_eq!(Probability::new(0.0), Some(Probability::NEVER));
    assert_eq!(Probability::new(-0.0), Some(Probability::NEVER));
    assert_eq!(Probability::new(1.0), Some(Probability::ALWAYS));
    assert!(!Probability::new(1e-300).unwrap().is_never());
    for wrong in [-1e-9, 1.000001, f64::NAN, f64::INFINITY] {
        assert_eq!(Probability::new(wrong), None);
    }
}

#[test]
fn extremes_stay_in_range() {
    assert!(
        take(1_000, |s| s.exponential(Duration::ZERO))
            .iter()
            .all(|span| span.ps() == 1)
    );
    assert!(take(1_000, |s| s.exponential(Duration::MAX)).contains(&Duration::MAX));
    for mean in [f64::NAN, -1.0, 0.0, 1.0] {
        assert_eq!(take(2, |s| s.geometric(mean)), [1, 1]);
    }
    assert!(
        take(1_000, |s| s.geometric(f64::INFINITY))
            .iter()
            .all(|&n| n == u64::MAX)
    );
    assert!(
        take(DRAWS, Stream::unit_f64)
            .iter()
            .all(|u| *u > 0.0 && *u <= 1.0)
    );
    assert!(
        take(1_000, |s| s.pareto(3.0, 1.1))
            .iter()
            .all(|x| *x >= 3.0)
    );
}
