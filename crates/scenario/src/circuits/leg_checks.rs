//! What can't work, or hardly, in the credits of one leg.

use backwater_net::spec::{Bind, BufferSpec, CREDIT_MAX, CreditRule, CreditSpec};

use crate::circuits::control::Loop;
use crate::given::circuits::control::FlowControl;
use crate::language::diagnostics::{Diagnostic, Diagnostics};
use crate::language::suggest;
use crate::language::typed::{Layered, Word};
use crate::network::law;
use backwater_kernel::words::counted;

/// Longest time one unit may take from its start until its credit is back: a quarter of the clock.
const LONGEST_LOOP_PS: u128 = crate::language::units::LONGEST_PS as u128;

/// One leg, as messages name it.
pub(crate) struct Leg<'a> {
    pub flow: &'a str,
    pub channel: &'a dyn Fn() -> String,
    pub control: &'a FlowControl,
    pub circuit: Loop,
    /// The same for the least of its units, where they are of several sizes.
    pub least: Option<Loop>,
    /// Data may get lost on the way.
    pub loses_data: bool,
}

impl Leg<'_> {
    fn place(&self) -> String {
        format!("flow `{}` on `{}`", self.flow, (self.channel)())
    }
}

/// Is the loop within what the clock can hold?
pub(crate) fn check_loop(leg: &Leg<'_>) -> Option<Diagnostic> {
    if leg.circuit.ps + 2 * u128::from(leg.circuit.unit_ps) <= LONGEST_LOOP_PS {
        return None;
    }
    Diagnostic::error(
        "too-large",
        "a unit would be under way for longer than the clock runs",
    )
    .at(&leg.control.kind.at, leg.place())
    .help("raise the rate, or shorten `delay` and `handling`")
    .into()
}

/// Does what an override changes have a meaning under the kind that holds?
pub(crate) fn check_meaning(own: &FlowControl, held: &FlowControl, mistakes: &mut Diagnostics) {
    let Some(kind) = held.kind.as_ref().map(Word::word) else {
        return;
    };
    let given = own.given().into_iter();
    for (key, at) in given.filter(|(key, _)| !key.applies(Some(kind))) {
        let allowed = suggest::one_of(key.only.iter().copied());
        Diagnostic::no_meaning(key.name, format!("with kind `{kind}`"))
            .at(at, format!("the kind is `{kind}`"))
            .at(&held.kind.at, "chosen here")
            .help(format!("leave it out, or choose {allowed}"))
            .tell(mistakes);
    }
}

/// Checks the credits of one leg.
pub(crate) fn check_credit(
    leg: &Leg<'_>,
    credit: &CreditSpec,
    buffer: &BufferSpec,
    mistakes: &mut Diagnostics,
) {
    if !zones_fit(leg, credit, mistakes) {
        return;
    }
    if credit.rule.has_window() {
        check_window(leg, credit, mistakes);
    }
    mistakes.extend(check_resync(leg, credit));
    check_timers(leg, mistakes);
    check_buffer(leg, credit, buffer, mistakes);
    if credit.bind == Bind::Trigger && credit.rule != CreditRule::Cumulative {
        Diagnostic::warning("unsafe", "credit bound at the trigger may overflow buffers")
            .at(&leg.control.bind.at, "out of date when it leaves")
            .note(
                "a credit cell that waits behind others promises room that has been filled \
                     meanwhile",
            )
            .help("`bind = \"start\"` is safe; the cumulative scheme is safe either way")
            .tell(mistakes);
    }
}

/// Do the counters hold what the zones promise together?
fn zones_fit(leg: &Leg<'_>, credit: &CreditSpec, mistakes: &mut Diagnostics) -> bool {
    let control = leg.control;
    let zones = [
        ("n1", credit.n1, &control.n1),
        ("n2", credit.n2, &control.n2),
        ("n3", credit.n3, &control.n3),
    ];
    let sum: u64 = zones.iter().map(|(_, cells, _)| u64::from(*cells)).sum();
    if sum <= CREDIT_MAX {
        return true;
    }
    let given = zones.iter().filter(|(.., zone)| zone.is_given);
    let largest = given.max_by_key(|(_, cells, _)| *cells);
    let largest = largest.map(|(key, _, zone)| (*key, &zone.at));
    let (key, at) = largest
        .or(control.zone3())
        .unwrap_or(("n3", &control.kind.at));
    Diagnostic::error(
        "too-large",
        "the zones together are more than the counters hold",
    )
    .at(at, format!("N1 + N2 + N3 = {}", counted(sum, "cell")))
    .note(format!(
        "N1 = {}, N2 = {}, N3 = {} for {}; {CREDIT_MAX} cells at most together",
        credit.n1,
        credit.n2,
        credit.n3,
        leg.place()
    ))
    .help(format!("lower `{key}`"))
    .tell(mistakes);
    false
}

fn expected(leg: &Leg<'_>, credit: &CreditSpec, late_cells: f64) -> f64 {
    let zones = f64::from(credit.n2) + f64::from(credit.n3);
    law::throughput(zones, f64::from(credit.n2), leg.circuit.cells(), late_cells)
}

fn check_window(leg: &Leg<'_>, credit: &CreditSpec, mistakes: &mut Diagnostics) {
    let window = u128::from(credit.window.0);
    let unit = u128::from(leg.circuit.unit_ps);
    if window < leg.circuit.ps {
        let short = (leg.circuit.ps - window).div_ceil(unit);
        let most = u128::from(credit.n2) + u128::from(credit.n3);
        let cells = u64::try_from(short.min(most)).unwrap_or(u64::MAX);
        let message = format!(
            "a window shorter than the control loop overflows by up to {}",
            counted(cells, "cell")
        );
        Diagnostic::error_unless(leg.control.keeps(), "window-too-short", message)
            .at(&leg.control.window.at, window_label(leg, window))
            .note(loop_note(leg))
            .note("cells still under way are no longer counted, and the credit is too high")
            .help("write `window = \"exact\"`, the default")
            .help("to measure the overflow, say `overflow = \"keep\"`")
            .tell(mistakes);
    } else if window > leg.circuit.ps {
        check_long_window(leg, credit, window, mistakes);
    } else {
        mistakes.extend(check_sizes(leg, credit, window));
    }
}

/// The window is the loop of the largest unit: while small ones are sent it is too long.
fn check_sizes(leg: &Leg<'_>, credit: &CreditSpec, window: u128) -> Option<Diagnostic> {
    let least = leg.least.filter(|_| !is_cured(credit))?;
    let late = window.saturating_sub(least.ps) as f64 / least.unit_ps as f64;
    law::dies(f64::from(credit.n3), late).then(|| {
        Diagnostic::warning(
            "window-too-long",
            "the flow may stop for ever: its small units have a shorter loop than large ones",
        )
        .at(&leg.control.window.at, leg.place())
        .note(format!(
            "for units of {} B the window is {late:.1} of them too long; N3 is {}",
            least.unit_bits / 8,
            credit.n3
        ))
        .help("choose `kind = \"n123\"` or `\"cumulative\"`, which need no window")
        .help("or let the sender ask again, with `request_after`")
    })
}

/// A sender that asks again, or credit that is said again, ends a standstill.
fn is_cured(credit: &CreditSpec) -> bool {
    credit.request_after.is_some() || credit.redundant_every.is_some()
}

/// A timer that fires while one cell is on the wire only keeps the simulator busy.
fn check_timers(leg: &Leg<'_>, mistakes: &mut Diagnostics) {
    let timers = [
        ("refresh_every", &leg.control.refresh_every),
        ("request_after", &leg.control.request_after),
    ];
    for (key, given) in timers {
        let Some(timer) = given.filter(|timer| timer.0 < leg.circuit.unit_ps) else {
            continue;
        };
        Diagnostic::error(
            "timer-too-short",
            format!("`{key}` is less than a cell's time"),
        )
        .at(&given.at, format!("{} ps", timer.0))
        .note(format!(
            "a cell takes {} ps for {}: nothing can change in between",
            leg.circuit.unit_ps,
            leg.place()
        ))
        .help(format!(
            "make it that or more: `{key} = \"{} ps\"`",
            leg.circuit.unit_ps
        ))
        .tell(mistakes);
    }
}

/// A sender that states its counter less often than its credit lasts may wait for ever: lost
/// cells never come back as credit.
fn check_resync(leg: &Leg<'_>, credit: &CreditSpec) -> Option<Diagnostic> {
    let zones = credit.n2.saturating_add(credit.n3);
    let rare = credit
        .resync_every
        .filter(|every| leg.loses_data && *every > zones);
    let every = rare?;
    Diagnostic::warning("resync-too-rare", "lost data may stop the flow for ever")
        .at(
            &leg.control.resync_every.at,
            match every {
                1 => "every cell".to_owned(),
                _ => format!("every {every} cells"),
            },
        )
        .note(format!(
            "the credit lasts N2 + N3 = {}",
            counted(zones, "cell")
        ))
        .help(format!("write `resync_every = {zones}` or less"))
        .into()
}

fn check_long_window(leg: &Leg<'_>, credit: &CreditSpec, window: u128, mistakes: &mut Diagnostics) {
    let late = (window - leg.circuit.ps) as f64 / leg.circuit.unit_ps as f64;
    let cured = is_cured(credit);
    let at = leg.control.window.at.clone();
    if law::dies(f64::from(credit.n3), late) {
        Diagnostic::error_unless(
            cured,
            "window-too-long",
            "the flow stops for ever: the window is far longer than the loop".into(),
        )
        .at(&at, window_label(leg, window))
        .note(loop_note(leg))
        .note(format!(
            "it lives while the window is at most N3 = {} cells too long; this is {late:.1}",
            credit.n3
        ))
        .help("write `window = \"exact\"`, the default")
        .help("or let the sender ask again, with `request_after`")
        .tell(mistakes);
        return;
    }
    let (exact, now) = (expected(leg, credit, 0.0), expected(leg, credit, late));
    let now = if now > 0.0 {
        format!("{:.1} %", 100.0 * now)
    } else {
        "next to nothing".into()
    };
    Diagnostic::warning(
        "window-too-long",
        "a window longer than the control loop is slow",
    )
    .at(&at, window_label(leg, window))
    .note(loop_note(leg))
    .note(format!(
        "expect {now} of the link or more, instead of {:.1} % with the exact window",
        100.0 * exact
    ))
    .help("write `window = \"exact\"`, the default")
    .tell(mistakes);
}

fn window_label(leg: &Leg<'_>, window: u128) -> String {
    format!("{:.2} cells", window as f64 / leg.circuit.unit_ps as f64)
}

fn loop_note(leg: &Leg<'_>) -> String {
    format!(
        "the control loop of {} is {:.2} cells ({} ps)",
        leg.place(),
        leg.circuit.cells(),
        leg.circuit.ps
    )
}

fn check_buffer(
    leg: &Leg<'_>,
    credit: &CreditSpec,
    buffer: &BufferSpec,
    mistakes: &mut Diagnostics,
) {
    let zones = u64::from(credit.n1) + u64::from(credit.n2) + u64::from(credit.n3);
    if let Some(limit) = buffer.limit_units
        && u64::from(limit) < zones
    {
        let sum = match credit.n1 {
            0 => format!("N2 + N3 = {} + {} = {zones}", credit.n2, credit.n3),
            n1 => format!(
                "N1 + N2 + N3 = {n1} + {} + {} = {zones}",
                credit.n2, credit.n3
            ),
        };
        let missing = counted(zones - u64::from(limit), "cell");
        Diagnostic::error_unless(
            leg.control.keeps(),
            "buffer-too-small",
            format!("the buffer is {missing} short of what the credits promise"),
        )
        .at(
            &leg.control.buffer.at,
            format!("holds {}", counted(limit, "cell")),
        )
        .note(format!("{} promises {sum} cells", leg.place()))
        .help(format!("write `buffer = {zones}`, or leave it out"))
        .help("or lower `n3`; to measure the overflow, say `overflow = \"keep\"`")
        .tell(mistakes);
    }
    if credit.rule == CreditRule::N123 {
        let needed = leg.circuit.cells_at(leg.circuit.rate);
        mistakes.extend(check_zone1(leg, credit, needed));
    }
}

/// N123 has no window: what N1 does not hold may overflow.
fn check_zone1(leg: &Leg<'_>, credit: &CreditSpec, needed: u32) -> Option<Diagnostic> {
    if credit.n1 >= needed {
        return None;
    }
    let missing = counted(needed - credit.n1, "cell");
    Diagnostic::error_unless(
        leg.control.keeps(),
        "zone-too-small",
        format!("N1 is {missing} too small: the buffer may overflow"),
    )
    .at(
        &leg.control.n1.at,
        format!("holds {}", counted(credit.n1, "cell")),
    )
    .note(loop_note(leg))
    .help(format!("write `n1 = {needed}`, or leave it out"))
    .help("to measure the overflow, say `overflow = \"keep\"`")
    .into()
}
