//! What is refused, and in which words.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use crate::spec::*;
use crate::traffic::Generator;
use crate::traffic::testing::{class, crossbar, spec};

fn refused(spec: &FabricSpec) -> String {
    Generator::new(spec)
        .err()
        .map_or(String::new(), |e| e.to_string())
}

fn refused_class(terminals: u32, class: ClassSpec) -> String {
    refused(&crossbar(terminals, vec![class]))
}

#[track_caller]
fn assert_says(found: &str, words: &str) {
    assert!(found.contains(words), "`{found}` does not say `{words}`");
}

#[test]
fn impossible_loads() {
    for load in [-0.1, 1.000_1, f64::NAN, f64::INFINITY] {
        for injection in [
            Injection::Bernoulli { load },
            Injection::Constant { load },
            Injection::OnOff {
                load,
                peak: 1.0,
                burst: 10.0,
            },
        ] {
            let found = refused_class(4, class(injection));
            assert_says(&found, "class `data`: a load of");
            assert_says(&found, "flits per cycle and terminal: 0 to 1");
        }
    }
}

#[test]
fn impossible_bursts() {
    for (load, peak, burst, words) in [
        (0.5, 0.4, 10.0, "is above the load in bursts"),
        (0.5, 1.5, 10.0, "a load in bursts of 1.5"),
        (0.5, 0.8, 0.5, "at least 1"),
        (0.5, 0.8, f64::NAN, "at least 1"),
        (1e-9, 1e-8, 10.0, "too short"),
    ] {
        let injection = Injection::OnOff { load, peak, burst };
        assert_says(&refused_class(4, class(injection)), words);
    }
}

fn pattern(terminals: u32, pattern: Pattern) -> String {
    let class = ClassSpec {
        pattern,
        ..class(Injection::Saturation)
    };
    refused_class(terminals, class)
}

#[test]
fn patterns_that_do_not_fit() {
    for bits in [
        Pattern::BitComplement,
        Pattern::BitReverse,
        Pattern::Shuffle,
    ] {
        assert_says(
            &pattern(12, bits.clone()),
            "power of two of terminals, not 12",
        );
        assert_eq!(pattern(8, bits), "");
    }
    assert_says(&pattern(8, Pattern::Transpose), "power of four");
    let alone = Pattern::Uniform {
        include_self: false,
    };
    assert_says(&pattern(1, alone), "no other");
    let hot = |target, weight, share| Pattern::Hotspot {
        targets: vec![(target, weight)],
        share,
    };
    assert_says(
        &pattern(4, hot(4, 1, 0.5)),
        "hot spot 4: terminals are 0 to 3",
    );
    assert_says(&pattern(4, hot(3, 0, 0.5)), "no hot spot");
    assert_says(&pattern(4, hot(3, 1, 1.5)), "1.5 of the packets");
    assert_says(&pattern(0, hot(0, 1, 0.5)), "0 terminals");
    let shape = Shape::Mesh {
        sides: vec![3, 0],
        terminals: 1,
    };
    let mesh = FabricSpec {
        classes: vec![ClassSpec {
            pattern: Pattern::Tornado,
            ..class(Injection::Saturation)
        }],
        ..spec(shape, 4)
    };
    assert_says(
        &refused(&mesh),
        "4 terminals don't fill a network made for 0",
    );
}

#[test]
fn matrices_that_do_not_fit() {
    let matrix = |rows: Vec<Vec<f64>>| pattern(2, Pattern::Matrix(rows));
    assert_eq!(matrix(vec![vec![0.0, 1.0], vec![1.0, 0.0]]), "");
    assert_says(&matrix(vec![vec![1.0; 2]]), "1 rows for 2 terminals");
    let short = vec![vec![1.0; 2], vec![1.0]];
    assert_says(&matrix(short), "row 1 of the matrix: 1 weights for 2");
    assert_eq!(matrix(vec![vec![0.0; 2], vec![1.0; 2]]), "");
    let nothing = vec![vec![0.0; 2]; 2];
    assert_says(&matrix(nothing), "no weight of the matrix is above 0");
    let negative = vec![vec![1.0, -1.0], vec![1.0; 2]];
    assert_says(&matrix(negative), "-1 is no weight");
    let huge = vec![vec![f64::MAX; 2], vec![1.0; 2]];
    assert_says(&matrix(huge), "weights is inf");
}

#[test]
fn lengths_that_do_not_fit() {
    let size = |size| {
        let class = ClassSpec {
            size,
            ..class(Injection::Bernoulli { load: 0.1 })
        };
        refused_class(4, class)
    };
    assert_says(&size(Size::Fixed(0)), "can't have 0 flits: 1 to 16384");
    assert_says(&size(Size::Fixed(LENGTH_MAX + 1)), "can't have 16385 flits");
    assert_eq!(size(Size::Fixed(LENGTH_MAX)), "");
    let bimodal = |short, long, long_per_million| Size::Bimodal {
        short,
        long,
        long_per_million,
    };
    assert_says(&size(bimodal(0, 5, 1)), "0 flits");
    assert_says(&size(bimodal(1, 5, 1_000_001)), "1000001 of 1,000,000");
    assert_says(&size(Size::Weighted(vec![])), "no packet length");
    assert_says(&size(Size::Weighted(vec![(1, 0)])), "no packet length");
    assert_says(&size(Size::Weighted(vec![(1, 1), (0, 0)])), "0 flits");
}

#[test]
fn traces_that_do_not_fit() {
    let good = TraceEntry {
        cycle: 5,
        source: 0,
        destination: 1,
        length: 1,
    };
    let trace = |second: TraceEntry| {
        let list = Injection::Trace(vec![good, second]);
        refused_class(2, class(list))
    };
    assert_eq!(trace(good), "");
    let early = TraceEntry { cycle: 4, ..good };
    assert_says(
        &trace(early),
        "packet 2 of the trace: cycle 4 comes after cycle 5",
    );
    let nowhere = TraceEntry {
        destination: 2,
        ..good
    };
    assert_says(&trace(nowhere), "terminal 2: terminals are 0 to 1");
    let from = TraceEntry { source: 9, ..good };
    assert_says(&trace(from), "terminal 9");
    let empty = TraceEntry { length: 0, ..good };
    assert_says(&trace(empty), "0 flits");
}

#[test]
fn replies_that_do_not_fit() {
    let request = |outstanding, reply_class| {
        class(Injection::RequestReply {
            outstanding,
            think: 0,
            reply_class,
        })
    };
    let replies = || class(Injection::Replies);
    let says = |classes: Vec<ClassSpec>| refused(&crossbar(4, classes));
    assert_eq!(says(vec![request(1, 1), replies()]), "");
    assert_says(&says(vec![request(0, 1), replies()]), "without a request");
    assert_says(
        &says(vec![request(1, 0), replies()]),
        "need a class 0 of replies",
    );
    assert_says(
        &says(vec![request(1, 9), replies()]),
        "need a class 9 of replies",
    );
    let two = vec![request(1, 2), request(1, 2), replies()];
    assert_says(&says(two), "one class only");
    assert_says(&says(vec![replies()]), "no class has its replies in it");
}

#[test]
fn too_many_or_none() {
    assert_says(&refused(&crossbar(4, vec![])), "0 classes of packets");
    let idle = class(Injection::Replies);
    assert_says(&refused(&crossbar(4, vec![idle; 257])), "257 classes");
    let many = crossbar(1 << 20, vec![class(Injection::Saturation); 65]);
    assert_says(&refused(&many), "are more than 2^26");
    let mut lanes = crossbar(4, vec![class(Injection::Saturation)]);
    lanes.sources = Sources::PerLane;
    lanes.router.lanes = 33;
    assert_says(&refused(&lanes), "33 VCs: 1 to 32");
}
