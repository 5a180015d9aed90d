//! Names of results: columns of tables and keys of `summary.json`, for who asks what one means.

/// A line each, sorted: the name, its tables (or `summary.json`), its heading and its meaning. A
/// test of the command line holds it against what runs write.
const NAMES: &str = include_str!("../assets/names.tsv");

/// What a column or a key of this name holds; `None` if nothing is called so. Half widths of
/// intervals are told of with the column that they are of, columns of series with their unit.
pub fn explain(name: &str) -> Option<String> {
    let told = explain_line(name);
    if told.is_some() {
        return told;
    }
    if let Some(mean) = name.strip_suffix("_ci95") {
        let lines = explain_line(mean)?;
        let half = format!("half the width of the 95 % interval of `{mean}`");
        return Some(format!("{name} (column)\n  {half}\n\n{lines}"));
    }
    let unit = name.strip_prefix("value_")?.replace('_', " ");
    let what = "what `series.measure` says, over one window, in";
    Some(format!(
        "{name} (column of `series/*.csv`)\n  {what} {unit}\n"
    ))
}

/// What the lines of a name say of it; nothing of a name without a line.
fn explain_line(name: &str) -> Option<String> {
    let mut text = String::new();
    for line in NAMES.lines() {
        let mut cells = line.split('\t');
        let (own, place) = (cells.next()?, cells.next()?);
        let (heading, meaning) = (cells.next()?, cells.next()?);
        if own != name {
            continue;
        }
        let entry = match place {
            "summary.json" => format!("{name} (key of `summary.json`)\n  {meaning}\n"),
            "trace.csv" => format!("{name} (column of `trace.csv`)\n  {heading}: {meaning}\n"),
            tables => {
                let tables: Vec<String> = tables
                    .split(' ')
                    .map(|table| format!("`tables/{table}.csv`"))
                    .collect();
                let tables = tables.join(", ");
                format!("{name} (column of {tables})\n  {heading}: {meaning}\n")
            }
        };
        text = match text.is_empty() {
            true => entry,
            false => format!("{text}\n{entry}"),
        };
    }
    (!text.is_empty()).then_some(text)
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
        assert_eq!(explain("nonsense_ci95"), None);
        for name in [
            "delay_p99_us_ci95",
            "network_latency_mean_cycles",
            "broken_promises",
            "load_carried",
            "unfinished_transfers",
            "stops_frames",
            "missing_bytes",
            "dropped_threshold_cells",
            "victim_recovery_ms",
            "acknowledges",
            "birth",
            "value_mbps",
        ] {
            assert!(explain(name).is_some(), "{name}");
        }
    }
}
