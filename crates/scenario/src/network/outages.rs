//! When links are cut.

use backwater_kernel::Time;
use backwater_net::spec::OutageSpec;

use crate::given::outages::{Direction, Outages};
use crate::network::wires::Entries;
use crate::prelude::*;

/// The cuts of all links, by channel and time; `given` are those of each entry of `[[links]]`.
pub(crate) fn outages(
    entries: &Entries,
    given: &[&[Placed<Outages>]],
    stop_at: Time,
    mistakes: &mut Diagnostics,
) -> Vec<OutageSpec> {
    let mut found = Vec::new();
    for (link, (entry, turned)) in entries {
        for outage in given[*entry] {
            let Some((from, until)) = times(outage) else {
                continue;
            };
            let first = 2 * link + u32::from(*turned);
            let channels = match *outage.direction {
                Direction::Both => vec![2 * link, 2 * link + 1],
                Direction::Forward => vec![first],
                Direction::Backward => vec![first ^ 1],
            };
            let cut = |channel| OutageSpec {
                channel,
                from,
                until,
            };
            found.extend(channels.into_iter().map(cut));
        }
    }
    check(given, stop_at, mistakes);
    merged(found)
}

/// From when to when, where both are known.
fn times(outage: &Outages) -> Option<(Time, Time)> {
    Some((*outage.from.sure()?, *outage.until.sure()?))
}

/// In order of channel and time, and none overlaps or touches another.
fn merged(mut cuts: Vec<OutageSpec>) -> Vec<OutageSpec> {
    cuts.sort_by_key(|cut| (cut.channel, cut.from, cut.until));
    let mut merged: Vec<OutageSpec> = Vec::with_capacity(cuts.len());
    for cut in cuts {
        match merged.last_mut() {
            Some(last) if last.channel == cut.channel && cut.from <= last.until => {
                last.until = last.until.max(cut.until);
            }
            _ => merged.push(cut),
        }
    }
    merged
}

/// Mistakes in what every entry of `[[links]]` says.
fn check(given: &[&[Placed<Outages>]], stop_at: Time, mistakes: &mut Diagnostics) {
    for outages in given {
        for (index, outage) in outages.iter().enumerate() {
            let Some((from, until)) = times(outage) else {
                continue;
            };
            if from >= until {
                Diagnostic::error("bad-times", "the outage ends before it starts")
                    .at(&outage.until.at, "ends here")
                    .at(&outage.from.at, "starts here")
                    .help("make `until` later than `from`")
                    .tell(mistakes);
                continue;
            }
            if from >= stop_at || until > stop_at {
                let (time, what) = match from >= stop_at {
                    true => (&outage.from, "it never happens"),
                    false => (&outage.until, "it is never repaired"),
                };
                Diagnostic::warning("bad-times", "the outage reaches past the end of the run")
                    .at(&time.at, what)
                    .help("make `run.duration` longer, or the outage earlier")
                    .tell(mistakes);
            }
            if let Some(before) = outages[..index].iter().find(|one| overlap(one, outage)) {
                Diagnostic::warning("overlapping-outages", "two outages of a link overlap")
                    .at(&outage.from.at, "it is cut already")
                    .at(&before.until.at, "until then")
                    .note("the link works again after the later of the two")
                    .help("make one outage of them")
                    .tell(mistakes);
            }
        }
    }
}

fn overlap(one: &Outages, other: &Outages) -> bool {
    let (way, back) = (one.direction.sure(), other.direction.sure());
    let same = way == back || [way, back].contains(&Some(&Direction::Both));
    match (times(one), times(other)) {
        (Some((from, until)), Some((start, end))) => same && start < until && from < end,
        _ => false,
    }
}
