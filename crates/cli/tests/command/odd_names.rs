//! Names that would do something to a terminal, a reader or a spreadsheet.

use std::fs;

use crate::support::{Ran, backwater, figure_17, folder};

/// Moves the cursor, rings, turns the direction of writing, starts a line.
const ODD: &str = "a\u{1b}[2J\u{7}\u{202e}b\nc";
const SHOWN: &str = "a\\u{1b}[2J\\u{7}\\u{202e}b\\u{a}c";

fn is_clean(ran: &Ran) {
    for text in [&ran.out, &ran.err] {
        let odd = |letter: char| letter.is_control() && letter != '\n' || letter == '\u{202e}';
        assert!(!text.contains(odd), "{text:?}");
    }
}

#[test]
fn names_of_files_are_shown_and_not_obeyed() {
    let here = folder("odd-files");
    let name = format!("{ODD}.toml");
    for command in ["check", "run", "sweep", "compare"] {
        let ran = backwater(&here, &[command, &name]).expect(2);
        is_clean(&ran);
        ran.complains(SHOWN);
    }
    fs::copy(figure_17(), here.join(&name)).expect("a copy");
    let ran = backwater(&here, &["check", &name]).expect(0);
    is_clean(&ran);
    assert!(
        ran.out.contains(&format!("{SHOWN}.toml: valid")),
        "{}",
        ran.out
    );
    let ran = backwater(&here, &["run", &name]).expect(0);
    is_clean(&ran);
    assert!(ran.out.contains(SHOWN), "{}", ran.out);
    let ran = backwater(&here, &["check", &name, "--set", "run.seed=x"]).expect(2);
    is_clean(&ran);
    let ran = backwater(&here, &["compare", &name]).expect(2);
    is_clean(&ran);
    fs::write(here.join(&name), "[run\n").expect("a file");
    let ran = backwater(&here, &["check", &name]).expect(2);
    is_clean(&ran);
    ran.complains(SHOWN);
}

#[test]
fn names_in_scenarios_are_refused_with_their_place() {
    let here = folder("odd-words");
    let text = fs::read_to_string(figure_17()).expect("a scenario");
    for odd in [
        "\\u202e", "\\u2066", "\\u200f", "\\u061c", "\\u001b", "\\u009b",
    ] {
        let name = format!("\"VC1{odd}\"");
        fs::write(here.join("odd.toml"), text.replace("\"VC1\"", &name)).expect("a file");
        let ran = backwater(&here, &["check", "odd.toml"]).expect(2);
        is_clean(&ran);
        ran.complains("bad-name").complains("odd.toml:");
    }
    let small = crate::comparing::SMALL.replacen("from = \"A\"", "from = \"A\\nB\"", 1);
    fs::write(here.join("small.toml"), small).expect("a file");
    let ran = backwater(&here, &["check", "small.toml"]).expect(2);
    ran.complains("there is no host `A\\nB`");
}

#[test]
fn no_table_holds_a_formula() {
    let here = folder("odd-formulas");
    let text = fs::read_to_string(figure_17()).expect("a scenario");
    for (flow, cell) in [("VC1", "=1+1"), ("VC2", "@x"), ("VC3", "+y"), ("VC4", "-z")] {
        let text = text.replace(&format!("\"{flow}\""), &format!("\"{cell}\""));
        fs::write(here.join("odd.toml"), text).expect("a file");
        let run = ["run", "odd.toml", "--out", "out", "--trace", "csv"];
        backwater(&here, &run).expect(0);
        let tables = fs::read_dir(here.join("out/tables"))
            .expect("tables")
            .flatten();
        let paths = tables.map(|entry| entry.path());
        let mut seen = 0;
        for path in paths.chain([here.join("out/trace.csv")]) {
            let table = fs::read_to_string(&path).expect("a table");
            let cells = table.lines().flat_map(|line| line.split(','));
            for cell in cells.map(|cell| cell.trim_matches('"')) {
                let is_formula = cell.starts_with(['=', '+', '-', '@']) && cell != "-";
                let is_number = cell.parse::<f64>().is_ok();
                assert!(!is_formula || is_number, "{path:?}: {cell}");
            }
            seen += usize::from(table.contains(&format!("'{cell}")));
        }
        assert!(seen > 2, "{cell} is in {seen} tables");
    }
}
