//! Tables that were written, read back: all cells in one piece of memory, so that a table takes
//! little more of it than its file.

use crate::csv::{Piece, pieces};
use backwater_kernel::words::counted;

/// The cells of a table, row by row.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    text: String,
    /// Where each cell ends in the text.
    ends: Vec<u32>,
    width: usize,
}

/// A row of them.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    of: &'a Cells,
    first: usize,
}

impl Cells {
    /// Those below the heading of a text, each row of so many.
    ///
    /// # Errors
    /// If a row has more or fewer, or there are more than `most` rows.
    pub fn read(text: &str, width: usize, most: usize) -> Result<Cells, String> {
        if u32::try_from(text.len()).is_err() {
            return Err("it is larger than any table".into());
        }
        let mut cells = Cells {
            width,
            ..Cells::default()
        };
        let (mut line, mut in_row) = (0_usize, 0_usize);
        let mut wrong = None;
        pieces(text, |piece| {
            match piece {
                Piece::Cell(cell) => {
                    in_row += 1;
                    if line > 0 {
                        cells.push(cell);
                    }
                }
                Piece::End => {
                    line += 1;
                    let count = std::mem::take(&mut in_row);
                    if count != width && line > 1 {
                        wrong = Some(format!(
                            "line {line} has {}, not {width}",
                            counted(count, "cell")
                        ));
                    } else if line > most.saturating_add(1) {
                        wrong = Some(format!(
                            "it has more than {most} rows, the most that are read"
                        ));
                    }
                }
            }
            wrong.is_none()
        });
        wrong.map_or(Ok(cells), Err)
    }

    /// A single row.
    pub fn row(cells: impl Iterator<Item = String>) -> Cells {
        let mut row = Cells::default();
        cells.for_each(|cell| row.push(&cell));
        row.width = row.ends.len();
        row
    }

    fn push(&mut self, cell: &str) {
        self.text.push_str(cell);
        self.ends.push(self.text.len() as u32);
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.ends.len() / self.width.max(1)
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row at this place.
    pub fn at(&self, row: usize) -> Row<'_> {
        Row {
            of: self,
            first: row * self.width,
        }
    }

    /// Row by row.
    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> + Clone {
        (0..self.len()).map(|row| self.at(row))
    }
}

impl<'a> Row<'a> {
    /// The cell in this column.
    pub fn get(self, column: usize) -> Option<&'a str> {
        let at = (column < self.of.width).then_some(self.first + column)?;
        let begin = at.checked_sub(1).map_or(0, |before| self.of.ends[before]);
        self.of
            .text
            .get(begin as usize..*self.of.ends.get(at)? as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_back_row_by_row() {
        let cells = Cells::read("a,b\r\n1,\"x,\"\"y\"\r\n,'=1\r\n", 2, 10).expect("it is whole");
        let rows: Vec<[Option<&str>; 3]> = cells
            .iter()
            .map(|row| [0, 1, 2].map(|at| row.get(at)))
            .collect();
        let wanted = [
            [Some("1"), Some("x,\"y"), None],
            [Some(""), Some("=1"), None],
        ];
        assert_eq!(rows, wanted);
        assert!(Cells::read("", 2, 10).is_ok_and(|cells| cells.is_empty()));
    }

    #[test]
    fn what_is_no_such_table_is_refused() {
        let told = Cells::read("a,b\n1,2\n3\n", 2, 10).expect_err("too few");
        assert_eq!(told, "line 3 has 1 cell, not 2");
        let told = Cells::read("a\n1\n2\n3\n", 1, 2).expect_err("too many");
        assert_eq!(told, "it has more than 2 rows, the most that are read");
    }
}
