//! Random traffic.

use backwater_flit::spec::{ClassSpec, Injection, Pattern, Size, TraceEntry};

use super::Dice;

/// One to three classes of packets of at most `longest` flits.
pub(super) fn drawn(dice: &mut Dice, terminals: u32, longest: u16) -> Vec<ClassSpec> {
    let count = dice.between(1, 3) as usize;
    let mut classes: Vec<ClassSpec> = (0..count)
        .map(|index| class(dice, index, terminals, longest))
        .collect();
    if count > 1 && dice.one_in(4) {
        classes[0].injection = Injection::RequestReply {
            outstanding: dice.between(1, 3) as u32,
            think: dice.between(0, 9) as u32,
            reply_class: 1,
        };
        classes[1].injection = Injection::Replies;
    }
    if dice.one_in(2) {
        let mut group = 0;
        for class in &mut classes[1..] {
            group += u8::from(dice.one_in(2));
            class.lane_group = group;
        }
    }
    classes
}

fn class(dice: &mut Dice, index: usize, terminals: u32, longest: u16) -> ClassSpec {
    let size = size(dice, longest);
    ClassSpec {
        name: format!("class {index}"),
        pattern: pattern(dice, terminals),
        injection: injection(dice, terminals, longest),
        size,
        priority: dice.pick(&[0, 0, 1, 255]),
        deadline: dice.pick(&[None, Some(0), Some(20), Some(300)]),
        lane_group: 0,
    }
}

fn size(dice: &mut Dice, longest: u16) -> Size {
    match dice.between(0, 3) {
        0 | 1 => Size::Fixed(dice.between(1, u64::from(longest)) as u16),
        2 => Size::Bimodal {
            short: 1,
            long: longest,
            long_per_million: dice.between(0, 1_000_000) as u32,
        },
        _ => Size::Weighted((1..=longest).map(|flits| (flits, 1)).collect()),
    }
}

fn pattern(dice: &mut Dice, terminals: u32) -> Pattern {
    let any = |dice: &mut Dice| dice.between(0, u64::from(terminals) - 1) as u32;
    match dice.between(0, 11) {
        0 if terminals.is_power_of_two() => Pattern::BitComplement,
        1 if terminals.is_power_of_two() => Pattern::BitReverse,
        2 if terminals.is_power_of_two() => Pattern::Shuffle,
        3 if terminals.is_power_of_two() && terminals.ilog2().is_multiple_of(2) => {
            Pattern::Transpose
        }
        4 => Pattern::Tornado,
        5 => Pattern::Neighbour,
        6 => Pattern::Hotspot {
            targets: vec![(any(dice), 2)],
            share: 0.5,
        },
        7 => Pattern::Permutation,
        8 => {
            let mut row = || (0..terminals).map(|_| dice.between(1, 3) as f64).collect();
            Pattern::Matrix((0..terminals).map(|_| row()).collect())
        }
        _ => Pattern::Uniform {
            include_self: dice.one_in(2),
        },
    }
}

fn injection(dice: &mut Dice, terminals: u32, longest: u16) -> Injection {
    let load = dice.pick(&[0.02, 0.1, 0.3, 0.5]);
    match dice.between(0, 7) {
        0 => Injection::Constant { load },
        1 => Injection::OnOff {
            load,
            peak: 0.8,
            burst: 12.0,
        },
        2 | 3 => Injection::Saturation,
        4 => Injection::Trace(trace(dice, terminals, longest)),
        _ => Injection::Bernoulli { load },
    }
}

fn trace(dice: &mut Dice, terminals: u32, longest: u16) -> Vec<TraceEntry> {
    let mut cycle = 0;
    let last = u64::from(terminals) - 1;
    (0..dice.between(1, 60))
        .map(|_| {
            cycle += dice.between(0, 4);
            TraceEntry {
                cycle,
                source: dice.between(0, last) as u32,
                destination: dice.between(0, last) as u32,
                length: dice.between(1, u64::from(longest)) as u16,
            }
        })
        .collect()
}
