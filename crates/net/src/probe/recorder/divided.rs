//! Series of a run in parts: each is recorded where it is of, but for the sum over all flows.

use super::Recorder;
use crate::network::owners::{Divided, Own};
use crate::spec::{Measure, SeriesSpec, Subject};

impl Divided for Recorder {
    fn join(&mut self, other: &Recorder, own: Own<'_>) {
        for (track, other) in self.tracks.iter_mut().zip(&other.tracks) {
            if track.spec.of == Subject::Flows {
                track.add_all(other);
            } else if is_own(&track.spec, own) {
                track.clone_from(other);
            }
        }
    }
}

fn is_own(spec: &SeriesSpec, own: Own<'_>) -> bool {
    match (spec.of, spec.measure) {
        (Subject::Node(node), _) => own.has_node(node as usize),
        (Subject::Flow(flow), Measure::Goodput) => own.has_destination(flow as usize),
        (Subject::Flow(flow), _) => own.has_source(flow as usize),
        (Subject::Flows, _) => false,
        (of, measure) => of
            .channel()
            .is_some_and(|channel| match is_at_far_end(measure) {
                true => own.hears(channel as usize),
                false => own.sends_on(channel as usize),
            }),
    }
}

/// What is measured of a channel where it ends.
fn is_at_far_end(measure: Measure) -> bool {
    matches!(
        measure,
        Measure::Arrivals
            | Measure::Fill
            | Measure::Delay
            | Measure::Wait
            | Measure::Input
            | Measure::Headroom
    )
}
