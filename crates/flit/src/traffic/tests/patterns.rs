//! Where packets go.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::{births, deviations};
use crate::spec::{ClassSpec, FabricSpec, Injection, Pattern, Shape};
use crate::traffic::Generator;
use crate::traffic::receivers;
use crate::traffic::testing::{class, crossbar, spec};

fn with(pattern: Pattern) -> ClassSpec {
    ClassSpec {
        pattern,
        ..class(Injection::Saturation)
    }
}

/// Where each terminal sends in a pattern with one destination for each.
fn map(shape: Shape, terminals: u32, pattern: Pattern) -> Vec<u32> {
    let spec = FabricSpec {
        classes: vec![with(pattern)],
        ..spec(shape, terminals)
    };
    let mut generator = Generator::new(&spec).unwrap();
    let mut to = |source| {
        let first = generator.pull(source).unwrap().destination;
        assert_eq!(generator.pull(source).unwrap().destination, first);
        first
    };
    (0..terminals).map(&mut to).collect()
}

/// How often terminal `source` of a crossbar sends to each, of 20,000 packets.
fn counts(terminals: u32, pattern: Pattern, source: u32) -> Vec<u64> {
    let spec = crossbar(terminals, vec![with(pattern)]);
    let mut generator = Generator::new(&spec).unwrap();
    let mut counts = vec![0; terminals as usize];
    for _ in 0..20_000 {
        counts[generator.pull(source).unwrap().destination as usize] += 1;
    }
    counts
}

#[test]
fn patterns_of_bits_do_what_they_say() {
    for (terminals, width) in [(16, 4), (64, 6), (256, 8)] {
        let digits = |s: u32| format!("{s:0width$b}");
        let number = |digits: String| u32::from_str_radix(&digits, 2).unwrap();
        let by_digits = |rule: fn(&str) -> String| {
            (0..terminals)
                .map(move |s| number(rule(&digits(s))))
                .collect::<Vec<u32>>()
        };
        let found = |pattern| map(Shape::Crossbar, terminals, pattern);
        let flip = |c: char| if c == '0' { '1' } else { '0' };
        assert_eq!(
            found(Pattern::BitComplement),
            (0..terminals)
                .map(|s| number(digits(s).chars().map(flip).collect()))
                .collect::<Vec<u32>>()
        );
        assert_eq!(
            found(Pattern::BitReverse),
            by_digits(|digits| digits.chars().rev().collect())
        );
        assert_eq!(
            found(Pattern::Shuffle),
            by_digits(|digits| format!("{}{}", &digits[1..], &digits[..1]))
        );
        assert_eq!(
            found(Pattern::Transpose),
            by_digits(|digits| {
                let (high, low) = digits.split_at(digits.len() / 2);
                format!("{low}{high}")
            })
        );
        // Negative control: they differ.
        assert_ne!(found(Pattern::Shuffle), found(Pattern::BitReverse));
    }
}

#[test]
fn a_single_terminal_has_every_pattern_of_bits() {
    for pattern in [
        Pattern::BitComplement,
        Pattern::BitReverse,
        Pattern::Shuffle,
        Pattern::Transpose,
        Pattern::Tornado,
        Pattern::Neighbour,
        Pattern::Permutation,
    ] {
        assert_eq!(map(Shape::Crossbar, 1, pattern), [0]);
    }
    assert_eq!(map(Shape::Crossbar, 2, Pattern::BitReverse), [0, 1]);
    assert_eq!(map(Shape::Crossbar, 2, Pattern::Shuffle), [0, 1]);
}

#[test]
fn tornado_and_neighbour_move_coordinates() {
    for (side, tornado) in [(4, 1), (5, 2), (8, 3), (16, 7)] {
        for terminals in [1, 3] {
            let sides = vec![side, side];
            let torus = Shape::Torus { sides, terminals };
            let n = side * side * terminals;
            for (pattern, by) in [(Pattern::Tornado, tornado), (Pattern::Neighbour, 1)] {
                let found = map(torus.clone(), n, pattern);
                for (s, d) in (0..n).zip(found) {
                    assert_eq!(s % terminals, d % terminals);
                    let (s, d) = (s / terminals, d / terminals);
                    assert_eq!(d % side, (s % side + by) % side);
                    assert_eq!(d / side, (s / side + by) % side);
                }
            }
        }
    }
}

#[test]
fn sides_may_differ_and_other_shapes_count_terminals() {
    let mesh = Shape::Mesh {
        sides: vec![4, 1, 2],
        terminals: 1,
    };
    assert_eq!(
        map(mesh.clone(), 8, Pattern::Tornado),
        [1, 2, 3, 0, 5, 6, 7, 4]
    );
    assert_eq!(map(mesh, 8, Pattern::Neighbour), [5, 6, 7, 4, 1, 2, 3, 0]);
    let fly = Shape::Fly { k: 2, n: 4 };
    let tornado = map(fly.clone(), 16, Pattern::Tornado);
    assert!((0..16).eq(tornado.iter().map(|d| (d + 16 - 7) % 16)));
    let neighbour = map(fly, 16, Pattern::Neighbour);
    assert!((0..16).eq(neighbour.iter().map(|d| (d + 15) % 16)));
}

#[test]
fn a_permutation_is_one_and_comes_from_the_seed() {
    for terminals in [16, 64, 256] {
        let found = map(Shape::Crossbar, terminals, Pattern::Permutation);
        let mut sorted = found.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..terminals));
        assert!(!found.iter().copied().eq(0..terminals));
    }
    let of_seed = |seed| {
        let classes = vec![with(Pattern::Permutation), with(Pattern::Permutation)];
        let spec = FabricSpec {
            seed,
            ..crossbar(64, classes)
        };
        super::super::Map::new(&Pattern::Permutation, &spec.graph, seed, 0).unwrap()
    };
    let text = |seed| format!("{:?}", of_seed(seed));
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
}

/// All 24 orders of four come equally often.
#[test]
fn permutations_are_all_equally_likely() {
    let graph = crossbar(4, Vec::new()).graph;
    let mut counts = alloc::collections::BTreeMap::new();
    for seed in 0..4_800 {
        let map = super::super::Map::new(&Pattern::Permutation, &graph, seed, 0).unwrap();
        *counts.entry(format!("{map:?}")).or_insert(0_u64) += 1;
    }
    assert_eq!(counts.len(), 24);
    let worst = counts.values().map(|n| deviations(*n, 4_800, 1.0 / 24.0));
    assert!(worst.fold(0.0, f64::max) < 4.0);
}

#[test]
fn uniform_traffic_is_even() {
    let all = counts(10, Pattern::Uniform { include_self: true }, 3);
    assert!(all.iter().all(|n| deviations(*n, 20_000, 0.1) < 4.0));
    let others = counts(
        10,
        Pattern::Uniform {
            include_self: false,
        },
        3,
    );
    assert_eq!(others[3], 0);
    let rest = others.iter().enumerate().filter(|(to, _)| *to != 3);
    let mut off = rest.map(|(_, n)| deviations(*n, 20_000, 1.0 / 9.0));
    assert!(off.all(|off| off < 4.0));
    // Negative control: those to all others are too many for a tenth.
    assert!(others.iter().any(|n| deviations(*n, 20_000, 0.1) > 4.0));
}

#[test]
fn hot_spots_get_their_share() {
    let pattern = Pattern::Hotspot {
        targets: vec![(2, 3), (7, 1), (5, 0)],
        share: 0.4,
    };
    let found = counts(10, pattern, 2);
    for (to, chance) in [(2, 0.36), (7, 0.16), (5, 0.06), (0, 0.06)] {
        let off = deviations(found[to], 20_000, chance);
        assert!(off < 4.0, "{to}: {off} deviations");
    }
    let only = Pattern::Hotspot {
        targets: vec![(4, 1)],
        share: 1.0,
    };
    assert_eq!(counts(10, only, 0)[4], 20_000);
}

#[test]
fn a_matrix_gives_each_row_its_weights() {
    let rows = vec![
        vec![0.0, 1.0, 3.0, 0.0],
        vec![1e-9, 0.0, 0.0, 0.0],
        vec![0.25; 4],
        vec![0.0, 0.0, 1e200, 1e200],
    ];
    let shares = [
        [0.0, 0.25, 0.75, 0.0],
        [1.0, 0.0, 0.0, 0.0],
        [0.25; 4],
        [0.0, 0.0, 0.5, 0.5],
    ];
    for source in 0..4 {
        let found = counts(4, Pattern::Matrix(rows.clone()), source);
        for (count, share) in found.iter().zip(shares[source as usize]) {
            match share {
                0.0 => assert_eq!(*count, 0),
                1.0 => assert_eq!(*count, 20_000),
                share => assert!(deviations(*count, 20_000, share) < 4.0),
            }
        }
    }
}

#[test]
fn receivers_are_those_that_packets_go_to() {
    let of = |pattern| {
        let marks = receivers(&crossbar(4, vec![with(pattern)]));
        (0..4).filter(|t| marks[*t]).collect::<Vec<usize>>()
    };
    let hot = |share| Pattern::Hotspot {
        targets: vec![(2, 3), (1, 0)],
        share,
    };
    assert_eq!(of(hot(1.0)), [2]);
    assert_eq!(of(hot(0.5)), [0, 1, 2, 3]);
    assert_eq!(
        of(Pattern::Uniform {
            include_self: false
        }),
        [0, 1, 2, 3]
    );
    assert_eq!(of(Pattern::Permutation), [0, 1, 2, 3]);
    let columns = vec![vec![0.0, 1.0, 0.0, 2.0]; 4];
    assert_eq!(of(Pattern::Matrix(columns)), [1, 3]);
}

#[test]
fn a_clock_follows_the_pattern_too() {
    let traffic = ClassSpec {
        pattern: Pattern::BitComplement,
        ..class(Injection::Bernoulli { load: 0.5 })
    };
    let mut generator = Generator::new(&crossbar(16, vec![traffic])).unwrap();
    for source in 0..16 {
        let found = births(&mut generator, source, 100);
        assert!(found.len() > 20);
        assert!(
            found
                .iter()
                .all(|(_, born)| born.destination == 15 - source)
        );
    }
}

#[test]
fn a_row_of_zeros_sends_nothing() {
    let rows = |first: f64| Pattern::Matrix(vec![vec![first; 2], vec![1.0; 2]]);
    let generator = |classes| Generator::new(&crossbar(2, classes)).unwrap();
    let drawn = ClassSpec {
        pattern: rows(0.0),
        ..class(Injection::Bernoulli { load: 1.0 })
    };
    let mut one = generator(vec![drawn]);
    assert_eq!((one.first(0), one.first(1)), (None, Some(0)));
    let mut one = generator(vec![with(rows(0.0))]);
    assert!(one.pull(0).is_none() && one.pull(1).is_some());
    let mut two = generator(vec![with(rows(0.0)), with(rows(1.0))]);
    assert!((0..100).all(|_| two.pull(0).unwrap().class == 1));
    let mut both = generator(vec![with(rows(0.0)); 2]);
    assert!(both.pull(0).is_none());
    assert!((0..100).any(|_| both.pull(1).unwrap().class == 1));
}
