//! Random networks for the bound: settings of the shipped scenario.

use backwater_kernel::{Purpose, Stream};

const SWITCHES: u64 = 6;
/// Flows that reserve, at most.
const FLOWS: u64 = 12;

/// A flow before its rate is known.
struct Drawn {
    from: u64,
    to: u64,
    weight: u64,
    bytes: u64,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Keeps its bucket.
    Held,
    Misbehaving,
    Datagrams,
}

/// Settings of network `number`.
pub fn draw(number: u64) -> Vec<(&'static str, String)> {
    let mut stream = Stream::new(number, 0, Purpose::Pattern);
    let trunk_bps = 1000 * (200 + stream.below(801));
    let count = 3 + stream.below(FLOWS - 2);
    let mut flows: Vec<Drawn> = (0..count).map(|_| flow(&mut stream)).collect();
    if stream.below(2) == 0 {
        flows.push(Drawn {
            kind: Kind::Datagrams,
            bytes: 50 + stream.below(1451),
            ..flow(&mut stream)
        });
    }
    let share = 700 + stream.below(301);
    // Reservations fill the fullest trunk to that many thousandths.
    let bps_per_weight = trunk_bps as f64 * share as f64 / 1000.0 / fullest(&flows) as f64;
    let tables: Vec<String> = flows
        .iter()
        .enumerate()
        .map(|(index, flow)| {
            let rate_bps = (flow.weight as f64 * bps_per_weight) as u64;
            table(&mut stream, index, flow, rate_bps.max(1), trunk_bps)
        })
        .collect();
    vec![
        ("run.seed", number.to_string()),
        ("topology.trunk.rate", format!("\"{trunk_bps} bps\"")),
        ("flows", format!("[{}]", tables.join(", "))),
    ]
}

fn flow(stream: &mut Stream) -> Drawn {
    let mut from = 1 + stream.below(SWITCHES - 1);
    let mut to = from + 1;
    if stream.below(2) == 0 {
        to += stream.below(SWITCHES - from);
    }
    // Most go the same way, so that they meet.
    if stream.below(4) == 0 {
        core::mem::swap(&mut from, &mut to);
    }
    Drawn {
        from,
        to,
        weight: 2 + stream.below(19),
        bytes: 50 + stream.below(951),
        kind: if stream.below(4) == 0 {
            Kind::Misbehaving
        } else {
            Kind::Held
        },
    }
}

/// Sum of weights on the trunk and direction where it is largest.
fn fullest(flows: &[Drawn]) -> u64 {
    let mut sums = [[0; SWITCHES as usize]; 2];
    for flow in flows.iter().filter(|flow| flow.kind != Kind::Datagrams) {
        let (low, high) = (flow.from.min(flow.to), flow.from.max(flow.to));
        let way = usize::from(flow.from > flow.to);
        for trunk in low..high {
            sums[way][trunk as usize] += flow.weight;
        }
    }
    sums.iter().flatten().copied().max().unwrap_or(1).max(1)
}

/// A flow as the scenario writes it.
fn table(stream: &mut Stream, index: usize, flow: &Drawn, rate_bps: u64, trunk_bps: u64) -> String {
    let unit_us = 8 * flow.bytes * 1_000_000 / rate_bps;
    let host = 1 + index % 2;
    let ends = format!(
        "name = \"f{index}\", from = \"H{}_{host}\", to = \"H{}_{host}\", unit_bytes = {}",
        flow.from, flow.to, flow.bytes
    );
    let length = 1 + stream.below(12);
    let trains = |rate: u64, bytes: u64| {
        // Back to back at up to the rate of a trunk, or slower.
        let least_us = (8 * bytes * 1_000_000 / (10 * trunk_bps)).max(1);
        format!(
            "traffic = {{ kind = \"trains\", rate = \"{rate} bps\", length = {length}, gap = \
             \"{least_us} us\" }}"
        )
    };
    if flow.kind == Kind::Datagrams {
        let rate = trunk_bps / 10 + stream.below(trunk_bps);
        return format!("{{ {ends}, {} }}", trains(rate, flow.bytes));
    }
    // A check every 1 to 12 packets.
    let interval_us = unit_us * (1 + stream.below(12)) + 1;
    let reserve =
        format!("reserve = {{ rate = \"{rate_bps} bps\", interval = \"{interval_us} us\" }}");
    let traffic = trains(rate_bps * (50 + stream.below(251)) / 100, flow.bytes);
    if flow.kind == Kind::Misbehaving {
        return format!("{{ {ends}, {traffic}, {reserve} }}");
    }
    let traffic = if stream.below(2) == 0 {
        traffic
    } else {
        // The whole burst at once, then as fast as the bucket leaks: nothing waits longer.
        let start_ms = stream.below(3) * stream.below(500);
        format!("traffic = {{ kind = \"greedy\", start = \"{start_ms} ms\" }}")
    };
    let burst = flow.bytes * (1 + stream.below(8));
    let envelope =
        format!("envelope = {{ kind = \"bucket\", burst = \"{burst} B\", excess = \"delay\" }}");
    format!("{{ {ends}, {traffic}, {reserve}, {envelope} }}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_differ_and_repeat() {
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1)[2], draw(2)[2]);
        let kinds = (1..50).map(|number| draw(number)[2].1.clone());
        let kinds: Vec<String> = kinds.collect();
        let has = |word: &str| kinds.iter().any(|text| text.contains(word));
        assert!(has("bucket") && has("trains") && has("reserve"));
        let datagrams =
            |text: &&String| text.matches("reserve").count() < text.matches("name").count();
        let with = kinds.iter().filter(datagrams).count();
        assert!(with > 10 && with < 40, "{with} of 49 with datagrams");
    }

    /// Three in four go the one way, half of them over one trunk or more.
    #[test]
    fn most_flows_go_the_same_way() {
        let mut stream = Stream::new(1, 0, Purpose::Pattern);
        let flows: Vec<Drawn> = (0..4_000).map(|_| flow(&mut stream)).collect();
        let count = |is: &dyn Fn(&Drawn) -> bool| flows.iter().filter(|one| is(one)).count();
        let back = count(&|one| one.from > one.to);
        assert!((900..1_100).contains(&back), "{back} of 4,000 go back");
        let next = count(&|one| one.from.abs_diff(one.to) == 1);
        assert!((2_000..3_200).contains(&next), "{next} cross one trunk");
        let within = |at: u64| (1..=SWITCHES).contains(&at);
        assert!(
            flows
                .iter()
                .all(|one| within(one.from) && within(one.to) && one.from != one.to)
        );
    }

    #[test]
    fn the_fullest_trunk_counts_each_way_on_its_own() {
        let one = |from, to, weight| Drawn {
            from,
            to,
            weight,
            bytes: 50,
            kind: Kind::Held,
        };
        assert_eq!(fullest(&[one(1, 3, 5), one(2, 4, 7)]), 12);
        assert_eq!(fullest(&[one(1, 3, 5), one(4, 2, 7)]), 7);
        assert_eq!(fullest(&[one(1, 2, 5), one(2, 4, 7)]), 7);
    }
}
