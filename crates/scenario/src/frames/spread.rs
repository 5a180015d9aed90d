//! Which of several shortest paths the frames of a flow take.

use backwater_kernel::Duration;
use backwater_net::frames::spec;

use crate::given::frames::switch::{Spread, Switch};
use crate::language::typed::{Placed, Word};
use crate::prelude::*;

/// Entropies of a flow: those of Ultra Ethernet's public examples.
const USUAL_ENTROPIES: u32 = 128;

/// A pause between flowlets.
const USUAL_GAP: Duration = Duration(500_000_000);

/// What the switches do, with what their kind of spread needs.
pub(crate) fn of(switch: &Switch, mistakes: &mut Diagnostics) -> spec::Spread {
    let kind = *switch.spread;
    useless(
        &switch.entropies,
        ("entropies", kind, Spread::Entropies),
        mistakes,
    );
    useless(
        &switch.flowlet_gap,
        ("flowlet_gap", kind, Spread::Flowlets),
        mistakes,
    );
    match kind {
        Spread::Flows => spec::Spread::Flows,
        Spread::Frames => spec::Spread::Frames,
        Spread::RoundRobin => spec::Spread::RoundRobin,
        Spread::Adaptive => spec::Spread::Adaptive,
        Spread::Flowlets => spec::Spread::Flowlets {
            gap: switch.flowlet_gap.unwrap_or(USUAL_GAP),
        },
        Spread::Entropies => spec::Spread::Entropies {
            count: count(&switch.entropies, mistakes),
        },
    }
}

/// A key of another kind of spread.
fn useless<T>(
    key: &Placed<Option<T>>,
    (name, kind, needs): (&str, Spread, Spread),
    mistakes: &mut Diagnostics,
) {
    let Some(at) = key.place().filter(|_| kind != needs) else {
        return;
    };
    let needed = format!("`spread = \"{name}\"`", name = needs.word());
    Diagnostic::no_meaning(name, format!("without {needed}"))
        .at(at, "switches spread frames otherwise")
        .help(format!("say {needed}, or leave it out"))
        .tell(mistakes);
}

/// An order drawn anew is a number that each entropy is changed by, bit by bit: none is left out
/// where they are a power of two.
fn count(entropies: &Placed<Option<u32>>, mistakes: &mut Diagnostics) -> u32 {
    let count = entropies.unwrap_or(USUAL_ENTROPIES);
    if let Some(at) = entropies.place().filter(|_| !count.is_power_of_two()) {
        let (below, above) = (count.next_power_of_two() / 2, count.next_power_of_two());
        Diagnostic::error(
            "bad-range",
            format!("{count} entropies are no power of two"),
        )
        .at(at, "2, 4, 8 and so on")
        .note("a flow goes through all of them, in an order drawn anew each time")
        .help(format!("`entropies = {below}` or `{above}`"))
        .tell(mistakes);
    }
    count.next_power_of_two()
}
