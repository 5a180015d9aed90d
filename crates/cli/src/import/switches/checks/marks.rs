//! ECN against PFC: does a queue mark before its inputs are stopped?

use std::collections::BTreeSet;

use backwater_kernel::words::grouped;
use backwater_scenario::{At, Diagnostic, Diagnostics, Severity};

use super::super::model::{Map, Marks, Port, Switch};
use super::memory::set_apart;

pub fn check(switch: &Switch, mistakes: &mut Diagnostics) {
    let Some(shared) = Shared::of(switch) else {
        return;
    };
    let mut seen: BTreeSet<(At, u64)> = BTreeSet::new();
    for port in &switch.ports {
        for (number, queue) in &port.queues {
            let alpha = alpha_of(switch, port, *number);
            let (Some(marks), Some(alpha)) = (&queue.marks, alpha) else {
                continue;
            };
            if seen.insert((marks.at.clone(), alpha.to_bits())) {
                late(switch, &shared, (marks, alpha), mistakes);
            }
        }
    }
}

/// What lossless priority groups share.
pub struct Shared {
    /// Bytes that are neither reserved nor headroom.
    pub bytes: u64,
    /// Of all groups.
    pub alphas: f64,
    pub groups: usize,
}

impl Shared {
    pub fn of(switch: &Switch) -> Option<Shared> {
        let (name, pool) = switch.lossless_pool()?;
        let [reserves, headroom] = set_apart(switch, (name, pool));
        let powers = switch
            .lossless()
            .filter(|(_, _, group)| group.value.pool == name);
        let powers = powers.filter_map(|(_, _, group)| group.value.dynamic_th.as_ref());
        let alphas: Vec<f64> = powers.map(|power| alpha(power.value)).collect();
        Some(Shared {
            bytes: switch.bytes(pool)?.checked_sub(reserves + headroom)?,
            alphas: alphas.iter().sum(),
            groups: alphas.len(),
        })
    }

    /// Bytes at which one group is stopped, where groups with these shares want more.
    pub fn xoff(&self, alpha: f64, alphas: f64) -> u64 {
        (alpha * self.bytes as f64 / (1.0 + alphas)).round() as u64
    }
}

pub fn alpha(power: i64) -> f64 {
    2_f64.powi(power.clamp(-8, 7) as i32)
}

/// The largest share of lossless groups whose frames go into this queue, at any port.
fn alpha_of(switch: &Switch, port: &Port, queue: u8) -> Option<f64> {
    let maps = &port.maps;
    let classes = (0..8).filter(|class| Map::of(maps.tc_to_queue.as_ref(), *class) == Some(queue));
    let classes: Vec<u8> = classes.collect();
    let of = |port: &Port, class: u8| {
        let group = Map::of(port.maps.tc_to_group.as_ref(), class)?;
        let group = port.groups.get(&group)?;
        let power = group.value.dynamic_th.as_ref();
        power
            .filter(|_| group.value.is_lossless())
            .map(|power| alpha(power.value))
    };
    let all = switch.ports.iter();
    let all = all.flat_map(|port| classes.iter().filter_map(move |class| of(port, *class)));
    all.reduce(f64::max)
}

fn late(
    switch: &Switch,
    shared: &Shared,
    (marks, alpha): (&Marks, f64),
    mistakes: &mut Diagnostics,
) {
    let alone = shared.xoff(alpha, alpha);
    let together = shared.xoff(alpha, shared.alphas);
    if marks.min > alone {
        let message = format!(
            "`{}` of `{}` marks from {} B on, and PFC stops an input that is alone at {} B",
            marks.name,
            switch.name,
            grouped(marks.min),
            grouped(alone)
        );
        return Diagnostic::warning("switch-marking", message)
            .at(&marks.at, "never reached before PFC")
            .note("sources that slow down by ECN are told nothing before they are stopped")
            .help(format!(
                "mark from less than {alone} B on, or give the groups a larger `dynamic_th`"
            ))
            .tell(mistakes);
    }
    if marks.max <= together {
        return;
    }
    let first = shared.bytes as f64 / marks.min.max(1) as f64 - 1.0 / alpha;
    let message = format!(
        "`{}` of `{}` marks all frames from {} B on; with all {} lossless groups congested PFC \
         stops each at {} B",
        marks.name,
        switch.name,
        grouped(marks.max),
        shared.groups,
        grouped(together)
    );
    let severity = Severity::Note;
    let note = Diagnostic::error("switch-marking", message)
        .at(&marks.at, "`min` and `max`")
        .note(format!(
            "with more than {} congested groups PFC comes before the first mark",
            first.max(0.0) as u64
        ));
    Diagnostic { severity, ..note }.tell(mistakes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_come_where_the_closed_form_has_them() {
        let shared = |bytes, alphas| Shared {
            bytes,
            alphas,
            groups: 0,
        };
        let first = shared(23_188_992, 3.0);
        assert_eq!(first.xoff(0.25, 0.25), 4_637_798);
        assert_eq!(first.xoff(0.25, 3.0), 1_449_312);
        let second = shared(59_000_000, 1.0);
        assert_eq!(second.xoff(0.125, 0.125), 6_555_556);
        assert_eq!(second.xoff(0.125, 1.0), 3_687_500);
    }
}
