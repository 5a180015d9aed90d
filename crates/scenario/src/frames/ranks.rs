//! Flows of ranks, of `[[collectives]]` and `[[jobs]]`, with what results are to say of them.

use super::flow_table::Table;
use super::flows::{Flows, add};
use super::net::Net;
use super::{collectives, jobs};
use crate::given::frames::EthernetFile;
use crate::given::frames::collectives::Collectives;
use crate::given::frames::jobs::Jobs;
use crate::prelude::*;

/// The flows of a collective operation.
pub(crate) fn collective<'r>(
    given: &'r Placed<Collectives>,
    net: &Net<'_>,
    file: &EthernetFile,
    flows: &mut Flows<'r>,
    mistakes: &mut Diagnostics,
) {
    let first = flows.specs.len();
    let Some((all, told)) = collectives::flows(given, (net, flows.room), first, mistakes) else {
        return;
    };
    let to = given.work.ranks.place().unwrap_or(&given.at);
    let table = Table::of_ranks(&given.settings, &given.name, (to, &given.at));
    if add(file, table, all, flows, mistakes).is_some() {
        flows.collectives.push(told);
    }
}

/// The flows of a job.
pub(crate) fn job<'r>(
    given: &'r Placed<Jobs>,
    net: &Net<'_>,
    file: &EthernetFile,
    flows: &mut Flows<'r>,
    mistakes: &mut Diagnostics,
) {
    let first = flows.specs.len();
    let Some((all, told)) = jobs::flows(given, (net, flows.room), first, mistakes) else {
        return;
    };
    let to = given.work.ranks.place().unwrap_or(&given.at);
    let table = Table::of_ranks(&given.settings, &given.name, (to, &given.at));
    if add(file, table, all, flows, mistakes).is_some() {
        let (mut job, operations) = told;
        let before = flows.collectives.len() as u32;
        flows.collectives.extend(operations);
        job.collectives = before..flows.collectives.len() as u32;
        flows.jobs.push(job);
    }
}
