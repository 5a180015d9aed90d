//! Tables of results by columns, in the memory that Python reads them from.

use std::sync::{Arc, OnceLock};

use backwater_kernel::series::{Clock, Series};
use backwater_results::cells::Cells;
use backwater_results::{Cell, Column, Kind, Table, csv};
use backwater_run::Told;

/// Columns of one length.
pub struct Columns {
    /// Short name; empty for a column by itself.
    pub name: String,
    /// One sentence on what the rows are.
    pub caption: String,
    /// Rows.
    pub rows: usize,
    /// Left to right.
    pub columns: Vec<Arc<Values>>,
}

/// One column.
pub struct Values {
    /// What programs call it, unique in its table.
    pub key: String,
    /// Unit; empty where there is none.
    pub unit: String,
    /// What the values mean.
    pub meaning: String,
    /// They.
    pub held: Held,
    /// A bit for each value, the lowest first: 1 where there is one. `None` where all are there.
    pub validity: Option<Vec<u8>>,
    /// How many are absent.
    pub absent: usize,
    /// Counts of which some are absent, with NaN for those: once a buffer was asked for.
    pub with_nan: OnceLock<Vec<f64>>,
    /// How many there are, and how far apart in bytes, as the buffer protocol wants them.
    pub shape: [isize; 2],
}

/// The values of a column; what is absent is 0, NaN or empty.
pub enum Held {
    /// Counts.
    Ints(Vec<i64>),
    /// Measurements.
    Floats(Vec<f64>),
    /// Words: where each begins in the bytes, and where the last ends.
    Words(Vec<i64>, Vec<u8>),
    /// Instants of the series of this number.
    Instants(Arc<Told>, usize),
    /// Values of the series of this number.
    Points(Arc<Told>, usize),
}

/// The same as memory.
pub enum Memory<'a> {
    /// 64 bits each, signed.
    Ints(&'a [i64]),
    /// Instants, below 2^63 each.
    Instants(&'a [u64]),
    /// 64 bits each.
    Floats(&'a [f64]),
    /// Offsets and UTF-8.
    Words(&'a [i64], &'a [u8]),
}

/// One value for Python.
pub enum Value<'a> {
    /// A count.
    Int(i64),
    /// A measurement.
    Float(f64),
    /// Words.
    Word(&'a str),
    /// Nothing was measured.
    Absent,
}

impl Columns {
    /// The columns of a table.
    pub fn of(table: &Table) -> Columns {
        Columns::named(table, table.keys(), &table.kinds())
    }

    /// The columns of a table that was read back, each with its name and type.
    pub fn read(
        name: &str,
        caption: String,
        columns: Vec<(String, Column, Kind)>,
        cells: &Cells,
    ) -> Columns {
        let columns = columns.into_iter().enumerate();
        let columns = columns.map(|(at, (key, column, kind))| {
            let texts = cells.iter().map(move |row| row.get(at).unwrap_or(""));
            Arc::new(Values::read(key, column, kind, texts))
        });
        Columns {
            name: name.into(),
            caption,
            columns: columns.collect(),
            rows: cells.len(),
        }
    }

    /// The columns of a table, with these names and types.
    fn named(table: &Table, keys: Vec<String>, kinds: &[Kind]) -> Columns {
        let columns = table.columns.iter().zip(kinds).zip(keys).enumerate();
        let columns = columns.map(|(index, ((column, kind), key))| {
            let cells = table.rows.iter();
            let cells = cells.map(|row| row.get(index).unwrap_or(&Cell::Empty));
            let cells: Vec<&Cell> = cells.collect();
            Arc::new(Values::of(key, column, *kind, &cells))
        });
        Columns {
            name: table.name.clone(),
            caption: table.caption.clone(),
            rows: table.rows.len(),
            columns: columns.collect(),
        }
    }

    /// The series of this number, in the memory that it was recorded in.
    pub fn of_series(told: &Arc<Told>, index: usize) -> Columns {
        let series = &told.series[index];
        let (key, unit) = match series.clock {
            Clock::Picoseconds => ("time_ps", "ps"),
            Clock::Cycles => ("cycle", "cycles"),
        };
        let at = Values::whole(
            key.into(),
            unit.into(),
            "instant, from the start of the run".into(),
            Held::Instants(Arc::clone(told), index),
            vec![true; series.x.len()],
        );
        let y = Values::whole(
            backwater_results::key("value", series.unit),
            series.unit.into(),
            meaning(series).into(),
            Held::Points(Arc::clone(told), index),
            series.y.iter().map(|value| value.is_finite()).collect(),
        );
        Columns {
            name: series.name.clone(),
            caption: format!("The time series `{}`.", series.name),
            rows: series.x.len(),
            columns: vec![Arc::new(at), Arc::new(y)],
        }
    }

    /// The same with these rows only, each below the number of rows.
    pub fn take(&self, rows: &[usize]) -> Columns {
        let columns = self.columns.iter();
        Columns {
            columns: columns.map(|one| Arc::new(one.take(rows))).collect(),
            rows: rows.len(),
            ..self.headings()
        }
    }

    /// Name and caption without columns.
    pub fn headings(&self) -> Columns {
        Columns {
            name: self.name.clone(),
            caption: self.caption.clone(),
            rows: self.rows,
            columns: Vec::new(),
        }
    }

    /// The column of this name.
    pub fn find(&self, key: &str) -> Option<&Arc<Values>> {
        self.columns.iter().find(|column| column.key == key)
    }
}

fn meaning(series: &Series) -> &'static str {
    match series.step {
        true => "value from this instant to the next",
        false => "mean over the window around this instant, or the value at it",
    }
}

impl Values {
    /// Of cells as text, empty where nothing was measured.
    fn read<'a>(
        key: String,
        column: Column,
        kind: Kind,
        texts: impl Iterator<Item = &'a str> + Clone,
    ) -> Values {
        let (mut is_there, all) = (Vec::new(), texts.clone());
        let held = match kind {
            Kind::Text => {
                is_there.extend(texts.map(|text| !text.is_empty()));
                let (mut offsets, mut bytes) = (vec![0], Vec::new());
                for text in all {
                    bytes.extend(text.bytes());
                    offsets.push(bytes.len() as i64);
                }
                Held::Words(offsets, bytes)
            }
            Kind::Int => {
                is_there.extend(texts.map(|text| text.parse::<i64>().is_ok()));
                Held::Ints(all.map(|text| text.parse().unwrap_or(0)).collect())
            }
            Kind::Float => {
                let value = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
                is_there.extend(texts.map(|text| value(text).is_finite()));
                Held::Floats(all.map(value).collect())
            }
        };
        Values::whole(key, column.unit, column.meaning, held, is_there)
    }

    /// Of cells.
    fn of(key: String, column: &Column, kind: Kind, cells: &[&Cell]) -> Values {
        let held = match kind {
            Kind::Text => words(cells),
            Kind::Int => Held::Ints(cells.iter().map(|cell| count(cell)).collect()),
            Kind::Float => Held::Floats(cells.iter().map(|cell| measurement(cell)).collect()),
        };
        let is_there = |cell: &&Cell| match cell {
            Cell::Empty => false,
            Cell::Float { value, .. } => value.is_finite(),
            Cell::Text(_) | Cell::Int(_) => true,
        };
        Values::whole(
            key,
            column.unit.clone(),
            column.meaning.clone(),
            held,
            cells.iter().map(is_there).collect(),
        )
    }

    fn whole(
        key: String,
        unit: String,
        meaning: String,
        held: Held,
        is_there: Vec<bool>,
    ) -> Values {
        let absent = is_there.iter().filter(|is_there| !**is_there).count();
        let eight = |part: &[bool]| {
            let bits = part.iter().enumerate();
            bits.fold(0, |byte, (bit, there)| byte | u8::from(*there) << bit)
        };
        Values {
            key,
            unit,
            meaning,
            held,
            validity: (absent > 0).then(|| is_there.chunks(8).map(eight).collect()),
            absent,
            with_nan: OnceLock::new(),
            shape: [is_there.len() as isize, 8],
        }
    }

    /// The same of these rows only, each below the number of values.
    pub fn take(&self, rows: &[usize]) -> Values {
        let all = rows.iter().copied();
        let held = match self.memory() {
            Memory::Ints(values) => Held::Ints(all.map(|row| values[row]).collect()),
            Memory::Instants(values) => Held::Ints(all.map(|row| values[row] as i64).collect()),
            Memory::Floats(values) => Held::Floats(all.map(|row| values[row]).collect()),
            Memory::Words(begins, text) => {
                let (mut offsets, mut bytes) = (vec![0], Vec::new());
                for row in all {
                    bytes.extend(&text[begins[row] as usize..begins[row + 1] as usize]);
                    offsets.push(bytes.len() as i64);
                }
                Held::Words(offsets, bytes)
            }
        };
        let is_there = |row: &usize| !matches!(self.get(*row), Value::Absent);
        Values::whole(
            self.key.clone(),
            self.unit.clone(),
            self.meaning.clone(),
            held,
            rows.iter().map(is_there).collect(),
        )
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.shape[0] as usize
    }

    /// As memory.
    pub fn memory(&self) -> Memory<'_> {
        match &self.held {
            Held::Ints(values) => Memory::Ints(values),
            Held::Floats(values) => Memory::Floats(values),
            Held::Words(offsets, bytes) => Memory::Words(offsets, bytes),
            Held::Instants(told, index) => Memory::Instants(&told.series[*index].x),
            Held::Points(told, index) => Memory::Floats(&told.series[*index].y),
        }
    }

    /// As measurements, NaN where a value is absent.
    pub fn with_nan(&self) -> &[f64] {
        let float = |row| match self.get(row) {
            Value::Int(count) => count as f64,
            Value::Float(value) => value,
            Value::Word(_) | Value::Absent => f64::NAN,
        };
        let floats = || (0..self.len()).map(float).collect();
        self.with_nan.get_or_init(floats)
    }

    /// The value of a row.
    pub fn get(&self, row: usize) -> Value<'_> {
        let bits = self.validity.as_ref();
        if bits.is_some_and(|bits| bits[row / 8] >> (row % 8) & 1 == 0) {
            return Value::Absent;
        }
        match self.memory() {
            Memory::Ints(values) => Value::Int(values[row]),
            Memory::Instants(values) => Value::Int(values[row] as i64),
            Memory::Floats(values) => Value::Float(values[row]),
            Memory::Words(offsets, bytes) => {
                let word = &bytes[offsets[row] as usize..offsets[row + 1] as usize];
                Value::Word(std::str::from_utf8(word).unwrap_or_default())
            }
        }
    }

    /// What the values are, in one word of Arrow's.
    pub fn type_name(&self) -> &'static str {
        match self.memory() {
            Memory::Ints(_) | Memory::Instants(_) => "int64",
            Memory::Floats(_) => "float64",
            Memory::Words(..) => "large_string",
        }
    }
}

fn count(cell: &Cell) -> i64 {
    match cell {
        Cell::Int(count) => *count,
        Cell::Text(_) | Cell::Float { .. } | Cell::Empty => 0,
    }
}

fn measurement(cell: &Cell) -> f64 {
    match cell {
        Cell::Float { value, .. } => *value,
        Cell::Int(count) => *count as f64,
        Cell::Text(_) | Cell::Empty => f64::NAN,
    }
}

fn words(cells: &[&Cell]) -> Held {
    let (mut offsets, mut bytes) = (vec![0], Vec::new());
    for cell in cells {
        match cell {
            Cell::Text(text) => bytes.extend(text.bytes()),
            other => bytes.extend(csv::value(other).bytes()),
        }
        offsets.push(bytes.len() as i64);
    }
    Held::Words(offsets, bytes)
}
