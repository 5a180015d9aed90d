//! Overlays of made-up directories.

use serde_json::json;

use super::*;

fn column(name: &str, heading: &str, unit: &str) -> Value {
    json!({ "name": name, "heading": heading, "unit": unit, "meaning": "" })
}

fn sweep(name: &str, text: &str) -> Results {
    let columns = json!({ "tables/summary.csv": { "columns": [
        column("load", "load", ""),
        column("vcs", "VCs", ""),
        column("seeds", "seeds", ""),
        column("latency_mean_cycles", "latency mean", "cycles"),
        column("latency_mean_cycles_ci95", "latency mean ± 95 %", "cycles"),
        column("saturated", "saturated", ""),
    ] } });
    let mut results = Results {
        name: name.into(),
        is_sweep: true,
        ..Results::default()
    };
    let head = "load,vcs,seeds,latency_mean_cycles,latency_mean_cycles_ci95,saturated\n";
    let read = results.read_tables(&columns, |_| Some(format!("{head}{text}")));
    read.expect("as it was written");
    results
}

fn run(name: &str, n3: &str, rows: &str) -> Results {
    let columns = json!({ "tables/flows.csv": { "columns": [
        column("flow", "flow", ""),
        column("throughput_mbps", "throughput", "Mbps"),
    ] } });
    let mut results = Results {
        name: name.into(),
        keys: vec![
            ("flow_control.n3".into(), n3.into()),
            ("run.seed".into(), "1".into()),
        ],
        ..Results::default()
    };
    let text = format!("flow,throughput_mbps\n{rows}");
    let read = results.read_tables(&columns, |_| Some(text.clone()));
    read.expect("as it was written");
    results.read_series(
        ("queue", "queue"),
        "time_ps,value_cells\n0,1\n1000000000,3\n",
    );
    results
}

fn names(plot: &Plot) -> Vec<&str> {
    plot.curves
        .iter()
        .map(|curve| curve.name.as_str())
        .collect()
}

#[test]
fn sweeps_lie_over_each_other_and_legends_show_what_varies() {
    let one = sweep(
        "mesh",
        "0.1,2,3,10,1,0\n0.2,2,3,20,,0\n0.3,2,3,900,9,1\n0.1,4,3,9,1,0\n",
    );
    let other = sweep("torus", "0.2,2,1,7,,0\n0.1,2,1,6,,0\n");
    let found = overlay(&[one.clone(), other], None, None).expect("it is drawn");
    let [plot] = found.plots.as_slice() else {
        panic!("one plot")
    };
    assert_eq!(
        names(plot),
        ["mesh, VCs = 2", "mesh, VCs = 4", "torus, VCs = 2"]
    );
    assert_eq!(
        (&plot.curves[0].x, &plot.curves[0].y),
        (&vec![0.1, 0.2], &vec![10.0, 20.0])
    );
    assert_eq!(
        plot.curves[0].interval,
        Some((vec![9.0, 20.0], vec![11.0, 20.0]))
    );
    assert_eq!(plot.curves[2].x, [0.1, 0.2], "ascending");
    assert!(plot.note.contains("beyond saturation"));
    assert_eq!(found.tables[0].rows.len(), 5);
    let over_vcs = overlay(
        std::slice::from_ref(&one),
        Some("latency_mean"),
        Some("vcs"),
    )
    .expect("drawn");
    assert_eq!(names(&over_vcs.plots[0]), ["load = 0.1", "load = 0.2"]);
    let wrong =
        overlay(std::slice::from_ref(&one), Some("goodput"), None).expect_err("no such column");
    assert!(
        wrong.known.contains(&"latency_mean_cycles".into()),
        "{wrong:?}"
    );
    let wrong = overlay(std::slice::from_ref(&one), None, Some("depth")).expect_err("no such axis");
    assert_eq!(wrong.known, ["load", "vcs"]);
    let mixed = overlay(&[one, run("a", "1", "")], None, None).expect_err("unlike");
    assert!(mixed.what.contains("single runs: a"));
}

#[test]
fn runs_lie_side_by_side_or_over_a_key() {
    let runs = [
        run("a", "16", "VC1,5\n\"VC[1]\",1\n\"VC[2]\",2\n"),
        run("b", "8", "VC1,4\nnew,3\n"),
    ];
    let found = overlay(&runs, None, None).expect("drawn");
    let titles: Vec<&str> = found.plots.iter().map(|plot| plot.title.as_str()).collect();
    assert_eq!(titles, ["Throughput", "queue"]);
    assert_eq!(names(&found.plots[0]), ["a", "b"]);
    assert_eq!(
        found.plots[0].curves[1].x,
        [1.2, 4.2],
        "VC1 and new, right of the middle"
    );
    assert_eq!(found.plots[1].curves[0].x, [0.0, 1.0]);
    let over = overlay(&runs, Some("throughput"), Some("n3")).expect("drawn");
    let plot = &over.plots[0];
    assert_eq!(names(plot), ["VC1", "VC[1]", "VC[2]", "new"]);
    assert_eq!(
        (&plot.curves[0].x, &plot.curves[0].y),
        (&vec![8.0, 16.0], &vec![4.0, 5.0])
    );
    let group = overlay(&runs[..1], Some("VC.throughput_mbps"), None).expect("drawn");
    assert_eq!(group.plots[0].curves[0].y, [1.0, 2.0]);
    let series = overlay(&runs, Some("series.queue"), None).expect("drawn");
    assert_eq!(series.plots.len(), 1);
    let wrong = overlay(&runs, Some("delay"), None).expect_err("no such column");
    assert_eq!(wrong.known, ["series.queue", "throughput_mbps"]);
    assert_eq!(wrong.what, "a has no column `delay`");
    let empty = [run("c", "4", "VC1,\n")];
    let wrong = overlay(&empty, Some("throughput"), None).expect_err("nothing to draw");
    assert_eq!(
        wrong.what,
        "`throughput` of c is empty: too few values for it"
    );
    let wrong = overlay(&runs, None, Some("n9")).expect_err("no such key");
    assert!(wrong.what.contains("no key `n9`"));
}

#[test]
fn units_of_one_kind_share_an_axis() {
    let rows = "VC1,5\n";
    let runs = [run("a", "\"1 us\"", rows), run("b", "\"500 ns\"", rows)];
    let over = overlay(&runs, Some("throughput"), Some("n3")).expect("drawn");
    assert_eq!(over.plots[0].curves[0].x, [0.5, 1.0]);
    let runs = [run("a", "\"1 us\"", rows), run("b", "\"1 kB\"", rows)];
    let wrong = overlay(&runs, Some("throughput"), Some("n3")).expect_err("unlike");
    assert_eq!(wrong.what, "`n3` has unlike units: `us` and `kB`");
    let in_unit = |name: &str, unit: &str| {
        let mut sweep = sweep(name, "1,2,3,10,1,0\n2,2,3,20,,0\n");
        sweep.tables[0].columns[0].1.unit = unit.into();
        sweep
    };
    let found = overlay(&[in_unit("a", "ms"), in_unit("b", "us")], None, None).expect("drawn");
    assert_eq!(found.plots[0].curves[1].x, [0.001, 0.002]);
    overlay(&[in_unit("a", "ms"), in_unit("b", "kB")], None, None).expect_err("unlike");
}

/// A run of flits with two terminals at one router.
fn flits(name: &str, load: &str, accepted: [&str; 3]) -> Results {
    let columns = json!({
        "tables/summary.csv": { "columns": [
            column("quantity", "quantity", ""),
            column("value", "value", ""),
            column("unit", "unit", ""),
        ] },
        "tables/terminals.csv": { "columns": [
            column("terminal", "terminal", ""),
            column("sends_to", "sends to", ""),
            column("accepted_flits_per_cycle", "accepted", "flits/cycle/terminal"),
        ] },
        "tables/vcs.csv": { "columns": [column("vc", "vc", ""), column("use_pct", "use", "%")] },
    });
    let mut results = Results {
        name: name.into(),
        keys: vec![("traffic.load".into(), load.into())],
        ..Results::default()
    };
    let [all, first, second] = accepted;
    let read = results.read_tables(&columns, |file| {
        Some(match file {
            "tables/summary.csv" => format!(
                "quantity,value,unit\naccepted,{all},flits/cycle/terminal\n\
                 accepted ± 95 %,,flits/cycle/terminal\n"
            ),
            "tables/terminals.csv" => {
                format!("terminal,sends_to,accepted_flits_per_cycle\n0,R,{first}\n1,R,{second}\n")
            }
            _ => "vc,use_pct\n0,5\n1,2\n".into(),
        })
    });
    read.expect("as they were written");
    results
}

#[test]
fn each_terminal_is_a_row_and_the_network_has_its_own() {
    let runs = [
        flits("a", "0.1", ["0.1", "0.09", "0.11"]),
        flits("b", "0.2", ["0.2", "0.18", "0.22"]),
    ];
    let drawn = |y| overlay(&runs, Some(y), Some("load")).expect("drawn");
    let whole = drawn("accepted");
    assert_eq!(names(&whole.plots[0]), ["summary"]);
    assert_eq!(whole.plots[0].curves[0].x, [0.1, 0.2]);
    assert_eq!(whole.plots[0].curves[0].y, [0.1, 0.2]);
    let terminals = drawn("terminals.accepted");
    assert_eq!(names(&terminals.plots[0]), ["terminal 0", "terminal 1"]);
    assert_eq!(terminals.plots[0].curves[1].y, [0.11, 0.22]);
    assert_eq!(drawn("terminal 1.accepted").tables[0].rows.len(), 1);
    assert_eq!(names(&drawn("use").plots[0]), ["vc 0", "vc 1"]);
    let usual = overlay(&runs, None, None).expect("drawn");
    assert_eq!(usual.plots[0].title, "Accepted");
}

#[test]
fn rows_of_one_name_are_told_apart() {
    let one = run("a", "16", "VC1,5\nVC1,1\n");
    let found = overlay(&[one], None, None).expect("drawn");
    assert_eq!(found.plots[0].curves[0].y, [5.0, 1.0]);
    assert_eq!(found.tables[0].rows.len(), 2);
}

/// A table too large to be drawn whole is drawn by the extremes of its stretches, and says so.
#[test]
fn of_a_large_table_the_extremes_are_drawn() {
    let rows = |spike: usize| -> String {
        let value = |row: usize| if row == spike { 900 } else { 100 + row % 7 };
        let rows = 0..WHOLE + 50_000;
        rows.map(|row| format!("f{row},{}\n", value(row))).collect()
    };
    let all = [run("a", "8", &rows(123_456)), run("b", "9", &rows(777))];
    let found = overlay(&all, Some("throughput"), None).expect("it is drawn");
    let [plot] = found.plots.as_slice() else {
        panic!("one plot")
    };
    assert!(plot.note.contains("Of 250,000 rows"), "{}", plot.note);
    for curve in &plot.curves {
        assert!(curve.y.contains(&900.0) && curve.y.contains(&100.0));
        assert!((2_000..=2 * 2 * STRETCHES).contains(&curve.y.len()));
        assert!(curve.x.is_sorted(), "in the order of the table");
    }
    // Both runs have the rows of both.
    assert_eq!(plot.curves[0].x, plot.curves[1].x);
    let table = crate::csv::table(&found.tables[0]);
    assert!(table.contains("\nf123456 (row 123457),900.0,"), "named");
    let small = [run("a", "8", "p,1\nq,2\n")];
    let found = overlay(&small, Some("throughput"), None).expect("it is drawn");
    assert_eq!(found.plots[0].note, "");
}

#[test]
fn runs_are_called_by_what_differs() {
    let rows = "VC1,5\n";
    let mut two = [run("a", "16", rows), run("b", "8", rows)];
    let table = told_apart(&mut two).expect("they differ");
    assert_eq!([&*two[0].name, &*two[1].name], ["n3 = 16", "n3 = 8"]);
    assert_eq!(table.rows.len(), 1);
    assert_eq!(table.columns[2].name, "n3 = 8");
    // Alike, and different in too much for a name: directories keep theirs.
    let mut alike = [run("a", "8", rows), run("b", "8", rows)];
    assert!(told_apart(&mut alike).is_none());
    assert_eq!(alike[1].name, "b");
    let mut many = [run("a", "8", rows), run("b", "8", rows)];
    for key in ["x.p", "y.p", "z.q"] {
        many[1].keys.push((key.into(), "1".into()));
    }
    let table = told_apart(&mut many).expect("they differ");
    assert_eq!((table.rows.len(), &*many[1].name), (3, "b"));
    assert_eq!(table.rows[0][1], "unset".into());
}
