//! How evenly sources get into the network: Jain's index, and max-min fair shares.
//!
//! A share is that of a source. What it sends goes to several places by several ways; where these
//! do not depend on the load, a source of rate `r` loads each channel with `r` times a constant
//! (`ways`), and water filling applies as to flows of one way each. A channel carries a flit a
//! cycle, those of terminals included. What buffers, VCs, switch and arbiters cost does not
//! count: how far a router is from these shares is what the ratio shows.

use backwater_flit::spec::{ClassSpec, FabricSpec, Injection, Pattern};
use backwater_flit::traffic::ways;

use super::{FabricFindings, network};
use crate::fairness::{Claim, FairRow, FairShares, Rates, jain, max_min};
use crate::rows::ROWS_MOST;

/// Jain's index over what sources got into the network in the window (the load of their injection
/// channels), and how many sources that is: those that had something to send.
pub fn of_sources(run: &FabricFindings<'_>) -> Option<(f64, usize)> {
    let rates: Vec<f64> = (0_u32..)
        .zip(entered(run)?.iter().zip(&run.outcome.terminals))
        .filter(|(source, (share, terminal))| {
            **share > 0.0 || terminal.created > 0 || sends(run.spec, *source)
        })
        .map(|(_, (share, _))| *share)
        .collect();
    (rates.len() > 1).then(|| (jain(&rates), rates.len()))
}

/// Has a terminal something to send all the time? What it created does not tell: a greedy source
/// creates a packet when the one before it is on its way.
fn sends(spec: &FabricSpec, source: u32) -> bool {
    let has_load = |class: &ClassSpec| match &class.injection {
        Injection::Bernoulli { load }
        | Injection::Constant { load }
        | Injection::OnOff { load, .. } => *load > 0.0,
        Injection::Saturation => true,
        Injection::RequestReply { .. } | Injection::Replies | Injection::Trace(_) => false,
    };
    let has_destination = |class: &ClassSpec| match &class.pattern {
        Pattern::Matrix(rows) => {
            let row = rows.get(source as usize);
            row.is_some_and(|row| row.iter().any(|weight| *weight > 0.0))
        }
        _ => true,
    };
    let mut classes = spec.classes.iter();
    classes.any(|class| has_load(class) && has_destination(class))
}

/// Has a source always one more packet than the network takes?
pub fn is_greedy(spec: &FabricSpec, source: u32) -> bool {
    let mut classes = spec.classes.iter();
    classes.any(|class| class.injection == Injection::Saturation) && sends(spec, source)
}

/// By terminal: flits that it got into the network in a cycle of the window.
pub fn entered<'a>(run: &'a FabricFindings<'_>) -> Option<&'a [f64]> {
    let from = run.spec.graph.channels.len();
    network::shares(&run.outcome).get(from..from + run.spec.graph.inject.len())
}

/// The share of every terminal beside what it got in, or why there are none.
pub fn shares(run: &FabricFindings<'_>) -> Result<FairShares, &'static str> {
    let entered = entered(run).ok_or("nothing was measured")?;
    let claims = claims(run.spec)?;
    let shares = max_min(&capacity(run.spec), &claims);
    let names = run.names();
    let row = |(terminal, measured): (usize, &f64)| FairRow {
        name: names.terminal(terminal as u32),
        measured: *measured,
        share: sends(run.spec, terminal as u32).then(|| shares.rates[terminal]),
        limit: shares.limit(terminal, |channel| names.channel(channel)),
        ..FairRow::default()
    };
    Ok(FairShares {
        rows: entered.iter().enumerate().map(row).collect(),
        counted_as: "flits into the network",
        rates: Rates::OfSources,
        notes: Vec::new(),
    })
}

/// By channel: a flit a cycle.
fn capacity(spec: &FabricSpec) -> Vec<f64> {
    let graph = &spec.graph;
    vec![1.0; graph.channels.len() + graph.inject.len() + graph.eject.len()]
}

/// What each terminal wants of the network, in flits per cycle, or why that is not known.
fn claims(spec: &FabricSpec) -> Result<Vec<Claim>, &'static str> {
    let [class] = spec.classes.as_slice() else {
        return Err("several classes");
    };
    let demand = match &class.injection {
        Injection::Bernoulli { load }
        | Injection::Constant { load }
        | Injection::OnOff { load, .. } => *load,
        Injection::Saturation => f64::INFINITY,
        Injection::RequestReply { .. } | Injection::Replies => return Err("a closed loop"),
        Injection::Trace(_) => return Err("a trace"),
    };
    if spec.graph.inject.len() > ROWS_MOST {
        return Err("too many sources");
    }
    let claim = |(source, loads)| Claim {
        loads,
        demand: if sends(spec, source) { demand } else { 0.0 },
        ..Claim::default()
    };
    Ok((0..).zip(ways::loads(spec)?).map(claim).collect())
}

#[cfg(test)]
mod tests;
