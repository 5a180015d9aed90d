//! Channels between routers, or into the first, that carried all that their credit lets through,
//! in a network that took less than was offered.

use backwater_flit::credit::ChannelCredit;
use backwater_flit::spec::Release;
use backwater_kernel::words::counted;

use super::{FabricFindings, network};
use crate::number::significant;

/// Credit that lets more through takes nothing to speak of.
const FULL: f64 = 0.9;
/// As much of what credit lets through is all of it, but for headers.
const ALL: f64 = 0.9;

/// What binds, if that is credit.
pub fn sentence(run: &FabricFindings<'_>) -> Option<String> {
    run.outcome.saturated.as_ref()?;
    let used = network::shares(&run.outcome).iter().enumerate();
    let bound = used.filter_map(|(channel, used)| {
        let credit = ChannelCredit::of(run.spec, channel)?;
        let binds = credit.carried < FULL && *used >= ALL * credit.carried;
        binds.then_some((channel, *used, credit))
    });
    let bound: Vec<(usize, f64, ChannelCredit)> = bound.collect();
    let part = |(_, used, credit): &(usize, f64, ChannelCredit)| used / credit.carried;
    let most = bound.iter().max_by(|a, b| part(a).total_cmp(&part(b)))?;
    let (channel, used, credit) = most;
    let router = &run.spec.router;
    let cure = match router.release == Release::Drained && credit.is_one_packet {
        true => format!(
            "{} in each, `release = \"tail-sent\"`, would be enough",
            credit.enough
        ),
        false => format!("{} in each would be enough", credit.enough),
    };
    let more = match bound.len() - 1 {
        0 => String::new(),
        more => format!("; so it is on {more} more"),
    };
    Some(format!(
        "credit binds: {} carried {} flits per cycle, and its {} of {} let at most {} \
         through, as credit is back after {}; {cure}{more}",
        run.names().channel(*channel as u32),
        significant(*used, 3),
        counted(router.lanes, "VC"),
        counted(router.depth, "flit"),
        significant(credit.carried, 3),
        counted(credit.round_trip, "cycle"),
    ))
}
