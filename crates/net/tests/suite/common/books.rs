//! A probe that keeps books of reservations, and what is wrong with them.

use backwater_kernel::{Channels, Time};
use backwater_net::Network;
use backwater_net::probe::{ControlKind, Crossing, Probe, UnitKind};
use backwater_net::spec::NetworkSpec;

/// Most that was reserved on each channel, and what is at the end; legs that were torn down, and
/// data that came after.
pub struct Books {
    pub most: Vec<u64>,
    pub last: Vec<u64>,
    closed: Vec<bool>,
    pub late_units: u64,
}

impl Books {
    pub fn of(spec: &NetworkSpec) -> Books {
        let legs = spec.flows.iter().map(|flow| flow.legs.len());
        Books {
            most: vec![0; 2 * spec.links.len()],
            last: vec![0; 2 * spec.links.len()],
            closed: vec![false; legs.sum()],
            late_units: 0,
        }
    }
}

impl Probe for Books {
    fn on_start(&mut self, crossing: Crossing) {
        let closed = &mut self.closed[crossing.leg as usize];
        match (crossing.kind, crossing.value) {
            (UnitKind::Data, _) => self.late_units += *closed as u64,
            (UnitKind::Control(ControlKind::Session), 3) => *closed = true,
            _ => {}
        }
    }
    fn after_instant(&mut self, _at: Time, network: &Network) {
        for channel in 0..self.most.len() {
            let Some(reserved) = network.reserved(channel as u32) else {
                return;
            };
            self.most[channel] = self.most[channel].max(reserved.0);
            self.last[channel] = reserved.0;
        }
    }
}

/// What flows without a session reserve on each channel.
fn standing(spec: &NetworkSpec) -> Vec<u64> {
    let mut sums = vec![0; 2 * spec.links.len()];
    for flow in spec.flows.iter().filter(|flow| flow.session.is_none()) {
        for leg in &flow.legs {
            sums[leg.channel as usize] += flow.reserve.map_or(0, |reserve| reserve.rate.0);
        }
    }
    sums
}

/// What is wrong with books kept of `spec`.
pub fn complaints(spec: &NetworkSpec, books: &Books) -> Vec<String> {
    let mut wrong = Vec::new();
    if books.late_units > 0 {
        wrong.push(format!("{} units behind a tear-down", books.late_units));
    }
    for (channel, &standing) in standing(spec).iter().enumerate() {
        let side = spec.links.channel(channel as u32);
        if books.most[channel] > side.rate.0.max(standing) {
            wrong.push(format!("channel {channel} is overbooked"));
        }
        if books.last[channel] != standing {
            wrong.push(format!("channel {channel} keeps what nobody has reserved"));
        }
    }
    wrong
}
