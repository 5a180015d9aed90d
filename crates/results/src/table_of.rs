//! Tables whose columns say what they hold of a row: words, unit, meaning and value in one place.

use crate::column::{Align, Column, Kind};
use crate::kind::Held;
use crate::model::{Cell, Table};

/// A table on its way, with a line for each of the things it tells of.
pub struct TableOf<R> {
    table: Table,
    rows: Vec<R>,
}

/// A column on its way.
pub struct Declared<R> {
    table: TableOf<R>,
    column: Column,
}

impl<R> TableOf<R> {
    /// Of these, without a column.
    pub fn of(rows: impl IntoIterator<Item = R>) -> TableOf<R> {
        let rows: Vec<R> = rows.into_iter().collect();
        let mut table = Table::new("", "", Vec::new());
        table.rows = rows.iter().map(|_| Vec::new()).collect();
        TableOf { table, rows }
    }

    /// Its name and, behind a colon, its caption: `nodes: What each node held.`
    pub fn called(mut self, told: impl AsRef<str>) -> Self {
        call(&mut self.table, told.as_ref());
        self
    }

    /// A column; what it holds comes next.
    pub fn column(self, column: Column) -> Declared<R> {
        Declared {
            table: self,
            column,
        }
    }

    /// A column of words, declared as [`Column::declared`] has it: `flow: name in the scenario`.
    pub fn text(self, told: impl AsRef<str>) -> Declared<R> {
        let column = Column::declared(told.as_ref());
        self.column(Column {
            align: Align::Left,
            ..column
        })
    }

    /// A column of numbers, declared likewise: `sent [cells]: after the warm-up`.
    pub fn number(self, told: impl AsRef<str>) -> Declared<R> {
        self.column(Column::declared(told.as_ref()))
    }

    /// The last column is headed like this in a terminal.
    pub fn short(mut self, heading: &str) -> Self {
        if let Some(column) = self.table.columns.last_mut() {
            column.short = heading.into();
        }
        self
    }

    /// Columns that belong together, with what they hold of each; nothing in all of them where
    /// there are no values.
    pub fn columns(mut self, columns: Vec<Column>, values: impl Fn(&R) -> Vec<Cell>) -> Self {
        let TableOf { table, rows } = &mut self;
        add_all(table, columns, &|line| values(&rows[line]));
        self
    }

    /// The table.
    pub fn done(self) -> Table {
        debug_assert!(!self.table.name.is_empty(), "a table has a name: `called`");
        self.table
    }
}

impl<R> Declared<R> {
    /// What the column holds of each row.
    pub fn of<C: Held>(mut self, value: impl Fn(&R) -> C) -> TableOf<R> {
        let TableOf { table, rows } = &mut self.table;
        add(table, self.column, C::KIND, &|line| {
            value(&rows[line]).into()
        });
        self.table
    }

    /// What the column holds of each row; without the column where it says nothing of any row.
    pub fn if_any<C: Held>(self, value: impl Fn(&R) -> C) -> TableOf<R> {
        let nothing = [Cell::Empty, "".into()];
        let mut rows = self.table.rows.iter();
        match rows.all(|row| nothing.contains(&value(row).into())) {
            true => self.table,
            false => self.of(value),
        }
    }
}

/// Name and caption.
fn call(table: &mut Table, told: &str) {
    let (name, caption) = told.split_once(": ").unwrap_or((told, ""));
    (table.name, table.caption) = (name.into(), caption.into());
}

/// Adds a column and its cell of each line. Compiled once, not for each column of the program.
fn add(table: &mut Table, column: Column, kind: Option<Kind>, cell: &dyn Fn(usize) -> Cell) {
    table.columns.push(Column { kind, ..column });
    for (number, line) in table.rows.iter_mut().enumerate() {
        line.push(cell(number));
    }
}

/// The same of several columns.
fn add_all(table: &mut Table, columns: Vec<Column>, cells: &dyn Fn(usize) -> Vec<Cell>) {
    let count = columns.len();
    table.columns.extend(columns);
    for (number, line) in table.rows.iter_mut().enumerate() {
        let mut values = cells(number);
        debug_assert!([0, count].contains(&values.len()), "a cell for each column");
        values.resize(count, Cell::Empty);
        line.extend(values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_what_its_columns_say_of_its_row() {
        let rows = [(String::from("a"), 3), (String::from("b"), 0)];
        let half = |count: u32| Cell::float(f64::from(count) / 2.0, 1);
        let several = vec![Column::text("c", ""), Column::text("d", "")];
        let table = TableOf::of(rows)
            .called("t: What.")
            .text("name")
            .of(|(name, _)| name.clone())
            .number("count [cells]")
            .of(|(_, count)| *count)
            .number("half")
            .of(|(_, count)| half(*count))
            .columns(several, |(name, count)| {
                vec![(*count).into(), name.clone().into()]
            })
            .done();
        assert_eq!(table.keys(), ["name", "count_cells", "half", "c", "d"]);
        let line = |name: &str, count: u32| -> Vec<Cell> {
            vec![
                name.into(),
                count.into(),
                half(count),
                count.into(),
                name.into(),
            ]
        };
        assert_eq!(table.rows, [line("a", 3), line("b", 0)]);
        assert_eq!((&*table.name, &*table.caption), ("t", "What."));
    }
}
