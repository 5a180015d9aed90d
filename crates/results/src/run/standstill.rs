//! Circuits that could not move at the end, and what each waited for.

use backwater_kernel::{Duration, Stop, Time};
use backwater_net::outcome::{MissingCredit, Outcome, Reason, Standstill, Wait, WaitPlace};
use backwater_net::spec::NetworkSpec;

use super::Circuits;
use crate::events::standstill::{self, Standstills, Still, units};
use crate::events::words::cells;
use crate::lines::{first_of, shortened};
use crate::model::{Cell, Table, Tone};
use crate::number::grouped;
use backwater_kernel::words::{agreed, capital, counted};

/// Waits in the terminal; the rest are counted.
const LINES: usize = 4;
/// Channels named in a sentence; the rest are counted.
const CHANNELS: usize = 3;

/// Names of what a wait speaks of.
struct Words<'a>(&'a Circuits<'a>);

impl Words<'_> {
    fn channel(&self, leg: u32) -> String {
        match self.0.outcome.legs.get(leg as usize) {
            Some(leg) => self.0.port(leg.channel),
            None => format!("leg {leg}"),
        }
    }

    fn channels(&self, legs: &[u32]) -> String {
        let named = legs.iter().take(CHANNELS).map(|leg| self.channel(*leg));
        let mut named: Vec<String> = named.collect();
        if legs.len() > CHANNELS {
            named.push(format!("{} more", grouped((legs.len() - CHANNELS) as u64)));
        }
        named.join(", ")
    }

    /// For what, in a few words.
    fn reason(&self, reason: &Reason) -> String {
        match reason {
            Reason::Shut => "stopped".into(),
            Reason::Buffer { stored, legs } => format!(
                "no credit; {} ahead, held up at {}",
                counted(*stored, "unit"),
                self.channels(legs)
            ),
            Reason::Sink { stored } => format!(
                "no credit; the destination does not consume the {} it holds",
                counted(*stored, "unit")
            ),
            Reason::Credit(missing) => format!("no credit; {}", self.missing(missing)),
            Reason::Window {
                unacknowledged,
                legs,
                units_lost,
                answers_lost,
            } => {
                let mut why = Vec::new();
                if !legs.is_empty() {
                    why.push(format!("held up at {}", self.channels(legs)));
                }
                if *units_lost > 0 {
                    why.push(format!("{} lost", counted(*units_lost, "unit")));
                }
                if *answers_lost > 0 {
                    let lost = counted(*answers_lost, "acknowledgement");
                    why.push(format!("{lost} lost"));
                }
                let open = counted(*unacknowledged, "unit");
                let why = why.join(", ");
                format!("window full, {open} unacknowledged; {why}")
            }
        }
    }

    fn missing(&self, missing: &MissingCredit) -> String {
        let mut why = Vec::new();
        if let Some(last) = missing.last_lost {
            why.push(format!(
                "{} lost, the last at {} cells",
                counted(missing.control_lost, "control unit"),
                cells(last.ps(), self.0.cell)
            ));
        }
        if missing.data_lost > 0 {
            why.push(format!(
                "{} lost, and credit with them",
                counted(missing.data_lost, "data unit")
            ));
        }
        if why.is_empty() {
            return format!(
                "none is in transit, and {} of {} freed for the next",
                missing.untold,
                counted(missing.told_every, "unit")
            );
        }
        why.join("; ")
    }

    fn place(&self, wait: &Wait) -> String {
        match wait.place {
            WaitPlace::Source => "at its source".into(),
            WaitPlace::Leg(leg) => self.channel(leg),
            WaitPlace::Queue(queue) => self.0.port(queue.channel),
        }
    }
}

impl Standstills for NetworkSpec {
    fn stuck(outcome: &Outcome, wait: &Wait) -> Option<(u32, String)> {
        let leg = outcome.legs.get(wait.leg()? as usize)?;
        Some((
            leg.channel,
            format!("{} can't move", counted(wait.units, "cell")),
        ))
    }

    /// What is said of it.
    fn still(run: &Circuits<'_>, found: &Standstill) -> Still {
        let ended = format!(
            "stuck since {} cells: units wait and nothing can move",
            cells(found.since.ps(), run.cell)
        );
        let sentence = sentence(run, found);
        let (note, first) = match run.outcome.stop {
            Stop::Standstill => (
                (Tone::Problem, format!("The run is {ended}.")),
                ended.clone(),
            ),
            _ => {
                let text =
                    format!("At the end {sentence}; the table `standstill` gives the cause.");
                ((Tone::Warning, text), sentence.clone())
            }
        };
        Still {
            short: "stuck",
            ended,
            told: format!("standstill: {sentence}"),
            note: Some(note),
            lines: std::iter::once(first).chain(lines(run, found)).collect(),
        }
    }
}

/// What stood still, for how long and beside whom.
fn sentence(run: &Circuits<'_>, found: &Standstill) -> String {
    let since = cells(found.since.ps(), run.cell);
    let flows = flows(found);
    let waiting = counted(flows, "flow");
    let have = agreed(flows, "has", "have");
    match (run.outcome.stop, found.others_move) {
        (Stop::Standstill, _) => {
            format!("nothing has moved since {since} cells, and {waiting} {have} units that wait")
        }
        (_, true) => {
            format!("{waiting} {have} not moved since {since} cells, though others have")
        }
        (_, false) => {
            format!("no data has moved since {since} cells, and {waiting} {have} units that wait")
        }
    }
}

fn flows(found: &Standstill) -> usize {
    let mut flows: Vec<u32> = found.waits.iter().map(|wait| wait.flow).collect();
    flows.dedup();
    flows.len()
}

/// Every place where units wait, by flow and along its way.
pub fn table(run: &Circuits<'_>) -> Table {
    let words = Words(run);
    let time = |at: Time| Cell::float(Duration(at.ps()).in_units_of(run.cell), 1);
    let Some(found) = &run.outcome.standstill else {
        return Table::default();
    };
    let caption = format!("{}.", capital(&sentence(run, found)));
    let (port, why) = (
        |wait: &&Wait| words.place(wait),
        |wait: &&Wait| words.reason(&wait.reason),
    );
    standstill::table(run, caption, &found.waits, |wait| wait, [&port, &why])
        .number("ahead [cells]: units in the buffer at the far end")
        .of(|wait| match wait.reason {
            Reason::Buffer { stored, .. } | Reason::Sink { stored } => Some(stored),
            Reason::Shut | Reason::Credit(_) | Reason::Window { .. } => None,
        })
        .number("control lost [units]: control units of this port and flow")
        .of(|wait| missing(wait).map(|missing| missing.control_lost))
        .number("last lost [cells]: when the last of them would have arrived")
        .of(|wait| {
            missing(wait)
                .and_then(|missing| missing.last_lost)
                .map(time)
        })
        .number("data lost [cells]: data units whose credit never comes back")
        .of(|wait| missing(wait).map(|missing| missing.data_lost))
        .done()
}

/// The credit that it waits for, if that is missing.
fn missing(wait: &Wait) -> Option<&MissingCredit> {
    match &wait.reason {
        Reason::Credit(missing) => Some(missing),
        _ => None,
    }
}

/// The first waits in a line each.
fn lines(run: &Circuits<'_>, found: &Standstill) -> Vec<String> {
    let words = Words(run);
    let line = |wait: &Wait| {
        let flow = shortened(&run.flow(wait.flow));
        let units = units(wait).map_or("units".into(), |units| counted(units, "unit"));
        let place = match wait.place {
            WaitPlace::Source => words.place(wait),
            WaitPlace::Leg(_) | WaitPlace::Queue(_) => format!("for {}", words.place(wait)),
        };
        let why = words.reason(&wait.reason);
        format!("{flow}: {units} waiting {place}: {why}")
    };
    first_of(&found.waits, LINES, ("  ", "place"), line)
}
