//! Kinds read their own examples into the types that hold them, and refuse what is beyond them.

use std::fmt::Debug;

use backwater_kernel::Duration;
use backwater_net::spec;

use super::*;
use crate::given;
use crate::language::diagnostics::Diagnostics;
use crate::language::reader::{Guide, Reader};
use crate::language::source::At;
use crate::language::suggest::Budget;
use crate::language::table::{Default, Key};
use crate::language::tree::read_value;
use crate::language::units;

/// Reads a value; the error is the codes of what was told.
fn read<K: Kind, T: Of<K>>(kind: &'static K, toml: &str) -> Result<T, Vec<&'static str>> {
    let mut mistakes = Diagnostics::default();
    let mut reader = Reader {
        mistakes: &mut mistakes,
        root: given::PACKET,
        here: given::PACKET,
        cell_ps: 1_000_000,
        cell_bits: 424,
        suggestions: Budget::default(),
        guide: Guide::NONE,
        is_trial: false,
        is_in_list: false,
    };
    let key = Key {
        name: "key",
        kind,
        meaning: "Anything.",
        ..Key::FILLER
    };
    let datum = kind.read(&mut reader, &key, &read_value(toml, 0, 0));
    match datum {
        Some(datum) => Ok(T::of(kind, &datum).expect("the type holds the kind")),
        None => Err(mistakes.iter().map(|mistake| mistake.code).collect()),
    }
}

/// The example is this value; `wrong` is refused with `code`.
fn holds<K, T>(kind: &'static K, value: T, wrong: &str, code: &'static str)
where
    K: Kind,
    T: Of<K> + PartialEq + Debug,
{
    let example = kind.facts().example;
    assert_eq!(read::<K, T>(kind, &example), Ok(value), "{example}");
    assert_eq!(read::<K, T>(kind, wrong), Err(vec![code]), "{wrong}");
}

const fn share(digits: u128, scale: u32) -> units::Decimal {
    units::Decimal { digits, scale }
}

const COUNT: Whole = Whole {
    min: 1,
    max: 99,
    unit: "cells",
};

#[test]
fn spans_are_fixed_or_random() {
    use spec::Span::{Exponential, Fixed, Uniform};
    const KIND: ClockSpan = ClockSpan { min_ps: 0 };
    let ms = |number: u64| Duration(number * 1_000_000_000);
    holds(
        &KIND,
        Exponential(ms(1)),
        "{ mean = \"1 ms\", law = \"normal\" }",
        "wrong-type",
    );
    holds(
        &KIND,
        Exponential(ms(1)),
        "{ law = \"uniform\" }",
        "wrong-type",
    );
    holds(
        &KIND,
        Exponential(ms(1)),
        "{ mean = \"0 s\" }",
        "out-of-range",
    );
    let read = read::<ClockSpan, spec::Span>;
    assert_eq!(read(&KIND, "\"2 ms\""), Ok(Fixed(ms(2))));
    let uniform = "{ mean = \"2 ms\", law = \"uniform\" }";
    assert_eq!(read(&KIND, uniform), Ok(Uniform(ms(2))));
    let cells = "{ mean = \"2 cells\", law = \"exponential\" }";
    assert_eq!(read(&KIND, cells), Err(vec!["bad-quantity"]));
    let found = self::read::<Span, spec::Span>(&Span { min_ps: 0 }, cells);
    assert_eq!(found, Ok(Exponential(Duration(2_000_000))));
}

#[test]
fn amounts_are_units_or_bytes() {
    use units::Amount::{Bytes, Units};
    const KIND: Amount = Amount { max: 1_000 };
    holds(&KIND, Units(500), "\"1001 cells\"", "out-of-range");
    holds(&KIND, Units(500), "\"0 B\"", "out-of-range");
    holds(&KIND, Units(500), "\"1.5 cells\"", "bad-quantity");
    holds(&KIND, Units(500), "500", "bad-quantity");
    let read = read::<Amount, units::Amount>;
    assert_eq!(read(&KIND, "\"1 packet\""), Ok(Units(1)));
    assert_eq!(read(&KIND, "\"1e2 units\""), Ok(Units(100)));
    assert_eq!(read(&KIND, "\"0.5 kB\""), Ok(Bytes(500)));
}

#[test]
fn numbers_are_read_into_their_types() {
    let bad = "out-of-range";
    holds(&COUNT, 10_u64, "100", bad);
    holds(&COUNT, 10_u8, "0", bad);
    holds(&COUNT, 10_usize, "\"ten\"", "wrong-type");
    holds(&Or("all", COUNT), OrWord::Value(10_u32), "100", bad);
    holds(
        &Wholes(Whole {
            min: 0,
            max: 9,
            unit: "",
        }),
        vec![0_u32, 1],
        "[1, 10]",
        bad,
    );
    holds(&Decimal { min: 0.0, max: 1.0 }, 0.5, "2.0", bad);
    holds(&Rows, vec![vec![0.0, 1.0], vec![1.0, 0.0]], "[[-1]]", bad);
    holds(
        &Cycles {
            min: 1,
            max: 30_000,
        },
        20_000_u64,
        "\"0 cycles\"",
        bad,
    );
    holds(&Probability, 0.001, "1.5", bad);
    holds(&Portion, 0.3, "\"101 %\"", bad);
    holds(&PortionOr { word: "never" }, OrWord::Value(0.5), "1.0", bad);
    holds(&Share, share(33, 2), "0", bad);
    holds(&Ratio { max: 4 }, (1, 8), "\"9/2\"", bad);
}

#[test]
fn quantities_are_read_into_their_types() {
    const US: u64 = 1_000_000;
    let bad = "out-of-range";
    holds(&Time { min_ps: 1 }, Duration(50 * US), "\"0 s\"", bad);
    holds(
        &Time { min_ps: 1 },
        backwater_kernel::Time(50 * US),
        "50",
        "bad-quantity",
    );
    holds(
        &Clock { min_ps: 1 },
        Duration(50 * US),
        "\"1 cell\"",
        "bad-quantity",
    );
    holds(
        &Clock { min_ps: 1 },
        backwater_kernel::Time(50 * US),
        "\"0 s\"",
        bad,
    );
    let mean = spec::Span::Exponential(Duration(50 * US));
    holds(&Span { min_ps: 1 }, mean, "{ least = 1 }", "wrong-type");
    holds(&Cable, Duration(US / 2), "\"1 mile\"", "bad-quantity");
    holds(&Rate, backwater_kernel::Rate(622 * US), "\"0 bps\"", bad);
    holds(
        &CellRate { min: 1 },
        backwater_kernel::Rate(10 * US),
        "\"0 bps\"",
        bad,
    );
    let rate = OrWord::Value(OrShare::Value(backwater_kernel::Rate(100 * US)));
    holds(&RateOrShare { word: "full" }, rate, "\"101 %\"", bad);
    holds(&Size { min: 1, max: 9_000 }, 6_000_u64, "\"1 MB\"", bad);
    holds(
        &Threshold,
        OrShare::<u64>::Share(share(8, 1)),
        "\"101 %\"",
        bad,
    );
}

#[test]
fn names_are_read_into_their_types() {
    let names = |all: &[&str], at: &[(usize, usize)]| -> Vec<(String, At)> {
        let places = at.iter().map(|&(from, to)| At::range(0, from..to));
        all.iter().map(|name| (*name).into()).zip(places).collect()
    };
    holds(&Text, String::from("Two switches"), "1", "wrong-type");
    holds(&Name, String::from("VC1"), "\"a->b\"", "bad-name");
    holds(&Reference("host"), String::from("A"), "1", "wrong-type");
    holds(&Path, String::from("demand.csv"), "\"\"", "bad-name");
    let two = names(&["A", "B"], &[(1, 4), (6, 9)]);
    holds(
        &References("host"),
        names(&["A"], &[(0, 3)]),
        "1",
        "wrong-type",
    );
    holds(&ReferenceList("host"), two.clone(), "\"A\"", "wrong-type");
    holds(&Names, two, "1", "wrong-type");
    holds(&Truth, true, "1", "wrong-type");
}

#[test]
fn a_word_stands_beside_the_values() {
    let word = |toml| read(&Or("off", Time { min_ps: 1 }), toml);
    assert_eq!(word("\"off\""), Ok(OrWord::<Duration>::Word));
    assert_eq!(word("\"2 ps\""), Ok(OrWord::Value(Duration(2))));
    assert_eq!(word("\"on\""), Err(vec!["bad-quantity"]));
    let clock = Or("off", Clock { min_ps: 7 });
    assert_eq!(OrWord::stand_in(&clock), OrWord::Value(Duration(7)));
    let full = read(&RateOrShare { word: "full" }, "\"full\"");
    assert_eq!(full, Ok(OrWord::<OrShare<backwater_kernel::Rate>>::Word));
    let cycles = read(&Or("auto", Cycles { min: 0, max: 9 }), "9");
    assert_eq!(cycles, Ok(OrWord::Value(9_u64)));
}

#[test]
fn an_example_may_stand_there() {
    let example = |min, max| Whole { min, max, unit: "" }.facts().example;
    assert_eq!(
        [example(0, 7), example(0, 255), example(64, 128)],
        ["7", "10", "64"]
    );
    let cycles = |max| Cycles { min: 1, max }.facts().example;
    assert_eq!(
        [cycles(4096), cycles(1 << 32)],
        ["\"2 cycles\"", "\"20000 cycles\""]
    );
    assert_eq!(Threshold.example_for("xon"), "\"70 %\"");
}

/// A default that is told in words and begins with a value: the key takes it.
#[test]
fn values_that_defaults_name_can_be_written() {
    let mut tried = 0;
    for (_, root) in given::ROOTS {
        for section in root.below() {
            for key in section.keys {
                let Default::Derived(words) = key.default else {
                    continue;
                };
                let end = words.find([',', ';', ':']).unwrap_or(words.len());
                let (value, unit) = match words[..end].split_once(' ') {
                    Some((value, rest)) => (value, rest.split(' ').next().unwrap_or("")),
                    None => (&words[..end], ""),
                };
                // "40 B less than .." is none.
                let is_less = words.contains(" less than ");
                if is_less || value.parse::<f64>().is_err() {
                    continue;
                }
                let is_unit = key.kind.facts().units.contains(&unit);
                let text = match is_unit {
                    true => format!("\"{value} {unit}\""),
                    false => value.to_owned(),
                };
                let mut told = Diagnostics::default();
                let mut reader = Reader::of(root, &mut told);
                let node = read_value(&text, 0, 0);
                let is_read = key.kind.read(&mut reader, key, &node).is_some();
                assert!(is_read, "{}.{}: {words}: {told}", section.name, key.name);
                tried += 1;
            }
        }
    }
    assert!(tried > 10, "only {tried}");
}
