//! Columns of a sweep that are of one flow, or of all flows of a name together: `victim.goodput`.
//!
//! Whatever number the tables of a run have of a flow can be asked for, by the name that its
//! column declares.

use std::borrow::Cow;

use super::{Measure, Role};
use crate::column::{Align, Column, Kind, NoColumn, key};
use crate::model::{Cell, Table};

/// Decimals that reports show, but for counts.
const DIGITS: u8 = 3;

/// The column of one flow or group.
#[derive(Clone, Debug)]
pub struct FlowColumn {
    /// The flow or group.
    pub flow: String,
    table: String,
    key: String,
    /// What is measured.
    pub measure: Measure,
}

impl FlowColumn {
    /// Finds what `text`, as `victim.goodput`, names. `flows` are the names there are; `tables`
    /// gives the tables of one of them, with a row or without.
    ///
    /// # Errors
    /// If there is no such flow or no such column.
    pub fn find(
        text: &str,
        flows: &[String],
        tables: impl Fn(&str) -> Option<Vec<Table>>,
    ) -> Result<FlowColumn, NoColumn> {
        let (flow, asked) = text.rsplit_once('.').unwrap_or((text, ""));
        let Some(tables) = tables(flow) else {
            let (what, known) = (
                format!("there is no flow or group `{flow}`"),
                flows.to_vec(),
            );
            return Err(NoColumn { what, known });
        };
        let columns: Vec<(&str, String, &Column)> = tables.iter().flat_map(numbers).collect();
        let exact = columns.iter().filter(|(_, key, _)| key == asked);
        let bare = columns.iter().filter(|column| bare(column.2) == asked);
        let mut meant: Vec<_> = exact.take(1).collect();
        if meant.is_empty() {
            meant = bare.collect();
        }
        let all = columns.iter().map(|(_, key, _)| key.clone());
        match meant.as_slice() {
            [(table, key, column)] => Ok(FlowColumn {
                flow: flow.into(),
                table: (*table).into(),
                key: key.clone(),
                measure: Measure {
                    name: format!("{flow}.{}", column.heading()).into(),
                    unit: Cow::Owned(column.unit.clone()),
                    meaning: Cow::Owned(format!("{} of `{flow}`", column.meaning)),
                    role: Role::Chosen,
                    digits: match column.kind {
                        Some(Kind::Int) => 0,
                        _ => DIGITS,
                    },
                    may_be_bound: column.may_be_bound,
                },
            }),
            [] if asked.is_empty() => {
                Err(NoColumn::sorted(format!("which column of `{flow}`?"), all))
            }
            [] => Err(NoColumn::sorted(format!("`{flow}` has no `{asked}`"), all)),
            several => {
                let several = several.iter().map(|(_, key, _)| key.clone());
                let what = format!("`{asked}` may be several columns");
                Err(NoColumn::sorted(what, several))
            }
        }
    }

    /// Its value in the tables of the flow; not a number where there is none.
    pub fn value(&self, tables: &[Table]) -> f64 {
        let table = tables.iter().find(|table| table.name == self.table);
        let cell = table.and_then(|table| {
            let at = table.keys().iter().position(|key| *key == self.key)?;
            table.rows.first()?.get(at)
        });
        match cell {
            Some(Cell::Float { value, .. }) => *value,
            Some(Cell::Int(count)) => *count as f64,
            Some(Cell::Text(_) | Cell::Empty) | None => f64::NAN,
        }
    }
}

/// The columns of numbers of a table.
fn numbers(table: &Table) -> impl Iterator<Item = (&str, String, &Column)> {
    let columns = table.keys().into_iter().zip(&table.columns);
    let numbers = columns.filter(|(_, column)| column.align == Align::Right);
    numbers.map(|(key, column)| (table.name.as_str(), key, column))
}

/// The name of a column without its unit.
fn bare(column: &Column) -> String {
    let words = key(&column.name, "");
    match column.is_interval {
        true => format!("{words}_ci95"),
        false => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table_of::TableOf;

    fn tables(flow: &str) -> Option<Vec<Table>> {
        let flows = TableOf::of([()])
            .called("flows: ")
            .text("flow: name")
            .of(|()| "")
            .number("goodput [Mbps]: how much")
            .of(|()| Cell::float(7.5, 1))
            .number("late [frames]: how much")
            .of(|()| 3_u64)
            .number("late [%]: how much")
            .of(|()| Cell::Empty)
            .number("class: how much")
            .of(|()| Cell::Empty);
        let delays = TableOf::of([(); 0])
            .called("delays: ")
            .text("flow: name")
            .of(|()| "")
            .number("delay p99 [us]: how much")
            .of(|()| Cell::Empty);
        (flow == "a.b").then(|| vec![flows.done(), delays.done()])
    }

    fn find(text: &str) -> Result<FlowColumn, NoColumn> {
        FlowColumn::find(text, &["a.b".into()], tables)
    }

    #[test]
    fn a_column_is_found_with_its_unit_and_without() {
        for (text, name, unit, value) in [
            ("a.b.goodput", "a.b.goodput", "Mbps", Some(7.5)),
            ("a.b.goodput_mbps", "a.b.goodput", "Mbps", Some(7.5)),
            ("a.b.late_frames", "a.b.late", "frames", Some(3.0)),
            ("a.b.late_pct", "a.b.late", "%", None),
            ("a.b.delay_p99", "a.b.delay p99", "us", None),
        ] {
            let column = find(text).expect(text);
            assert_eq!((&*column.measure.name, &*column.measure.unit), (name, unit));
            let found = column.value(&tables("a.b").expect("tables"));
            assert_eq!(
                Some(found).filter(|found| found.is_finite()),
                value,
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_not_there_is_told_with_what_is() {
        let wrong = |text: &str| find(text).expect_err(text);
        assert_eq!(wrong("b.goodput").known, ["a.b"]);
        assert!(wrong("b.goodput").what.contains("no flow or group `b`"));
        assert_eq!(wrong("a.b.late").known, ["late_frames", "late_pct"]);
        let all = [
            "class",
            "delay_p99_us",
            "goodput_mbps",
            "late_frames",
            "late_pct",
        ];
        assert_eq!(wrong("a.b.most").known, all);
        assert_eq!(wrong("a.b").known, ["a.b"], "the flow is `a`");
    }
}
