//! Credit in words: what a sender has and needs, and where the rest is.

use backwater_kernel::Time;
use backwater_kernel::words::{counted, grouped};
use backwater_net::inspect::Credit;
use serde_json::{Value, json};

use super::Clock;

/// Where the credit is that a sender does not have.
pub fn words(credit: &Credit, clock: Clock, unit: &str) -> Vec<String> {
    let mut said = Vec::new();
    let of = match credit.unit_bytes {
        0 => String::new(),
        bytes => format!(" of {} each", counted(bytes, "byte")),
    };
    let needs = match credit.needs {
        0 => String::new(),
        needs => format!("; the next {unit} takes {needs}"),
    };
    said.push(format!(
        "credit: {} of {}{of}{needs}",
        credit.has,
        grouped(credit.room.into())
    ));
    let mut places = vec![
        format!("{} on the wire", grouped(credit.forward)),
        format!("{} in the buffer at the far end", grouped(credit.stored)),
        format!(
            "{} freed there and not told yet (told every {})",
            grouped(credit.untold.into()),
            grouped(credit.told_every.into())
        ),
    ];
    match credit.back.first() {
        Some((at, _)) => {
            let units = counted(credit.back.len(), "credit unit");
            places.push(format!(
                "{units} on the way back, the first arrives at {}",
                clock.at(at.ps())
            ));
        }
        None if credit.waits => places.push("a credit unit waits for the way back".into()),
        None => places.push("none on the way back".into()),
    }
    if credit.data_lost > 0 {
        places.push(format!(
            "{} spent on what was lost",
            grouped(credit.data_lost)
        ));
    }
    if credit.control_lost > 0 {
        places.push(format!(
            "{} lost",
            counted(credit.control_lost, "control unit")
        ));
    }
    said.push(places.join("; "));
    said
}

/// The credit of a queue as numbers, for programs.
pub fn numbers(credit: &Credit) -> Value {
    let object =
        |(at, value): &(Time, u64)| json!({ "arrives_ps": at.ps(), "says": *value as i64 });
    let back: Vec<Value> = credit.back.iter().map(object).collect();
    json!({
        "has": credit.has,
        "needs": credit.needs,
        "room": credit.room,
        "unit_bytes": credit.unit_bytes,
        "on_the_wire": credit.forward,
        "stored": credit.stored,
        "untold": credit.untold,
        "told_every": credit.told_every,
        "waits_for_way_back": credit.waits,
        "on_the_way_back": back,
        "control_lost": credit.control_lost,
        "data_lost": credit.data_lost,
    })
}
