//! What the values of a column are, for programs.

use crate::column::Align;
use crate::model::{Cell, Table};

/// What the values of a column are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Counts.
    Int,
    /// Measurements.
    Float,
    /// Words.
    Text,
}

impl Kind {
    /// The word for it in `columns.json`.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Int => "int",
            Kind::Float => "float",
            Kind::Text => "text",
        }
    }

    /// What this word stands for.
    pub fn named(word: &str) -> Option<Kind> {
        let all = [Kind::Int, Kind::Float, Kind::Text];
        all.into_iter().find(|kind| kind.word() == word)
    }
}

impl Table {
    /// Of each column: words if one of its cells holds words, else measurements if one is one.
    /// Where nothing was measured, columns of numbers are of measurements.
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
            match (ints, floats, column.align) {
                (_, true, _) => Kind::Float,
                (true, false, _) => Kind::Int,
                (false, false, Align::Right) => Kind::Float,
                (false, false, Align::Left) => Kind::Text,
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
        let kind = |column: &Column, cells: &[Cell]| {
            let mut table = Table::new("t", "", vec![column.clone()]);
            table.rows = cells.iter().map(|cell| vec![cell.clone()]).collect();
            table.kinds()[0]
        };
        let (one, half, word) = (Cell::Int(1), Cell::float(0.5, 1), Cell::from("x"));
        for (column, cells, wanted) in [
            (&left, vec![], Kind::Text),
            (&right, vec![Cell::Empty], Kind::Float),
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
