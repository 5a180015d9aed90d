//! What a report is made of: tables, plots and the blocks around them. Plain data, no layout.

mod block;
mod plot;

pub use crate::column::{Align, Column};
use crate::drawn::OverTime;
use crate::number::fitting_unit;
use plot::largest;

/// A table: shown in reports, written as CSV.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Short name; also the CSV file's name.
    pub name: String,
    /// One sentence on what the rows are.
    pub caption: String,
    /// Left to right.
    pub columns: Vec<Column>,
    /// Each as long as `columns`; missing cells count as empty.
    pub rows: Vec<Vec<Cell>>,
}

/// What a page shows of a table: its first rows, and the columns that say something of any row.
#[derive(Clone, Debug)]
pub struct Excerpt {
    /// These.
    pub(crate) table: Table,
    /// Rows of the whole table.
    pub(crate) of: usize,
    /// For each column: the unit in which the numbers of all rows are read best, where that is
    /// another, and how many of it make one of the column's own.
    pub(crate) units: Vec<Option<(&'static str, f64)>>,
}

/// Rows that a page shows; the CSV file in the run directory has all.
const ROWS_SHOWN: usize = 2000;

/// One value of a table.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A count.
    Int(i64),
    /// A measurement; CSV keeps all of it, reports show `digits` decimals.
    Float {
        /// The value.
        value: f64,
        /// Decimals shown.
        digits: u8,
        /// The true value is no smaller, and may be larger; shown with a sign, in files without.
        at_least: bool,
    },
    /// Nothing was measured.
    #[default]
    Empty,
}

/// A chart.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// Unique in its report; also the name of the SVG file.
    pub id: String,
    /// Heading.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// In the order of the legend.
    pub curves: Vec<Curve>,
    /// What to see in it; empty for nothing.
    pub note: String,
    /// Reference lines.
    pub marks: Vec<Mark>,
}

/// An axis of a plot.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// What runs along it.
    pub label: String,
    /// Unit; empty where there is none.
    pub unit: String,
    /// Fixed lower end.
    pub min: Option<f64>,
    /// Fixed upper end.
    pub max: Option<f64>,
    /// Logarithmic; values of zero and below are left out.
    pub log: bool,
    /// Labelled at these values, ascending; at round ones if empty.
    pub at: Vec<f64>,
    /// What stands at 1, 2, 3 and so on instead of the number, where there is room.
    pub names: Vec<String>,
    /// A second unit the reader can switch to.
    pub other: Option<OtherUnit>,
    /// Time of the run from its start, of which one unit is so many steps of its clock.
    pub steps: Option<f64>,
}

/// A second unit of an axis.
#[derive(Clone, Debug)]
pub struct OtherUnit {
    /// Its name, such as "us".
    pub unit: String,
    /// How many of it make one of the axis' own unit.
    pub per_unit: f64,
}

/// One curve of a plot.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// As the legend calls it.
    pub name: String,
    /// Ascending.
    pub x: Vec<f64>,
    /// As long as `x`; what isn't finite is left out.
    pub y: Vec<f64>,
    /// How it is drawn.
    pub style: Style,
    /// Dashed, for values that were not measured (printed, computed).
    pub dashed: bool,
    /// Low and high end of the interval of each `y`.
    pub interval: Option<(Vec<f64>, Vec<f64>)>,
    /// Of [`Style::Spans`], where on the horizontal axis each one ends.
    pub until: Vec<f64>,
}

/// How a curve is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// From point to point.
    #[default]
    Line,
    /// Each value holds until the next.
    Step,
    /// Dots alone.
    Points,
    /// A bar a value.
    Bars,
    /// From `x` to `until`, at `y`.
    Spans,
}

/// A reference line.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Which way it runs.
    pub direction: Direction,
    /// Where: a `y` for a horizontal line, an `x` for a vertical one.
    pub at: f64,
    /// Written beside it.
    pub label: String,
}

/// Which way a reference line runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// At one `y`.
    Horizontal,
    /// At one `x`.
    Vertical,
}

/// A piece of a report.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a report holds tens of blocks; plain variants keep callers simple"
)]
pub enum Block {
    /// A section starts.
    Heading {
        /// 2 for a section, 3 and 4 below it.
        level: u8,
        /// Its words.
        text: String,
    },
    /// Paragraphs, parted by empty lines; `words between backticks` are code.
    Text(String),
    /// A sentence that must not be missed.
    Note {
        /// How urgent.
        tone: Tone,
        /// Like [`Block::Text`].
        text: String,
    },
    /// A strip of numbers that matter most.
    Facts(Vec<Fact>),
    /// A table.
    Table(Table),
    /// What is shown of one.
    Excerpt(Excerpt),
    /// A plot.
    Plot(Plot),
    /// Two sections: the map of the network, and its ports over time.
    OverTime(Box<OverTime>),
    /// Text as it is.
    Code {
        /// Language, shown as a label; empty for none.
        lang: String,
        /// The text.
        text: String,
    },
    /// Statements and how they fared.
    Verdicts(Vec<VerdictRow>),
    /// Other pages of the same directory, and a few words on each.
    Links(Vec<Link>),
    /// Side by side where there is room, else one below the other.
    Columns(Vec<Vec<Block>>),
    /// Shown when asked for.
    Fold {
        /// What is behind it.
        summary: String,
        /// What it shows.
        blocks: Vec<Block>,
    },
}

/// Another page of the same directory.
#[derive(Clone, Debug)]
pub struct Link {
    /// Its file.
    pub file: String,
    /// What it is called.
    pub title: String,
    /// What is there; empty for nothing.
    pub detail: String,
}

/// How urgent a note is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// Good to know.
    Plain,
    /// Look twice.
    Warning,
    /// Something broke.
    Problem,
}

/// A number that matters.
#[derive(Clone, Debug)]
pub struct Fact {
    /// What it is.
    pub label: String,
    /// The number with its unit.
    pub value: String,
    /// A remark below it; empty for none.
    pub detail: String,
}

/// How a statement fared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Measured within the bounds.
    Agrees,
    /// Outside, for a known reason.
    Differs,
    /// Outside, for no known reason.
    Failed,
}

/// One statement, what was measured and how it fared.
#[derive(Clone, Debug)]
pub struct VerdictRow {
    /// Its id.
    pub id: String,
    /// Where it is printed.
    pub figure: String,
    /// What it says.
    pub states: String,
    /// The printed value.
    pub paper: String,
    /// What was measured.
    pub values: Vec<VerdictValue>,
    /// How it fared.
    pub verdict: Verdict,
    /// Why it differs, under which reading it holds.
    pub remarks: Vec<String>,
}

/// A measured number of a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerdictValue {
    /// What it is; empty where the statement says it.
    pub name: String,
    /// The number, with its interval.
    pub value: String,
    /// The bounds; empty for none.
    pub accept: String,
}

/// A report: one self-contained page.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Heading of the page.
    pub title: String,
    /// A line below it.
    pub subtitle: String,
    /// The command that makes it again.
    pub command: String,
    /// Version of the program that made it.
    pub version: String,
    /// Top to bottom.
    pub blocks: Vec<Block>,
}

impl Table {
    /// A table without rows.
    pub fn new(name: impl Into<String>, caption: impl Into<String>, columns: Vec<Column>) -> Table {
        Table {
            name: name.into(),
            caption: caption.into(),
            columns,
            rows: Vec::new(),
        }
    }

    /// The names that programs know its columns by, each once: the second `load` is `load_2`.
    pub fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        for column in &self.columns {
            let key = column.key();
            let numbered = (2..).map(|number| format!("{key}_{number}"));
            let mut names = std::iter::once(key.clone()).chain(numbered);
            keys.extend(names.find(|name| !keys.contains(name)));
        }
        keys
    }

    /// What a page shows of it.
    pub(crate) fn excerpt(&self) -> Excerpt {
        let (table, kept) = self.without_empty_columns();
        let units = self.fitting_units();
        Excerpt {
            table,
            of: self.rows.len(),
            units: kept.iter().map(|at| units[*at]).collect(),
        }
    }

    /// The first rows without the columns that say nothing of any row, and the others' numbers.
    fn without_empty_columns(&self) -> (Table, Vec<usize>) {
        let says = |at: usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(at));
            cells.any(|cell| match cell {
                Cell::Empty => false,
                Cell::Text(text) => !text.is_empty(),
                Cell::Float { value, .. } => value.is_finite(),
                Cell::Int(_) => true,
            })
        };
        let kept = (0..self.columns.len()).filter(|at| self.rows.is_empty() || says(*at));
        let kept: Vec<usize> = kept.collect();
        let cells = |row: &Vec<Cell>| kept.iter().filter_map(|at| row.get(*at).cloned()).collect();
        let table = Table {
            name: self.name.clone(),
            caption: self.caption.clone(),
            columns: kept.iter().map(|at| self.columns[*at].clone()).collect(),
            rows: self.rows.iter().take(ROWS_SHOWN).map(cells).collect(),
        };
        (table, kept)
    }

    /// For each column: the unit in which its numbers are read best, where that is another, and
    /// how many of it make one of the column's own.
    fn fitting_units(&self) -> Vec<Option<(&'static str, f64)>> {
        let fit = |(index, column): (usize, &Column)| {
            let cells = self.rows.iter().filter_map(|row| row.get(index));
            let floats = cells.filter_map(|cell| match cell {
                Cell::Float { value, .. } => Some(value),
                _ => None,
            });
            fitting_unit(&column.unit, largest(floats))
        };
        self.columns.iter().enumerate().map(fit).collect()
    }
}

impl Cell {
    /// A measurement shown with `digits` decimals.
    pub fn float(value: f64, digits: u8) -> Cell {
        Cell::Float {
            value,
            digits,
            at_least: false,
        }
    }

    /// A measurement that is a bound from below, shown with `digits` decimals.
    pub fn at_least(value: f64, digits: u8) -> Cell {
        Cell::Float {
            value,
            digits,
            at_least: true,
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Cell {
        Cell::Int(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<u32> for Cell {
    fn from(count: u32) -> Cell {
        Cell::Int(i64::from(count))
    }
}

impl From<i64> for Cell {
    fn from(count: i64) -> Cell {
        Cell::Int(count)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Empty, Into::into)
    }
}

#[cfg(test)]
mod tests;
