//! Section 3: N123 and N123+ beside N23, on links of several lengths. What they need is what their
//! circuits really store.

use backwater_results::{Axis, Block, Cell, Curve, Plot, Style, Table};

use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::log_slope;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const FILE: &str = "kung1993/sec3-n123.toml";
const SCHEMES: [&str; 3] = ["n23", "n123", "n123+"];
/// Control loops in cell times; the scenario has the second. Shorter ones hold but a few times N2
/// cells.
const LOOPS: [u32; 4] = [78, 155, 310, 620];
const SCENARIO_LOOP: u32 = 155;
/// N3 of the scenario at that loop.
const N3: [u32; 3] = [155, 113, 63];
const CIRCUITS: [(&str, &str); 3] = [("VC1", "A->S"), ("VC2", "B->S"), ("VC3", "C->S")];

const WORDS: &str = "The traffic of Figure 14 on links of four lengths, N3 in proportion. N123 \
    has no information on the cells on the wire, so its circuits store a loop's worth more than \
    those of N23 at the same shares of the output; N123+ limits this by the circuit's \
    bandwidth. Both grow with the delay. The zone is needed: without it buffers overflow.";

/// One scheme on a link of one length.
struct Zones {
    loop_cells: u32,
    /// Buffer given to all circuits together.
    given: u32,
    /// Most cells that each stored, together.
    used: u32,
    shares: [f64; 3],
    broken: u64,
}

fn run(lab: &Lab, scheme: &str, loop_cells: u32, more: &[(&str, &str)]) -> Result<Zones, LabError> {
    let n3 = N3.map(|n3| (n3 * loop_cells).div_ceil(SCENARIO_LOOP).to_string());
    let delay = format!("{} cells", f64::from(loop_cells) / 2.0);
    let mut sets = vec![
        ("link.delay", &*delay),
        ("flow_control.kind", scheme),
        ("flow_control.n3", &*n3[0]),
        ("flows.VC2.flow_control.n3", &*n3[1]),
        ("flows.VC3.flow_control.n3", &*n3[2]),
    ];
    sets.extend(more);
    let run = lab.run(FILE, &sets)?;
    let legs = run.scenario.network.flows.iter().map(|flow| &flow.legs[0]);
    let given = legs.map(|leg| leg.buffer.limit_units.unwrap_or(u32::MAX));
    let used = CIRCUITS.map(|(flow, channel)| run.leg(flow, channel).fill_max_total);
    Ok(Zones {
        loop_cells,
        given: given.fold(0, u32::saturating_add),
        used: used.iter().sum(),
        shares: CIRCUITS.map(|(flow, _)| run.throughput(flow, "S->F")),
        broken: run.outcome.violations.total(),
    })
}

pub fn three_zones(lab: &Lab) -> Result<Evidence, LabError> {
    let cases = SCHEMES.map(|scheme| LOOPS.map(|loop_cells| (scheme, loop_cells)));
    let all = lab.each(cases.as_flattened(), |&(scheme, loop_cells)| {
        run(lab, scheme, loop_cells, &[])
    })?;
    let schemes: Vec<&[Zones]> = all.chunks(LOOPS.len()).collect();
    let [n23, others @ ..] = &schemes[..] else {
        return Err(LabError("no scheme ran".into()));
    };
    let no_zone = [("flow_control.n1", "0"), ("flow_control.overflow", "keep")];
    let no_zone = run(lab, "n123", SCENARIO_LOOP, &no_zone)?;
    let mut measured = Vec::new();
    for (name, zones) in SCHEMES.iter().zip(&schemes) {
        measured.extend(shares(name, zones));
    }
    for (name, zones) in SCHEMES[1..].iter().zip(others) {
        measured.extend(third_zone(name, n23, zones));
    }
    let broken = no_zone.broken as f64;
    measured.push(Measured::new("n123_overflows_without_n1", broken).at_least(1.0));
    Ok(Evidence {
        findings: vec![Finding {
            claim: "kung1993.n123",
            scenario: FILE,
            measured,
        }],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(table(&schemes)),
            Block::Plot(plot(&schemes)),
        ],
    })
}

/// Each circuit gets a third at every delay, and nothing overflows.
fn shares(name: &str, zones: &[Zones]) -> Vec<Measured> {
    let far = |share: &f64| (share - 1.0 / 3.0).abs();
    let shares = zones.iter().flat_map(|zones| &zones.shares);
    let furthest = shares.map(far).fold(0.0, f64::max);
    let broken: u64 = zones.iter().map(|zones| zones.broken).sum();
    vec![
        Measured::new(&format!("{name}_furthest_from_a_third"), furthest).at_most(0.0013),
        Measured::new(&format!("{name}_overflows"), broken as f64).within(0.0, 0.0),
    ]
}

/// What a scheme stores beyond N23: how it grows with the delay, and by how much at least.
fn third_zone(name: &str, n23: &[Zones], zones: &[Zones]) -> Vec<Measured> {
    let pairs = || zones.iter().zip(n23);
    let more = pairs().map(|(zones, n23)| {
        let more = f64::from(zones.used) - f64::from(n23.used);
        (f64::from(zones.loop_cells), more)
    });
    let more: Vec<(f64, f64)> = more.collect();
    let least = pairs().map(|(zones, n23)| f64::from(zones.used) / f64::from(n23.used));
    let least = least.fold(f64::INFINITY, f64::min);
    let at_file = more.iter().find(|(at, _)| *at == f64::from(SCENARIO_LOOP));
    vec![
        Measured::new(
            &format!("{name}_zone_at_155"),
            at_file.map_or(f64::NAN, |one| one.1),
        ),
        Measured::new(&format!("{name}_growth_with_delay"), log_slope(&more)).within(0.9, 1.1),
        Measured::new(&format!("{name}_used_over_n23"), least).at_least(1.05),
    ]
}

fn table(schemes: &[&[Zones]]) -> Table {
    let mut rows = Vec::new();
    for (name, zones) in SCHEMES.iter().zip(schemes) {
        for (one, n23) in zones.iter().zip(schemes[0]) {
            rows.push(vec![
                Cell::from(*name),
                Cell::from(one.loop_cells),
                Cell::from(one.given),
                Cell::from(one.used),
                Cell::from(i64::from(one.used) - i64::from(n23.used)),
                Cell::float(one.shares[0], 4),
            ]);
        }
    }
    Table {
        name: "sec03-zones".into(),
        caption: "Same traffic, same shares; the third zone costs memory. Sums over the three \
                  circuits."
            .into(),
        columns: vec![
            words("scheme", "credit scheme"),
            column("loop", "cells", "control loop of every link"),
            column("allocated", "cells", "N1 + N2 + N3"),
            column("used", "cells", "largest number that each circuit stored"),
            column("beyond N23", "cells", "used, less what N23 uses"),
            column("throughput of VC1", "of the link", "leaving the switch"),
        ],
        rows,
    }
}

fn plot(schemes: &[&[Zones]]) -> Plot {
    let curve = |(name, zones): (&&str, &&[Zones])| {
        let point = |zones: &Zones| (f64::from(zones.loop_cells), f64::from(zones.used));
        let (x, y) = zones.iter().map(point).unzip();
        Curve::new(*name, Style::Line, x, y)
    };
    Plot {
        id: "sec03-zones".into(),
        title: "Section 3: what circuits store".into(),
        x: Axis::new("control loop", "cell times"),
        y: Axis::new("max stored by three circuits", "cells"),
        curves: SCHEMES.iter().zip(schemes).map(curve).collect(),
        note: "Proportional to the delay; N23 needs the least memory.".into(),
        ..Plot::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zones(loop_cells: u32, used: u32) -> Zones {
        Zones {
            loop_cells,
            given: 1000,
            used,
            shares: [1.0 / 3.0, 0.3333, 0.334],
            broken: 1,
        }
    }

    #[test]
    fn a_zone_is_what_is_stored_beyond_n23() {
        let n23 = [zones(155, 100), zones(310, 200)];
        let proportional = [zones(155, 200), zones(310, 400)];
        let found = third_zone("x", &n23, &proportional);
        let values: Vec<f64> = found.iter().map(|one| one.value).collect();
        assert_eq!(values[0], 100.0);
        assert!((values[1] - 1.0).abs() < 1e-12 && values[2] == 2.0);
        // A zone that does not grow, whatever the buffers given are.
        let fixed = [zones(155, 200), zones(310, 300)];
        assert!(third_zone("x", &n23, &fixed)[1].value.abs() < 1e-12);
        let found = shares("x", &n23);
        assert!((found[0].value - (0.334 - 1.0 / 3.0)).abs() < 1e-12);
        assert_eq!(found[1].value, 2.0);
    }
}
