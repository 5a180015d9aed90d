use super::*;

/// Networks of the paper's sizes whose seeds are `means`, and 2 % more.
fn of(means: [[f64; 5]; 4]) -> Throughputs {
    let vc = |mean: f64| vec![mean, 1.02 * mean];
    let network = |means: [f64; 5]| means.map(vc).to_vec();
    means.map(network).to_vec()
}

const SMALL: [f64; 5] = [0.44, 0.59, 0.72, 0.82, 0.90];
const LARGE: [f64; 5] = [0.24, 0.42, 0.58, 0.70, 0.80];
const FIGURE: [[f64; 5]; 4] = [
    SMALL,
    [0.36, 0.52, 0.66, 0.77, 0.85],
    [0.29, 0.48, 0.62, 0.74, 0.83],
    LARGE,
];

fn holds(means: [[f64; 5]; 4]) -> Vec<bool> {
    let bounded = returns(&of(means)).into_iter();
    bounded
        .filter_map(|one| one.bounds.map(|bounds| one.value >= bounds.low))
        .collect()
}

#[test]
fn returns_diminish_or_not() {
    assert_eq!(holds(FIGURE), [true; 4]);
    let with = |at: usize, vcs: [f64; 5]| {
        let mut figure = FIGURE;
        figure[at] = vcs;
        holds(figure)
    };
    assert!(!with(3, SMALL)[3], "the largest network gains less");
    let flat = [0.3, 0.45, 0.6, 0.7, 0.7];
    assert!(!with(2, flat)[0], "the last doubling adds nothing");
    let late = with(1, [0.3, 0.35, 0.4, 0.6, 0.8]);
    assert!(!late[1] && !late[2], "the last doublings bring most");
}

#[test]
fn the_least_is_that_of_each_seed() {
    // The last doubling: 1.25 and 1.05 in one network, 1.05 and 1.25 in another. The least is
    // 1.05 in both seeds, though both means are 1.15.
    let network = |last: [f64; 2]| {
        vec![vec![1.0; 2], vec![2.0; 2], vec![4.0; 2], vec![8.0; 2], {
            last.map(|last| 8.0 * last).to_vec()
        }]
    };
    let throughputs = vec![network([1.25, 1.05]), network([1.05, 1.25])];
    let least = &returns(&throughputs)[0];
    assert!((least.value - 1.05).abs() < 1e-12, "{least:?}");
    assert_eq!(least.seeds, Some(2));
}

#[test]
fn claims_are_about_dimension_10() {
    let findings = findings(&of(FIGURE));
    let value = |at: usize| findings[at].measured[0].value;
    assert!((value(0) - 0.80 / 0.24).abs() < 1e-12);
    assert!((value(1) - 0.80 / 0.70).abs() < 1e-12);
    let gains = findings[2].measured.iter();
    let named: Vec<(&str, f64)> = gains
        .filter(|one| one.name.starts_with("gain_") && one.bounds.is_none())
        .map(|one| (&*one.name, (one.value * 100.0).round() / 100.0))
        .collect();
    let wanted = [
        ("gain_4_stages", 2.05),
        ("gain_6_stages", 2.36),
        ("gain_8_stages", 2.86),
        ("gain_10_stages", 3.33),
    ];
    assert_eq!(named, wanted);
}
