//! Names of results: columns of tables and keys of `summary.json`, for who asks what one means.

/// A line each, sorted: the name, its tables (or `summary.json`), its heading and its meaning. A
/// test of the command line holds it against what runs write.
const NAMES: &str = include_str!("../assets/names.tsv");

/// What a column or a key of this name holds; `None` if nothing is called so.
pub fn explain(name: &str) -> Option<String> {
    let mut told = String::new();
    for line in NAMES.lines() {
        let mut cells = line.split('\t');
        let (own, place) = (cells.next()?, cells.next()?);
        let (heading, meaning) = (cells.next()?, cells.next()?);
        if own != name {
            continue;
        }
        let entry = match place {
            "summary.json" => format!("{name} (key of `summary.json`)\n  {meaning}\n"),
            tables => {
                let tables: Vec<String> = tables
                    .split(' ')
                    .map(|table| format!("`tables/{table}.csv`"))
                    .collect();
                let tables = tables.join(", ");
                format!("{name} (column of {tables})\n  {heading}: {meaning}\n")
            }
        };
        told = match told.is_empty() {
            true => entry,
            false => format!("{told}\n{entry}"),
        };
    }
    (!told.is_empty()).then_some(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_four_cells_in_order() {
        let lines: Vec<&str> = NAMES.lines().collect();
        assert!(lines.is_sorted() && lines.len() > 400);
        assert!(lines.iter().all(|line| line.split('\t').count() == 4));
    }

    #[test]
    fn columns_and_keys_are_explained() {
        let delay = explain("delay_p99_us").expect("a column");
        assert!(delay.contains("`tables/delays.csv`"), "{delay}");
        let hash = explain("trace_hash").expect("a key");
        assert!(hash.contains("key of `summary.json`"), "{hash}");
        assert_eq!(explain("nonsense"), None);
    }
}
