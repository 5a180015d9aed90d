//! Runs over several seeds, and what figures and tables take from them.

use backwater_results::{Axis, Cell, Curve, Direction, Mark, Plot};

use crate::lab::{EthernetRun, Lab, LabError};
pub(super) use crate::measured::mean;
use crate::measured::{Finding, Measured};

/// What differs from a scenario's file: keys and values.
pub type Sets = Vec<(String, String)>;

/// One run a seed.
pub struct Seeds(pub Vec<EthernetRun>);

/// What is kept of one setting, by seed.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Payload in Mbps of one flow, or of flows of one name.
    pub mbps: Vec<f64>,
    /// Frames dropped in the whole run, of all flows.
    pub drops: Vec<f64>,
}

/// A kind of back-pressure, as settings of the paper's scenarios.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// As tables call it.
    pub name: &'static str,
    sets: &'static [(&'static str, &'static str)],
}

/// No back-pressure: full queues drop.
pub const NONE: Scheme = Scheme {
    name: "none",
    sets: &[("flow_control", "{ kind = \"none\" }")],
};
/// The paper's simple scheme: every neighbour is stopped.
pub const SIMPLE: Scheme = Scheme {
    name: "simple",
    sets: &[],
};
/// The same, but the neighbour behind the congested port is not stopped.
pub const SIMPLE_OTHERS: Scheme = Scheme {
    name: "simple, notify others",
    sets: &[("flow_control.notify", "others")],
};
/// The same, but only neighbours with frames in the congested queue are stopped.
pub const SIMPLE_CONTRIBUTING: Scheme = Scheme {
    name: "simple, notify contributing",
    sets: &[("flow_control.notify", "contributing")],
};
/// By class: PFC.
pub const CLASS: Scheme = Scheme {
    name: "class",
    sets: &[("flow_control.kind", "pfc")],
};
/// By destination, all found in the congested queue.
pub const DESTINATION: Scheme = Scheme {
    name: "destination",
    sets: &[("flow_control.kind", "destination")],
};
/// By destination of one frame drawn from it.
pub const RANDOM: Scheme = Scheme {
    name: "destination, one drawn at random",
    sets: &[
        ("flow_control.kind", "destination"),
        ("flow_control.choose", "random"),
        ("flow_control.headroom", "unchecked"),
    ],
};
/// The same of two frames.
pub const RANDOM_TWO: Scheme = Scheme {
    name: "destination, two drawn at random",
    sets: &[
        ("flow_control.kind", "destination"),
        ("flow_control.choose", "random"),
        ("flow_control.headroom", "unchecked"),
        ("flow_control.frames", "2"),
    ],
};
/// By destination; blocked frames take as much as the XON threshold at most.
pub const BLOCKED_70: Scheme = Scheme {
    name: "destination, blocked share 70 %",
    sets: &[
        ("flow_control.kind", "destination"),
        ("flow_control.blocked_share", "{ xoff = \"70 %\" }"),
    ],
};
/// The same with less.
pub const BLOCKED_60: Scheme = Scheme {
    name: "destination, blocked share 60 %",
    sets: &[
        ("flow_control.kind", "destination"),
        ("flow_control.blocked_share", "{ xoff = \"60 %\" }"),
    ],
};
/// Simple; neighbours that respond are released after 20 ms of congestion.
pub const TIME_OUT: Scheme = Scheme {
    name: "simple, time-out 20 ms",
    sets: &[(
        "flow_control.time_out",
        "{ after = \"20 ms\", grace = \"5 ms\" }",
    )],
};

impl Scheme {
    /// Its settings, and `more`.
    pub fn with<V: Into<String>>(&self, more: impl IntoIterator<Item = (&'static str, V)>) -> Sets {
        let own = self.sets.iter();
        let own = own.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let more = more.into_iter();
        own.chain(more.map(|(key, value)| (key.to_owned(), value.into())))
            .collect()
    }
}

/// Runs `file` with each of `all`, `count` seeds each, side by side.
pub fn each(lab: &Lab, file: &str, all: &[Sets], count: u64) -> Result<Vec<Seeds>, LabError> {
    let one = |sets: &Sets| {
        let sets: Vec<(&str, &str)> = sets.iter().map(|(key, value)| (&**key, &**value)).collect();
        lab.ethernet_seeds(file, &sets, count).map(Seeds)
    };
    lab.each(all, one)
}

impl Seeds {
    /// `value` of each run.
    pub fn each(&self, value: impl Fn(&EthernetRun) -> f64) -> Vec<f64> {
        self.0.iter().map(value).collect()
    }

    /// Payload in Mbps by run that the flows called `name` got.
    pub fn mbps(&self, name: &str) -> Vec<f64> {
        self.each(|run| run.mbps(name))
    }

    /// Frames dropped by run.
    pub fn drops_each(&self) -> Vec<f64> {
        self.each(|run| run.drops() as f64)
    }

    /// The throughput of the flows called `name`, and all drops.
    pub fn kept(&self, name: &str) -> Kept {
        Kept {
            mbps: self.mbps(name),
            drops: self.drops_each(),
        }
    }
}

impl Kept {
    /// Throughput as shares of `limit`, by seed.
    pub fn shares(&self, limit: f64) -> Vec<f64> {
        self.mbps.iter().map(|mbps| mbps / limit).collect()
    }
}

/// `join` over settings, seed by seed; what is not a number stays none.
fn by_seed(settings: &[Vec<f64>], join: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let Some((first, rest)) = settings.split_first() else {
        return Vec::new();
    };
    let at = |seed: usize, value: f64| {
        let others = rest.iter().map(|setting| setting[seed]);
        others.fold(
            value,
            |all, one| if one.is_nan() { one } else { join(all, one) },
        )
    };
    let values = first.iter().enumerate();
    values.map(|(seed, value)| at(seed, *value)).collect()
}

/// The least over settings, by seed.
pub fn least_of(settings: &[Vec<f64>]) -> Vec<f64> {
    by_seed(settings, |all, one| if one < all { one } else { all })
}

/// The most over settings, by seed.
pub fn most_of(settings: &[Vec<f64>]) -> Vec<f64> {
    by_seed(settings, |all, one| if one > all { one } else { all })
}

/// The sum over settings, by seed.
pub fn total_of(settings: &[Vec<f64>]) -> Vec<f64> {
    by_seed(settings, |all, one| all + one)
}

/// The mean over settings, by seed.
pub fn mean_of(settings: &[Vec<f64>]) -> Vec<f64> {
    let total = total_of(settings).into_iter();
    total.map(|total| total / settings.len() as f64).collect()
}

/// Most payload in Mbps that a link of `mbps` carries in segments of `mss` bytes: each takes 58
/// bytes of headers and frame check sequence, and 20 of preamble and gap.
pub fn limit_mbps(mbps: f64, mss: f64) -> f64 {
    mbps * mss / (mss + 78.0)
}

/// Least and most.
pub fn range(values: &[f64]) -> (f64, f64) {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (least, most)
}

/// `5.03 [4.81, 5.40]`: mean, least and most over seeds; the mean alone where all are equal.
pub fn cell(values: &[f64], digits: usize) -> Cell {
    let (least, most) = range(values);
    let show = |value: f64| format!("{value:.digits$}");
    let (mean, least, most) = (show(mean(values)), show(least), show(most));
    Cell::Text(if least == most {
        mean
    } else {
        format!("{mean} [{least}, {most}]")
    })
}

/// A curve through means over seeds, with their range; dashed as the paper draws it.
pub fn curve(name: &str, x: &[f64], values: &[Vec<f64>], dashed: bool) -> Curve {
    let ends = values.iter().map(|values| range(values));
    Curve {
        name: name.into(),
        x: x.to_vec(),
        y: values.iter().map(|values| mean(values)).collect(),
        dashed,
        interval: Some(ends.unzip()),
        ..Curve::default()
    }
}

/// A plot of throughput in Mbps.
pub fn throughput_plot(id: &str, title: &str, x: Axis, most: f64, curves: Vec<Curve>) -> Plot {
    Plot {
        id: id.into(),
        title: title.into(),
        x: Axis {
            min: Some(0.0),
            ..x
        },
        y: Axis {
            min: Some(0.0),
            max: Some(most),
            ..Axis::new("throughput", "Mbps")
        },
        curves,
        ..Plot::default()
    }
}

/// A printed value as a line across a plot.
pub fn level(at: f64, label: &str) -> Mark {
    Mark {
        direction: Direction::Horizontal,
        at,
        label: label.into(),
    }
}

/// Sizes in kB as numbers.
pub fn numbers(values: &[u64]) -> Vec<f64> {
    values.iter().map(|value| *value as f64).collect()
}

/// A finding about a claim.
pub fn finding(claim: &'static str, scenario: &'static str, measured: Vec<Measured>) -> Finding {
    Finding {
        claim,
        scenario,
        measured,
    }
}

#[cfg(test)]
pub mod made {
    //! Runs whose outcome is written by hand.

    use super::{EthernetRun, Lab};
    use backwater_net::outcome::FlowOutcome;

    /// A run of `file` over a millisecond, with the flows that `change` makes of it: it gets their
    /// names.
    pub fn run(file: &str, change: impl Fn(&str, &mut FlowOutcome)) -> EthernetRun {
        let sets = [("run.duration", "2 ms"), ("run.warm_up", "1 ms")];
        let mut run = Lab::default().ethernet(file, &sets).expect("it runs");
        let both = run.spec.flows.iter().zip(&mut run.outcome.flows);
        for (spec, flow) in both {
            change(&spec.name, flow);
        }
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_and_the_most_are_those_of_each_seed() {
        let settings = [vec![1.0, 5.0], vec![2.0, 3.0], vec![4.0, 4.0]];
        assert_eq!(least_of(&settings), [1.0, 3.0]);
        assert_eq!(most_of(&settings), [4.0, 5.0]);
        assert_eq!(total_of(&settings), [7.0, 12.0]);
        assert_eq!(mean_of(&settings), [7.0 / 3.0, 4.0]);
        for broken in [[vec![f64::NAN], vec![1.0]], [vec![1.0], vec![f64::NAN]]] {
            assert!(least_of(&broken)[0].is_nan() && most_of(&broken)[0].is_nan());
        }
        assert!(least_of(&[]).is_empty());
    }

    #[test]
    fn what_is_kept_is_of_the_flows_asked_for() {
        let run = made::run(crate::nouredine1999::INPUTS, |name, flow| {
            flow.ends.goodput_bytes = if name == "S2" { 125 } else { 250 };
            flow.lost_total = 3;
            flow.lost = 1;
        });
        let seeds = Seeds(vec![run]);
        // Ten connections of S1 and one of S2, in a millisecond.
        assert_eq!(seeds.kept("S1").mbps, [20.0]);
        let kept = seeds.kept("S2");
        assert_eq!(
            (kept.mbps.as_slice(), kept.drops.as_slice()),
            (&[1.0][..], &[33.0][..])
        );
        assert_eq!(kept.shares(4.0), [0.25]);
    }

    #[test]
    fn means_and_ranges_in_cells_and_curves() {
        assert_eq!(
            cell(&[1.0, 2.0, 6.0], 1),
            Cell::Text("3.0 [1.0, 6.0]".into())
        );
        assert_eq!(cell(&[2.0, 2.0], 0), Cell::Text("2".into()));
        let curve = curve("a", &[1.0], &[vec![1.0, 3.0]], true);
        assert_eq!(curve.y, [2.0]);
        assert_eq!(curve.interval, Some((vec![1.0], vec![3.0])));
    }

    #[test]
    fn a_link_of_10_mbps_carries_9_29_in_segments_of_1024() {
        assert!((limit_mbps(10.0, 1024.0) - 9.292).abs() < 1e-3);
        assert!((limit_mbps(10.0, 1460.0) - 9.493).abs() < 1e-3);
    }
}
