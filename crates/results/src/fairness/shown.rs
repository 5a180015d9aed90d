//! Fair shares as a table, a figure and a few lines.

use super::jain;
use crate::charts::cumulative;
use crate::groups::{group_name, in_order};
use crate::lines::{aligned, listed, shortened};
use crate::model::{Axis, Cell, Column, Curve, Plot, Style, Table};
use crate::number::{fixed, rate_unit, significant};
use crate::table_of::TableOf;
use backwater_kernel::words::{capital, counted};

/// Flows listed in the terminal; where there are more, the extremes are told.
const LISTED: usize = 30;
/// Groups of more flows than this are one line there.
const FOLDED: usize = 4;
/// Flows and groups without a share that are named.
const NAMED: usize = 5;
/// Flows that get a bar each; of more their distribution is drawn.
const BARS: usize = 40;
/// So many stand in the order of the scenario, more with the largest rate first.
const IN_ORDER: usize = 10;

/// One flow: what it got and what would have been fair. Rates are in the unit of [`Rates`].
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FairRow {
    /// As the scenario calls it.
    pub name: String,
    /// What it got.
    pub measured: f64,
    /// Its max-min share, counted like `measured`; `None`: it has none.
    pub share: Option<f64>,
    /// Its share on the wire with all that comes with it: RM cells, headers, gaps.
    pub wire_share: Option<f64>,
    /// What it got on the wire, as far as known.
    pub wire_measured: Option<f64>,
    /// Payload it got, and payload of its share, where these are known and not what is compared.
    pub payload: Option<(f64, f64)>,
    /// What stops its share: a channel, or its own demand.
    pub limit: String,
    /// Why it has no share, and whatever else is to be known.
    pub remark: &'static str,
}

/// Whose rates they are, and what they are counted in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rates {
    /// Flows, bps.
    #[default]
    OfFlows,
    /// Terminals that send, flits per cycle.
    OfSources,
}

impl Rates {
    fn of(self) -> &'static str {
        match self {
            Rates::OfFlows => "flow",
            Rates::OfSources => "source",
        }
    }

    /// In tables and figures, and how much that is.
    fn unit(self) -> (&'static str, f64) {
        match self {
            Rates::OfFlows => ("Mbps", 1e6),
            Rates::OfSources => ("flits/cycle", 1.0),
        }
    }
}

/// All flows of a run, or all sources.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FairShares {
    /// In the order of flows; silent ones are left out.
    pub rows: Vec<FairRow>,
    /// What `measured` and `share` count: `data on the wire`, `payload`.
    pub counted_as: &'static str,
    /// Whose they are; the unit of `measured` and `share`.
    pub rates: Rates,
    /// What was assumed, a sentence without a full stop each.
    pub notes: Vec<String>,
}

impl FairRow {
    /// What it got over its share.
    fn ratio(&self) -> Option<f64> {
        let share = self.share?;
        (share > 0.0).then(|| self.measured / share)
    }
}

impl FairShares {
    fn has_shares(&self) -> bool {
        self.rows.iter().any(|row| row.share.is_some())
    }

    /// Jain's index of rates, and of rates over their shares; of flows that have one.
    pub fn jain(&self) -> (f64, f64) {
        let with_share = self.rows.iter().filter(|row| row.share.is_some());
        let rates: Vec<f64> = with_share.map(|row| row.measured).collect();
        let ratios: Vec<f64> = self.rows.iter().filter_map(FairRow::ratio).collect();
        (jain(&rates), jain(&ratios))
    }

    /// The flows that got least and most of their shares.
    pub fn extremes(&self) -> Option<[(&str, f64); 2]> {
        let all = self.rows.iter();
        let all = all.filter_map(|row| Some((row.name.as_str(), row.ratio()?)));
        let least = all.clone().reduce(|a, b| if b.1 < a.1 { b } else { a })?;
        let most = all.reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        Some([least, most])
    }

    /// Are they few enough to be listed in the terminal?
    pub fn are_few(&self) -> bool {
        self.folded().len() <= LISTED
    }

    /// Those that have a share: larger groups of one name together, the others one by one.
    fn folded(&self) -> Vec<(&str, Vec<&FairRow>)> {
        let shared = self.rows.iter().filter(|row| row.share.is_some());
        let groups = in_order(shared.map(|row| (group_name(&row.name), row)));
        let mut folded = Vec::new();
        for (name, rows) in groups {
            match rows.len() > FOLDED {
                true => folded.push((name, rows)),
                false => folded.extend(rows.into_iter().map(|row| (&*row.name, vec![row]))),
            }
        }
        folded
    }

    /// Those without a share, by the reason: `no share: incast (16 flows), ends by itself`.
    fn without_share(&self) -> Option<String> {
        let without = self.rows.iter().filter(|row| row.share.is_none());
        let reasons = in_order(without.map(|row| (row.remark, group_name(&row.name))));
        let reasons_told = reasons.into_iter().map(|(why, names)| {
            let names = in_order(names.into_iter().map(|name| (name, ())));
            let names: Vec<String> = names
                .into_iter()
                .map(|(name, all)| match all.len() {
                    1 => shortened(name),
                    many => format!("{} ({many})", shortened(name)),
                })
                .collect();
            let names = listed(&names, NAMED, [", ", " and "], self.rates.of());
            match why {
                "" => names,
                why => format!("{names}: {why}"),
            }
        });
        let sentences: Vec<String> = reasons_told.collect();
        (!sentences.is_empty()).then(|| format!("no share: {}", sentences.join("; ")))
    }

    /// How little and how much of their shares they got, in words.
    pub fn spread(&self) -> Option<String> {
        let [least, most] = self.extremes()?;
        let [low, high] = [least, most].map(|(_, ratio)| fixed(ratio, 3));
        Some(match low == high {
            true => low,
            false => format!(
                "{low} ({}) to {high} ({})",
                shortened(least.0),
                shortened(most.0)
            ),
        })
    }

    /// Lines for the terminal, the first of them empty; none where no flow has a share.
    pub fn terminal_lines(&self) -> Vec<String> {
        if !self.has_shares() {
            return Vec::new();
        }
        let mut lines = vec![String::new()];
        let shared = self.rows.iter().filter(|row| row.share.is_some()).count();
        if self.are_few() {
            lines.extend(self.listed());
        } else if let Some(spread) = self.spread() {
            let count = counted(shared, self.rates.of());
            lines.push(format!("max-min share: {count} got {spread} of it"));
        }
        lines.extend(self.without_share());
        if shared > 1 {
            let (rates, ratios) = self.jain();
            lines.push(format!(
                "Jain's index {} of rates, {} of rates over shares",
                fixed(rates, 4),
                fixed(ratios, 4)
            ));
        }
        lines.extend(self.notes.iter().cloned());
        lines
    }

    /// A line of the terminal for each flow, and one above.
    pub fn listed(&self) -> Vec<String> {
        let folded = self.folded();
        let all = folded.iter().flat_map(|(_, rows)| rows);
        let rates = all
            .flat_map(|row| [Some(row.measured), row.share])
            .flatten();
        let (unit, scale, decimals) = match self.rates {
            Rates::OfFlows => rate_unit(rates.fold(0.0, f64::max)),
            Rates::OfSources => ("flits/cycle", 1.0, 4),
        };
        let rate = |rate: f64| {
            let rate = rate / scale;
            // Slow flows beside fast ones: more decimals, not nothing.
            let is_slow = rate > 0.0 && rate < 1.0;
            fixed(rate, if is_slow { 4 } else { decimals })
        };
        let heading = [self.rates.of(), unit, "max-min", "ratio", ""];
        let mut lines = vec![heading.map(String::from).to_vec()];
        for (name, rows) in &folded {
            let range = |value: &dyn Fn(&FairRow) -> Option<f64>, words: &dyn Fn(f64) -> String| {
                let mut values: Vec<f64> = rows.iter().filter_map(|row| value(row)).collect();
                values.sort_by(f64::total_cmp);
                match (values.first(), values.last()) {
                    (Some(least), Some(most)) if words(*least) != words(*most) => {
                        format!("{} to {}", words(*least), words(*most))
                    }
                    (Some(least), _) => words(*least),
                    _ => "-".into(),
                }
            };
            lines.push(vec![
                match rows.len() {
                    1 => shortened(name),
                    many => format!("{} ({many})", shortened(name)),
                },
                range(&|row| Some(row.measured), &rate),
                range(&|row| row.share, &rate),
                range(&FairRow::ratio, &|ratio| fixed(ratio, 3)),
                rows.first().map_or("", |row| row.remark).into(),
            ]);
        }
        if lines.iter().all(|line| line[4].is_empty()) {
            lines.iter_mut().for_each(|line| line.truncate(4));
        }
        let lines = aligned(&lines).into_iter();
        lines.map(|line| line.trim_end().to_owned()).collect()
    }

    /// A row for each flow.
    pub fn table(&self) -> Table {
        let mut caption = format!(
            "Rate of each {} ({}) and its max-min fair share, by water filling.",
            self.rates.of(),
            self.counted_as
        );
        for note in &self.notes {
            caption.push_str(&format!(" {}.", capital(note)));
        }
        let shown = match self.has_shares() {
            true => &self.rows[..],
            false => &[],
        };
        let name = match self.rates {
            Rates::OfFlows => "name in the scenario",
            Rates::OfSources => "the sending terminal",
        };
        let (unit, scale) = self.rates.unit();
        let largest = "largest rate possible without taking from one that has no more";
        let limit = "the port or channel that limits the share, or its demand";
        let table = TableOf::of(shown)
            .called(format!("fairness: {caption}"))
            .text(format!("{}: {name}", self.rates.of()))
            .of(|row| row.name.clone())
            .number(format!("measured [{unit}]: measured after the warm-up"))
            .of(|row| Cell::float(row.measured / scale, 4))
            .short(Column::UNIT)
            .number(format!("max-min share [{unit}]: {largest}"))
            .of(|row| over(row.share, scale))
            .short("max-min")
            .number("ratio: measured over share")
            .of(|row| row.ratio().map(|ratio| Cell::float(ratio, 3)))
            .text(format!("limit: {limit}"))
            .of(|row| row.limit.clone());
        match self.rates {
            Rates::OfFlows => on_the_wire(table, unit, scale).done(),
            Rates::OfSources => table.done(),
        }
    }

    /// Bars of what flows got, dots for their shares; of many how both are distributed.
    pub fn plot(&self) -> Option<Plot> {
        let shared = self.rows.iter().filter(|row| row.share.is_some());
        let mut shared: Vec<&FairRow> = shared.collect();
        if shared.len() < 2 {
            return None;
        }
        if shared.len() > IN_ORDER {
            shared.sort_by(|one, other| other.measured.total_cmp(&one.measured));
        }
        let (unit, scale) = self.rates.unit();
        let of = |value: &dyn Fn(&FairRow) -> f64| -> Vec<f64> {
            shared.iter().map(|row| value(row) / scale).collect()
        };
        let measured = of(&|row| row.measured);
        let shares = of(&|row| row.share.unwrap_or(0.0));
        let rate = Axis::new(capital(self.counted_as), unit).from_zero();
        let (rates, ratios) = self.jain();
        let note = format!(
            "Jain's index is {} of rates, {} of rates over shares.",
            significant(rates, 4),
            significant(ratios, 4)
        );
        let title = "Rates and max-min fair shares";
        let whose = self.rates.of();
        if shared.len() > BARS {
            let curves = [("measured", measured), ("max-min share", shares)];
            let curves = curves.map(|(name, values)| cumulative(name, values));
            let share = Axis::new(format!("{}s with at most this", capital(whose)), "%");
            let plot = Plot::new("fairness", title, curves.to_vec()).x(rate);
            return Some(plot.y(share.from_zero().up_to(100.0)).note(note));
        }
        let names = shared.iter().map(|row| row.name.clone());
        let order = match shared.len() > IN_ORDER {
            true => format!("{}, the fastest first", capital(whose)),
            false => capital(whose),
        };
        let curves = vec![
            Curve::in_order("measured", Style::Bars, measured),
            Curve::in_order("max-min share", Style::Points, shares),
        ];
        let plot = Plot::new("fairness", title, curves);
        Some(plot.x(Axis::of_names(order, names)).y(rate).note(note))
    }

    /// Jain's index of rates and of rates over shares, if any flow has a share.
    pub fn indices(&self) -> Option<(f64, f64)> {
        self.has_shares().then(|| self.jain())
    }
}

/// A rate over `scale`, if there is one.
fn over(rate: Option<f64>, scale: f64) -> Option<Cell> {
    rate.map(|rate| Cell::float(rate / scale, 4))
}

/// Columns of rate, share and ratio on the wire, where overhead makes them differ from payload; and
/// why there is no share.
fn on_the_wire<'a>(table: TableOf<&'a FairRow>, unit: &str, scale: f64) -> TableOf<&'a FairRow> {
    let payload = |row: &FairRow, of: fn((f64, f64)) -> f64| over(row.payload.map(of), scale);
    let remark = Column::text("remark", "why it has no share").short(" ");
    table
        .number(format!(
            "wire measured [{unit}]: with overhead such as RM cells, as far as known"
        ))
        .if_any(|row| over(row.wire_measured, scale))
        .number(format!(
            "wire share [{unit}]: with overhead: RM cells, headers, gaps between frames"
        ))
        .if_any(|row| over(row.wire_share, scale))
        .number(format!(
            "payload measured [{unit}]: received by the application, as far as known"
        ))
        .if_any(|row| payload(row, |(measured, _)| measured))
        .number(format!("payload share [{unit}]: payload rate of the share"))
        .if_any(|row| payload(row, |(_, share)| share))
        .column(remark)
        .if_any(|row| row.remark)
}

#[cfg(test)]
mod tests;
