//! What the values of a column are, for programs.

use crate::column::{Align, Kind};
use crate::model::{Cell, Table};

/// What a cell is made of.
pub trait Held: Into<Cell> {
    /// What such cells hold; `None` where each may hold something else.
    const KIND: Option<Kind>;
}

impl Held for Cell {
    const KIND: Option<Kind> = None;
}

impl Held for &str {
    const KIND: Option<Kind> = Some(Kind::Text);
}

impl Held for String {
    const KIND: Option<Kind> = Some(Kind::Text);
}

impl Held for u64 {
    const KIND: Option<Kind> = Some(Kind::Int);
}

impl Held for u32 {
    const KIND: Option<Kind> = Some(Kind::Int);
}

impl Held for i64 {
    const KIND: Option<Kind> = Some(Kind::Int);
}

impl<T: Held> Held for Option<T> {
    const KIND: Option<Kind> = T::KIND;
}

impl Table {
    /// Of each column: words if one of its cells holds words, else measurements if one is one.
    /// Where nothing was measured, what it is declared as, so that tables of several runs have the
    /// same types; else columns of numbers are of measurements.
    pub fn kinds(&self) -> Vec<Kind> {
        let kind = |(index, column): (usize, &crate::Column)| {
            let cells = self.rows.iter().filter_map(|row| row.get(index));
            let (mut ints, mut floats) = (false, false);
            for cell in cells {
                match cell {
                    Cell::Text(_) => return Kind::Text,
                    Cell::Int(_) => ints = true,
                    Cell::Float { .. } => floats = true,
                    Cell::Empty => {}
                }
            }
            match (ints, floats, column.kind, column.align) {
                (_, true, ..) => Kind::Float,
                (true, false, ..) => Kind::Int,
                (false, false, Some(declared), _) => declared,
                (false, false, None, Align::Right) => Kind::Float,
                (false, false, None, Align::Left) => Kind::Text,
            }
        };
        self.columns.iter().enumerate().map(kind).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Column;

    #[test]
    fn cells_decide_and_the_column_where_there_are_none() {
        let [left, right] = [Column::text("a", ""), Column::number("b", "", "")];
        let limits = crate::table_of::TableOf::of([()])
            .called("t")
            .number("limit");
        let limit = limits.of(|()| None::<u64>).done().columns.remove(0);
        let kind = |column: &Column, cells: &[Cell]| {
            let mut table = Table::new("t", "", vec![column.clone()]);
            table.rows = cells.iter().map(|cell| vec![cell.clone()]).collect();
            table.kinds()[0]
        };
        let (one, half, word) = (Cell::Int(1), Cell::float(0.5, 1), Cell::from("x"));
        for (column, cells, wanted) in [
            (&left, vec![], Kind::Text),
            (&right, vec![Cell::Empty], Kind::Float),
            (&limit, vec![Cell::Empty], Kind::Int),
            (&limit, vec![half.clone()], Kind::Float),
            (&right, vec![one.clone(), Cell::Empty], Kind::Int),
            (&right, vec![one.clone(), half.clone()], Kind::Float),
            (&right, vec![half, word], Kind::Text),
            (&left, vec![one], Kind::Int),
        ] {
            assert_eq!(kind(column, &cells), wanted, "{cells:?}");
            assert_eq!(Kind::named(wanted.word()), Some(wanted));
        }
        assert_eq!(Kind::named("number"), None);
    }
}
