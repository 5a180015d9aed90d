//! Who sends to whom: patterns, matrices and traces.

use backwater_flit::spec::{self, LENGTH_MAX, TraceEntry};

use crate::given::flits::traffic::{Itself, Pattern};
use crate::language::files::{self, Files, Named};
use crate::prelude::*;

/// Reads a pattern and checks it against the number of terminals, if that is known.
pub(crate) fn pattern(
    given: &Chosen<Pattern>,
    terminals: Option<u64>,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Option<spec::Pattern> {
    let rule = given.sure()?;
    let needed = terminals.map_or(Ok(()), |terminals| enough(given, terminals));
    mistakes.kept(needed)?;
    Some(match rule {
        Pattern::Uniform { itself } => spec::Pattern::Uniform {
            include_self: *itself == Itself::Included,
        },
        Pattern::BitComplement => spec::Pattern::BitComplement,
        Pattern::BitReverse => spec::Pattern::BitReverse,
        Pattern::Shuffle => spec::Pattern::Shuffle,
        Pattern::Transpose => spec::Pattern::Transpose,
        Pattern::Tornado => spec::Pattern::Tornado,
        Pattern::Neighbour => spec::Pattern::Neighbour,
        Pattern::Hotspot {
            targets,
            weights,
            share,
        } => {
            mistakes.kept(exist(targets, terminals))?;
            let equal = vec![1; targets.len()];
            let weights = (weights.as_deref().unwrap_or(&equal), &weights.at);
            spec::Pattern::Hotspot {
                targets: pairs("targets", targets, weights, mistakes)?,
                share: *share,
            }
        }
        Pattern::Permutation => spec::Pattern::Permutation,
        Pattern::Matrix { rows, file } => match (&**rows, &**file) {
            (Some(given), _) => matrix(given.clone(), &rows.at, terminals, mistakes)?,
            (None, Some(name)) => {
                let text = files.read(name, &file.at, mistakes)?;
                let rows = mistakes.kept(parse_rows(&text))?;
                matrix(rows, &file.at, terminals, mistakes)?
            }
            (None, None) => return None,
        },
    })
}

/// Has the network as many terminals as the pattern needs?
fn enough(given: &Chosen<Pattern>, terminals: u64) -> Result<(), Box<Diagnostic>> {
    let is_power = terminals.is_power_of_two();
    let (needs, help) = match given.value {
        Pattern::BitComplement | Pattern::BitReverse | Pattern::Shuffle | Pattern::Transpose
            if !is_power =>
        {
            (
                "a power of two of terminals",
                "it rearranges the bits of terminal numbers",
            )
        }
        Pattern::Transpose if !terminals.trailing_zeros().is_multiple_of(2) => (
            "a square of terminals",
            "it exchanges the two halves of the bits",
        ),
        Pattern::Uniform {
            itself: Itself::Excluded,
        } if terminals == 1 => (
            "two terminals or more",
            "nobody is left to send to; `itself = \"included\"` allows it",
        ),
        Pattern::Uniform { .. }
        | Pattern::BitComplement
        | Pattern::BitReverse
        | Pattern::Shuffle
        | Pattern::Transpose
        | Pattern::Tornado
        | Pattern::Neighbour
        | Pattern::Hotspot { .. }
        | Pattern::Permutation
        | Pattern::Matrix { .. } => return Ok(()),
    };
    let word = given.word;
    Diagnostic::error("bad-pattern", format!("`{word}` needs {needs}"))
        .at(&given.at, format!("the network has {terminals}"))
        .note(help)
        .refused()
}

/// Are these terminals of the network?
fn exist(targets: &Placed<Vec<u32>>, terminals: Option<u64>) -> Result<(), Box<Diagnostic>> {
    let Some(terminals) = terminals.filter(|_| !targets.is_faulty) else {
        return Ok(());
    };
    let Some(target) = targets
        .iter()
        .find(|target| u64::from(**target) >= terminals)
    else {
        return Ok(());
    };
    Diagnostic::error("unknown-terminal", format!("there is no terminal {target}"))
        .at(&targets.at, "not all of these exist")
        .note(format!("terminals are 0 to {}", terminals - 1))
        .refused()
}

/// Each item with its weight: two lists of a table that belong together. `what` is the key of the
/// items; weights come with their place.
pub(crate) fn pairs<T: Copy>(
    what: &str,
    items: &Placed<Vec<T>>,
    (weights, weights_at): (&[u32], &At),
    mistakes: &mut Diagnostics,
) -> Option<Vec<(T, u32)>> {
    let list = items.sure()?;
    if list.len() != weights.len() {
        Diagnostic::error(
            "bad-weights",
            format!("`{what}` and `weights` differ in length"),
        )
        .at(weights_at, format!("{} weights", weights.len()))
        .at(&items.at, format!("{} {what}", list.len()))
        .help("give each its weight")
        .tell(mistakes);
        return None;
    }
    if weights.iter().all(|weight| *weight == 0) {
        Diagnostic::error("bad-weights", "all weights are 0")
            .at(weights_at, "nothing is left to choose from")
            .help("make one of them 1 or more")
            .tell(mistakes);
        return None;
    }
    Some(list.iter().copied().zip(weights.iter().copied()).collect())
}

/// Weights for each source and destination; `at` is where they come from.
fn matrix(
    rows: Vec<Vec<f64>>,
    at: &At,
    terminals: Option<u64>,
    mistakes: &mut Diagnostics,
) -> Option<spec::Pattern> {
    let terminals = terminals?;
    let complaint = if rows.len() as u64 != terminals {
        Some(format!("it has {} rows", rows.len()))
    } else {
        let mut numbered = rows.iter().enumerate();
        numbered.find_map(|(source, row)| {
            let sum: f64 = row.iter().sum();
            if row.len() as u64 != terminals {
                Some(format!("row {source} has {} weights", row.len()))
            } else if !sum.is_finite() {
                Some(format!("the weights of row {source} add up to {sum}"))
            } else {
                None
            }
        })
    };
    let is_silent = || rows.iter().flatten().all(|weight| *weight <= 0.0);
    let complaint = complaint.or_else(|| is_silent().then(|| "no weight is above 0".into()));
    if let Some(complaint) = complaint {
        Diagnostic::error("bad-matrix", "the matrix does not fit the network")
            .at(at, complaint)
            .note(format!(
                "{terminals} terminals: {terminals} rows of {terminals} weights; in a row of zeros \
                 the terminal sends nothing"
            ))
            .tell(mistakes);
        return None;
    }
    Some(spec::Pattern::Matrix(rows))
}

fn parse_rows(file: &Named) -> Result<Vec<Vec<f64>>, Box<Diagnostic>> {
    let cell = |line: u32, text: &str| match text.trim().parse::<f64>() {
        Ok(number) if number >= 0.0 && number.is_finite() => Ok(number),
        _ => {
            let what = format!(
                "`{}` is no weight",
                crate::language::reader::clip(text.trim())
            );
            Err(Box::new(file.mistake(line, &what)))
        }
    };
    file.lines()
        .map(|(number, line)| line.split(',').map(|text| cell(number, text)).collect())
        .collect()
}

/// The columns of a trace, in the order that a file without a heading has.
const COLUMNS: [&str; 4] = ["cycle", "source", "destination", "flits"];

/// Reads a trace: cycle, source, destination, flits in each line, or in the order of the heading.
pub(crate) fn trace(
    file: &Named,
    terminals: Option<u64>,
) -> Result<Vec<TraceEntry>, Box<Diagnostic>> {
    let mut list: Vec<TraceEntry> = Vec::new();
    let mut order = [0, 1, 2, 3];
    for (at, (number, line)) in file.lines().enumerate() {
        if at == 0 && files::is_heading(line) {
            order = files::heading(line, COLUMNS).map_err(|what| {
                let mistake = file.mistake(number, &what);
                Box::new(mistake.help(files::columns_help(COLUMNS)))
            })?;
            continue;
        }
        let before = list.last().map_or(0, |entry| entry.cycle);
        let entry = trace_entry(line, order, before, terminals);
        list.push(entry.map_err(|what| Box::new(file.mistake(number, &what)))?);
    }
    if list.is_empty() {
        return Err(Box::new(file.mistake(1, "no packet is in it")));
    }
    Ok(list)
}

/// One line; `order` says where each of [`COLUMNS`] stands.
fn trace_entry(
    line: &str,
    order: [usize; 4],
    before: u64,
    terminals: Option<u64>,
) -> Result<TraceEntry, String> {
    let cells = files::cells(line);
    if cells.len() != COLUMNS.len() {
        return Err(format!(
            "{} columns, not {}",
            cells.len(),
            COLUMNS.join(", ")
        ));
    }
    let [cycle, source, destination, flits] = order.map(|at| cells[at]);
    let whole = |text: &str, what: &str| {
        text.parse::<u64>()
            .map_err(|_| format!("`{}` is no {what}", crate::language::reader::clip(text)))
    };
    let terminal = |text: &str| {
        let number = whole(text, "terminal")?;
        match terminals {
            Some(terminals) if number >= terminals => Err(format!(
                "terminal {number}: they are 0 to {}",
                terminals - 1
            )),
            _ => u32::try_from(number).map_err(|_| format!("there is no terminal {number}")),
        }
    };
    let length = match u16::try_from(whole(flits, "number of flits")?) {
        Ok(length) if (1..=LENGTH_MAX).contains(&length) => length,
        _ => return Err(format!("{flits} flits: 1 to {LENGTH_MAX} are allowed")),
    };
    let cycle = whole(cycle, "cycle")?;
    if cycle < before {
        return Err(format!("cycle {cycle} comes after cycle {before}"));
    }
    Ok(TraceEntry {
        cycle,
        source: terminal(source)?,
        destination: terminal(destination)?,
        length,
    })
}
