//! Bursts of ABR sources: from the arrival of cells at an empty source until its last has left
//! (Kalyanaraman et al. 1998, section 7.2).

use backwater_kernel::Time;
use backwater_net::outcome::{AbrOutcome, BurstOutcome};

use super::Circuits;
use super::abr::Direction;
use crate::distribution::bound;
use crate::model::{Axis, Cell, Curve, Plot, Style, Table};
use crate::number::{grouped, rate, significant, span};
use crate::table_of::TableOf;
use backwater_kernel::words::counted;

/// Directions in the figure.
const CURVES: usize = 6;
/// "High": the first cell went at more than so many times ICR.
const HIGH: u64 = 2;

/// What the bursts of a direction have in common; of those that came after the warm-up.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Bursts {
    /// All of them.
    count: u64,
    /// Of these, those through; the rest is of them.
    through: u64,
    data_cells: u64,
    in_rate_cells: u64,
    response_ps: f64,
    longest_ps: u64,
    /// Ages of those that are not through when the run ends, and the greatest.
    ages_ps: f64,
    oldest_ps: u64,
    high: u64,
    reductions: u64,
    /// Bits of a cell.
    cell_bits: f64,
}

impl Bursts {
    fn of(run: &Circuits<'_>, direction: &Direction<'_>) -> Bursts {
        let unit = run.network.flows.get(direction.flow as usize);
        let mut bursts = Bursts {
            cell_bits: unit.map_or(0.0, |flow| f64::from(flow.unit_bytes) * 8.0),
            ..Bursts::default()
        };
        for burst in later(direction.found, run.network.warm_up) {
            bursts.count += 1;
            let Some(response) = burst.response() else {
                let age = run.outcome.ended_at.since(burst.arrived).ps();
                bursts.ages_ps += age as f64;
                bursts.oldest_ps = bursts.oldest_ps.max(age);
                continue;
            };
            bursts.through += 1;
            bursts.data_cells += burst.data_cells;
            bursts.in_rate_cells += burst.in_rate_cells;
            bursts.response_ps += response.ps() as f64;
            bursts.longest_ps = bursts.longest_ps.max(response.ps());
            let high = u128::from(direction.spec.icr.0) * u128::from(HIGH);
            bursts.high += u64::from(u128::from(burst.first_acr.0) > high);
            bursts.reductions += burst.reductions;
        }
        bursts
    }

    /// Those that are not through.
    fn open(&self) -> u64 {
        self.count - self.through
    }

    /// Mean and largest response time, ps, where those under way count with their age; then both
    /// are bounds from below.
    fn responses(&self) -> (f64, u64) {
        let mean = (self.response_ps + self.ages_ps) / self.count.max(1) as f64;
        (mean, self.longest_ps.max(self.oldest_ps))
    }

    /// So much for each burst that is through.
    fn each(&self, sum: f64) -> f64 {
        sum / self.through.max(1) as f64
    }

    /// Bits per second of `cells` over all response times. (A ratio of sums: a burst of one cell
    /// may have a response time of nothing.)
    fn bps(&self, cells: u64) -> Option<f64> {
        let bits = cells as f64 * self.cell_bits;
        (self.response_ps > 0.0).then(|| bits / self.response_ps * 1e12)
    }
}

fn later(found: &AbrOutcome, warm_up: Time) -> impl Iterator<Item = &BurstOutcome> {
    let bursts = found.bursts.iter();
    bursts.filter(move |burst| burst.arrived >= warm_up)
}

/// A row for each direction with bursts.
pub fn table(run: &Circuits<'_>, directions: &[Direction<'_>]) -> Table {
    let rows = directions
        .iter()
        .map(|one| (one.flow, Bursts::of(run, one)));
    let mbps = |bursts: &Bursts, cells| bursts.bps(cells).map(|bps| Cell::float(bps / 1e6, 3));
    let some = |bursts: &Bursts, value: f64, digits| match bursts.through {
        0 => Cell::Empty,
        _ => Cell::float(value, digits),
    };
    let response = |bursts: &Bursts, ps: f64| match bursts.open() {
        0 => Cell::float(ps / 1e9, 4),
        _ => Cell::at_least(ps / 1e9, 4),
    };
    let each = |bursts: &Bursts, sum: f64, digits| some(bursts, bursts.each(sum), digits);
    TableOf::of(rows.filter(|(_, bursts)| bursts.count > 0))
        .called(
            "bursts: Bursts of finite applications: from the first cell at an empty source until \
             the last one has left; bursts that began after the warm-up. Those not complete count \
             with their age: then response mean and max are bounds from below.",
        )
        .flow(run, |(flow, _)| *flow)
        .number("bursts: number of bursts")
        .of(|(_, all)| all.count)
        .number("complete: bursts completed; all columns but those of responses are of these")
        .of(|(_, all)| all.through)
        .number("size mean [cells]: data cells")
        .of(|(_, all)| each(all, all.data_cells as f64, 2))
        .number("response mean [ms]: burst response time")
        .of(|(_, all)| response(all, all.responses().0))
        .number("response max [ms]: longest burst response time")
        .of(|(_, all)| response(all, all.responses().1 as f64))
        .number("effective [Mbps]: data bits over response times, all bytes of a cell")
        .of(|(_, all)| mbps(all, all.data_cells))
        .number("source rate [Mbps]: the same with RM cells sent in rate")
        .of(|(_, all)| mbps(all, all.in_rate_cells))
        .number("sent high [%]: bursts whose first cell was sent above 2 ICR")
        .of(|(_, all)| some(all, all.each(all.high as f64) * 100.0, 2))
        .number("reductions: by the policy, per burst")
        .of(|(_, all)| each(all, all.reductions as f64, 3))
        .done()
}

/// All bursts in a line; `None` without any.
pub fn line(run: &Circuits<'_>, directions: &[Direction<'_>]) -> Option<String> {
    let mut all = Bursts::default();
    // Cells of different sizes are weighed by their bits.
    let mut bits = 0.0;
    for direction in directions {
        let bursts = Bursts::of(run, direction);
        all.count += bursts.count;
        all.through += bursts.through;
        all.response_ps += bursts.response_ps;
        all.ages_ps += bursts.ages_ps;
        all.oldest_ps = all.oldest_ps.max(bursts.oldest_ps);
        all.high += bursts.high;
        all.reductions += bursts.reductions;
        bits += bursts.data_cells as f64 * bursts.cell_bits;
    }
    if all.count == 0 {
        return None;
    }
    let open = match all.open() {
        0 => String::new(),
        open => format!(
            "; {} not, the oldest begun {} before the end",
            grouped(open),
            span(all.oldest_ps as f64)
        ),
    };
    let effective = if all.response_ps > 0.0 {
        format!(", {} effective", rate(bits / all.response_ps * 1e12))
    } else {
        String::new()
    };
    Some(format!(
        "{} complete{open}: response {}{}{effective}, {} % sent high, reductions each: {}",
        counted(all.through, "burst"),
        bound(all.open() > 0),
        span(all.responses().0),
        significant(all.each(all.high as f64) * 100.0, 3),
        significant(all.each(all.reductions as f64), 3)
    ))
}

/// Response times over the run, of the first directions with several bursts.
pub fn plot(run: &Circuits<'_>, directions: &[Direction<'_>]) -> Option<Plot> {
    let mut curves = Vec::new();
    for direction in directions {
        let points = later(direction.found, run.network.warm_up).filter_map(|burst| {
            let response = burst.response()?;
            Some((burst.arrived.ps() as f64 / 1e9, response.ps() as f64 / 1e9))
        });
        let (x, y): (Vec<f64>, Vec<f64>) = points.unzip();
        if x.len() > 1 && curves.len() < CURVES {
            let name = run.flow(direction.flow);
            curves.push(Curve::new(name, Style::Points, x, y));
        }
    }
    (!curves.is_empty()).then(|| {
        Plot::new("bursts", "Burst response times", curves)
            .x(Axis::new("Arrival of the burst", "ms"))
            .y(Axis::new("Response time", "ms").from_zero())
    })
}
