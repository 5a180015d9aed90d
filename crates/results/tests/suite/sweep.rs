//! Sweeps: which curves are drawn, what tables hold, what the page says.

use crate::sample;

use std::borrow::Cow;

use backwater_results::number::hash;
use backwater_results::sweep::{
    Measure, Role, Saturation, SweepAxis, SweepInfo, SweepResult, SweepRow, saturation_pivot,
    saturation_report, saturation_table, sweep_pivot, sweep_plots, sweep_report, sweep_tables,
};
use backwater_results::{Block, Cell, page, svg};

const MEASURES: [Measure; 4] = [
    measure("offered", "Mbps", Role::Offered),
    measure("accepted", "Mbps", Role::Accepted),
    measure("delay", "us", Role::Latency),
    measure("saturated", "", Role::Saturated),
];

const fn measure(name: &'static str, unit: &'static str, role: Role) -> Measure {
    Measure {
        name: Cow::Borrowed(name),
        unit: Cow::Borrowed(unit),
        meaning: Cow::Borrowed("what it means"),
        role,
        digits: 3,
        may_be_bound: matches!(role, Role::Took),
    }
}

fn axis(path: &str, values: &[&str]) -> SweepAxis {
    SweepAxis {
        name: path.rsplit('.').next().unwrap_or_default().into(),
        path: path.into(),
        unit: String::new(),
        values: values.iter().map(|value| (*value).into()).collect(),
        numbers: values.iter().map(|value| value.parse().ok()).collect(),
    }
}

/// Every combination; a load above 0.5 saturates, accepted load is the load times the VCs.
fn result(axes: Vec<SweepAxis>, seeds: u64) -> SweepResult {
    let mut combinations = vec![Vec::new()];
    for axis in &axes {
        let longer = combinations.iter().flat_map(|values: &Vec<usize>| {
            (0..axis.values.len()).map(move |value| [values.as_slice(), &[value]].concat())
        });
        combinations = longer.collect();
    }
    let number = |values: &[usize], name: &str| {
        let index = axes.iter().position(|axis| axis.name == name)?;
        Some(axes[index].numbers.as_ref()?[values[index]])
    };
    let mut rows = Vec::new();
    for values in combinations {
        let load = number(&values, "load").unwrap_or(0.4);
        let vcs = number(&values, "vcs").unwrap_or(1.0);
        for seed in 1..=seeds {
            let saturated = f64::from(u8::from(load > 0.5));
            rows.push(SweepRow {
                values: values.clone(),
                seed,
                measured: vec![load, load.min(0.5) * vcs + seed as f64, 9.0, saturated],
                trace_hash: hash(rows.len() as u64),
            });
        }
    }
    SweepResult {
        axes,
        seeds: (1..=seeds).collect(),
        measures: MEASURES.to_vec(),
        planned: rows.len() as u64,
        rows,
        partial: false,
    }
}

#[test]
fn load_and_vcs_are_found() {
    let loads = axis("traffic.load", &["0.2", "0.4", "0.8"]);
    let vcs = axis("router.vcs", &["1", "2"]);
    let plots = sweep_plots(&result(vec![vcs, loads], 1));
    let titles: Vec<&str> = plots.iter().map(|plot| plot.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Latency over load",
            "Throughput over load",
            "Highest throughput over vcs"
        ]
    );
    let names = |plot: usize| {
        let curves = plots[plot].curves.iter();
        curves.map(|curve| curve.name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(names(0), ["vcs = 1", "vcs = 2"]);
    assert_eq!(
        plots[0].curves[0].x,
        [0.2, 0.4],
        "beyond saturation nothing is drawn"
    );
    assert!(plots[0].note.contains(": 2 points. The tables have all."));
    assert!(
        plots[0].note.contains("0.8 (vcs = 1), 0.8 (vcs = 2)"),
        "{}",
        plots[0].note
    );
    assert_eq!(plots[1].curves[0].x, [0.2, 0.4, 0.8]);
    assert_eq!(names(2), ["accepted"]);
    assert_eq!(plots[2].curves[0].x, [1.0, 2.0]);
    assert_eq!(
        plots[2].curves[0].y,
        [1.5, 2.0],
        "the highest over the load"
    );
    assert!(
        plots[0].curves[0].interval.is_none(),
        "one seed has no interval"
    );
}

#[test]
fn doubled_values_stand_at_equal_distances() {
    let plot = |values: &[&str]| {
        let axes = vec![axis("router.vcs", values)];
        sweep_plots(&result(axes, 1)).swap_remove(0)
    };
    let doubled = plot(&["1", "2", "4", "16"]).x;
    assert!(doubled.log);
    assert_eq!(doubled.at, [1.0, 2.0, 4.0, 16.0]);
    for values in [
        &["1", "2", "3", "4"][..],
        &["0", "1", "2"],
        &["1", "8"],
        &["0.1", "0.2", "0.4"],
    ] {
        let even = plot(values).x;
        assert!(!even.log && even.at.is_empty(), "{values:?}");
    }
}

/// Latencies that differ much stand on a logarithmic axis, others start at zero.
#[test]
fn the_axis_of_latencies_fits_them() {
    let mut result = result(vec![axis("traffic.load", &["0.1", "0.4", "0.8"])], 1);
    let narrow = &sweep_plots(&result)[0];
    assert!(!narrow.y.log && narrow.y.min == Some(0.0));
    assert_eq!(narrow.x.min, Some(0.0));
    assert_eq!(narrow.marks[0].at, 0.8, "one curve: marked, not told");
    result.rows[1].measured[2] = 90.0;
    let wide = &sweep_plots(&result)[0];
    assert!(wide.y.log && wide.y.min.is_none());
}

/// Dashed, as far as curves go; not where curves are offered different loads.
#[test]
fn what_is_offered_is_drawn_beside_what_is_accepted() {
    let loads = axis("traffic.load", &["0.2", "0.4", "0.8"]);
    let drawn = |result: &SweepResult| sweep_plots(result)[1].curves.clone();
    let mut result = result(vec![axis("router.vcs", &["1", "2"]), loads], 1);
    for row in &mut result.rows {
        row.measured[1] -= 1.0;
    }
    let curves = drawn(&result);
    assert_eq!(curves[2].name, "offered");
    assert!(curves[2].dashed);
    assert_eq!(curves[2].x, [0.2, 0.4, 0.8], "up to a little above 1.0");
    for row in &mut result.rows {
        row.measured[1] /= 2.0;
    }
    assert_eq!(drawn(&result)[2].x, [0.2, 0.4]);
    result.rows[0].measured[0] = 0.3;
    assert_eq!(drawn(&result).len(), 2, "offered differs");
}

#[test]
fn intervals_are_drawn_with_several_seeds() {
    let plots = sweep_plots(&result(vec![axis("traffic.load", &["0.2", "0.4"])], 3));
    let curve = &plots[1].curves[0];
    let (low, high) = curve.interval.as_ref().expect("an interval");
    assert_eq!(curve.y, [2.2, 2.4]);
    let half_width = 4.302653 / 3.0_f64.sqrt();
    assert!((high[0] - curve.y[0] - half_width).abs() < 1e-6);
    assert!(half_width > curve.y[0]);
    assert_eq!(*low, [0.0, 0.0], "what can't be negative has no such end");
}

#[test]
fn many_curves_take_more_plots() {
    let values: Vec<String> = (1..=30).map(|value| value.to_string()).collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let axes = vec![
        axis("link.delay", &values),
        axis("traffic.load", &["0.1", "0.2"]),
    ];
    let plots = sweep_plots(&result(axes, 1));
    let latency = plots
        .iter()
        .filter(|plot| plot.title.starts_with("Latency"));
    let curves: Vec<usize> = latency.map(|plot| plot.curves.len()).collect();
    assert_eq!(curves, [12, 12, 6]);
    assert_eq!(plots[0].title, "Latency over load (1 of 3)");
    assert!(!svg(&plots[0]).is_empty());
}

#[test]
fn other_axes_serve_where_there_is_no_load() {
    let words = axis("flow_control.kind", &["n23", "n123"]);
    let numbers = axis("flow_control.n3", &["4", "8"]);
    let plots = sweep_plots(&result(vec![words.clone(), numbers], 1));
    assert_eq!(plots[0].title, "Latency over n3");
    assert_eq!(plots[0].curves[1].name, "n123");
    assert!(sweep_plots(&result(vec![words.clone()], 2)).is_empty());
    assert!(sweep_plots(&result(Vec::new(), 2)).is_empty());
    let page = page(&sweep_report(
        &SweepInfo::default(),
        &result(vec![words], 1),
    ));
    assert!(page.contains("No axis has several numbers"));
}

#[test]
fn tables_are_tidy() {
    let result = result(vec![axis("traffic.load", &["0.25", "0.5"])], 2);
    let [points, summary] = sweep_tables(&result).try_into().expect("two tables");
    assert_eq!((points.rows.len(), summary.rows.len()), (4, 2));
    for table in [&points, &summary] {
        sample::names::assert_names(table);
        assert!(
            table
                .rows
                .iter()
                .all(|row| row.len() == table.columns.len())
        );
        assert!(
            table
                .columns
                .iter()
                .all(|column| !column.meaning.is_empty())
        );
    }
    assert_eq!(points.rows[0][..2], [Cell::float(0.25, 2), Cell::Int(1)]);
    assert_eq!(summary.rows[1][..2], [Cell::float(0.5, 2), Cell::Int(2)]);
    assert_eq!(summary.rows[0][4], Cell::float(1.75, 3));
}

/// A number that is missing in one seed counts in none of the means; in all, nothing is shown.
#[test]
fn what_was_not_measured_is_left_out() {
    let mut result = result(vec![axis("traffic.load", &["0.25", "0.5"])], 2);
    result.rows[0].measured[2] = f64::NAN;
    result.rows[2].measured[2] = f64::NAN;
    result.rows[3].measured[2] = f64::NAN;
    let summary = &sweep_tables(&result)[1];
    assert_eq!(summary.rows[0][6..8], [Cell::float(9.0, 3), Cell::Empty]);
    let csv = backwater_results::csv::table(summary);
    assert!(
        csv.lines()
            .nth(2)
            .is_some_and(|row| row.starts_with("0.5,2,0.5,0.0,2.0,")),
        "{csv}"
    );
    assert_eq!(sweep_plots(&result)[0].curves[0].x, [0.25]);
}

#[test]
fn interruptions_and_broken_promises_are_told() {
    let mut result = result(vec![axis("traffic.load", &["0.25", "0.5"])], 1);
    result.measures[0].role = Role::Broken;
    result.partial = true;
    let text = page(&sweep_report(&SweepInfo::default(), &result));
    assert!(text.contains("It was interrupted") && text.contains("2 runs broke a promise"));
    let manifest = serde_json::to_value(result.manifest("sweep", &SweepInfo::default()));
    assert_eq!(manifest.expect("JSON")["partial"], true);
}

#[test]
fn a_search_shows_its_interval() {
    let axes = vec![
        axis("traffic.load", &["0.4", "0.6"]),
        axis("router.vcs", &["1", "2"]),
    ];
    let result = result(axes, 1);
    let found = [0, 1].map(|vcs| Saturation {
        values: vec![0, vcs],
        carried: (vcs == 0).then_some(0),
        saturated: Some(1),
    });
    let table = saturation_table(&result, 0, &found);
    let cells = |row: usize| table.rows[row].clone();
    let load = |value| Cell::float(value, 1);
    assert_eq!(cells(0)[..3], [Cell::Int(1), load(0.4), load(0.6)]);
    assert_eq!(cells(0)[3..], [Cell::float(1.4, 3), Cell::float(1.5, 3)]);
    assert_eq!(cells(1)[1], Cell::Empty);
    let report = saturation_report(&SweepInfo::default(), &result, 0, &found);
    let text = page(&report);
    assert!(text.contains("Accepted over offered load") && text.contains("vcs = 2"));
    let plots = report.blocks.iter().filter_map(|block| match block {
        Block::Plot(plot) => Some(plot),
        _ => None,
    });
    let latency = plots.clone().next().expect("plots");
    assert_eq!(latency.title, "Latency over load");
    let curves = latency.curves.iter();
    let curves: Vec<_> = curves.map(|curve| (&*curve.name, &*curve.x)).collect();
    // 0.6 is beyond saturation.
    assert_eq!(curves, [("vcs = 1", &[0.4][..]), ("vcs = 2", &[0.4])]);
    assert_eq!(plots.count(), 2);
}

/// Lines of zero load, from the lowest load: one for curves that begin alike, none for many.
#[test]
fn latency_at_zero_load_is_a_line() {
    let marks = |zero_loads: &[f64]| {
        let values: Vec<String> = (1..=zero_loads.len()).map(|vcs| vcs.to_string()).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let axes = vec![
            axis("router.vcs", &values),
            axis("traffic.load", &["0.2", "0.4"]),
        ];
        let mut result = result(axes, 2);
        let name = "latency at zero load";
        result.measures.push(measure(name, "us", Role::ZeroLoad));
        for row in &mut result.rows {
            let at_more_load = row.values[1] as f64;
            let zero_load = zero_loads[row.values[0]];
            row.measured.push(zero_load + at_more_load);
        }
        let plots = sweep_plots(&result);
        assert!(plots[1].marks.is_empty(), "not of throughput");
        let marks = plots[0].marks.iter();
        marks
            .map(|mark| (mark.label.clone(), mark.at))
            .collect::<Vec<_>>()
    };
    let line = |label: &str, at: f64| (String::from(label), at);
    assert_eq!(marks(&[8.0]), [line("zero load", 8.0)]);
    assert_eq!(marks(&[8.3, 8.0]), [line("zero load", 8.0)]);
    let lines = [line("zero load", 5.0), line("", 8.0)];
    assert_eq!(marks(&[8.0, 5.0]), lines);
    assert_eq!(marks(&[2.0, 4.0, 6.0, 8.0]), []);
    assert_eq!(marks(&[f64::NAN]), []);
}

/// Columns of flows are drawn together where they are of one quantity.
#[test]
fn chosen_columns_of_one_quantity_share_a_plot() {
    let mut result = SweepResult {
        axes: vec![axis("flow_control.n3", &["1", "2"])],
        seeds: vec![1],
        measures: vec![
            measure("a.goodput", "Mbps", Role::Chosen),
            measure("b.goodput", "Mbps", Role::Chosen),
            measure("b.delay p99", "us", Role::Chosen),
        ],
        ..SweepResult::default()
    };
    for (value, measured) in [(0, [1.0, 2.0, 3.0]), (1, [4.0, 5.0, 6.0])] {
        result.rows.push(SweepRow {
            values: vec![value],
            seed: 1,
            measured: measured.to_vec(),
            trace_hash: "0".into(),
        });
    }
    let plots = sweep_plots(&result);
    let titles: Vec<&str> = plots.iter().map(|plot| plot.title.as_str()).collect();
    assert_eq!(
        titles,
        ["goodput of flows over n3", "delay p99 of flows over n3"]
    );
    let names: Vec<&str> = plots[0]
        .curves
        .iter()
        .map(|curve| curve.name.as_str())
        .collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(plots[0].curves[1].y, [2.0, 5.0]);
    assert_eq!(
        (plots[0].y.label.as_str(), plots[0].y.unit.as_str()),
        ("goodput", "Mbps")
    );
    assert_eq!(
        sweep_tables(&result)[0].keys()[2..4],
        ["a_goodput_mbps", "b_goodput_mbps"]
    );
}

/// Rows are the first axis, columns the second, cells the latency over the seeds.
#[test]
fn a_terminal_shows_two_axes_as_one_table() {
    let axes = || {
        vec![
            axis("router.vcs", &["1", "2"]),
            axis("traffic.load", &["0.2", "0.6"]),
        ]
    };
    let mut three_seeds = result(axes(), 3);
    for row in &mut three_seeds.rows {
        row.measured[2] += row.seed as f64;
    }
    // 1, 2 and 3 more: 2 on average, within 4.303 / sqrt(3).
    let rows = [
        "delay (us), by load across",
        "vcs        0.2         0.6",
        "1    11.0 ±2.5  11.0 ±2.5*",
        "2    11.0 ±2.5  11.0 ±2.5*",
        "* saturated: such a latency depends on the length of the run",
    ];
    let shown = sweep_pivot(&three_seeds);
    let words = |line: &str| {
        line.split_whitespace()
            .map(String::from)
            .collect::<Vec<_>>()
    };
    assert!(
        shown.lines().map(words).eq(rows.into_iter().map(words)),
        "{shown}"
    );
    let found = [([0, 0], Some(0), Some(1)), ([1, 0], Some(1), None)];
    let found = found.map(|(values, carried, saturated)| Saturation {
        values: values.to_vec(),
        carried,
        saturated,
    });
    assert_eq!(
        saturation_pivot(&result(axes(), 1), 1, &found),
        "",
        "one axis besides the load"
    );
    let three = [axes(), vec![axis("run.seeds", &["7", "8"])]].concat();
    let shown = sweep_pivot(&result(three, 1));
    assert_eq!(shown.lines().count(), 10, "a row for each point:\n{shown}");
    assert!(shown.starts_with("vcs  load  seeds  delay (us)"), "{shown}");
    assert!(
        !sweep_pivot(&result(axes(), 2)).contains('±'),
        "of two seeds"
    );
}

#[test]
fn a_terminal_shows_one_axis_by_measure() {
    let shown = sweep_pivot(&result(vec![axis("traffic.load", &["0.2", "0.6"])], 1));
    let rows: Vec<Vec<&str>> = shown
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0], ["load", "delay", "(us)", "accepted", "(Mbps)"]);
    assert_eq!((rows[1][0], rows[2][0], rows.len()), ("0.2", "0.6", 4));
    assert!(rows[2][1].ends_with('*'), "{shown}");
}

/// Runs that are the same have no interval, which is said; bounds have none either.
#[test]
fn what_is_not_random_and_what_is_a_bound_has_no_interval() {
    let measures = [
        measure("goodput", "Mbps", Role::Accepted),
        measure("unfinished", "transfers", Role::Unfinished),
        measure("FCT p99", "ms", Role::Took),
    ];
    let row = |value: usize, seed: u64, measured: [f64; 3], hash: &str| SweepRow {
        values: vec![value],
        seed,
        measured: measured.to_vec(),
        trace_hash: hash.into(),
    };
    let result = SweepResult {
        axes: vec![axis("link.delay", &["1", "2", "3"])],
        seeds: vec![1, 2],
        measures: measures.to_vec(),
        rows: vec![
            row(0, 1, [5.0, 0.0, 3.0], "a"),
            row(0, 2, [5.0, 0.0, 3.0], "a"),
            row(1, 1, [5.0, 0.0, 3.0], "b"),
            row(1, 2, [6.0, 1.0, 4.0], "c"),
            row(2, 1, [5.0, 9.0, f64::NAN], "d"),
            row(2, 2, [6.0, 0.0, 4.0], "e"),
        ],
        planned: 6,
        ..SweepResult::default()
    };
    let tables = sweep_tables(&result);
    let cells = |row: usize, key: &str| {
        let at = tables[1].keys().iter().position(|own| own == key);
        tables[1].rows[row][at.expect("it is there")].clone()
    };
    assert_eq!(cells(0, "goodput_mbps_ci95"), Cell::Empty);
    assert!(matches!(cells(1, "goodput_mbps_ci95"), Cell::Float { value, .. } if value > 1.0));
    assert_eq!(cells(0, "fct_p99_ms"), Cell::float(3.0, 3));
    assert_eq!(cells(1, "fct_p99_ms"), Cell::at_least(3.5, 3));
    assert_eq!(cells(1, "fct_p99_ms_ci95"), Cell::Empty);
    assert!(matches!(cells(2, "fct_p99_ms"), Cell::Float { value, .. } if value.is_nan()));
    let told = result.without_chance().expect("of one point");
    assert!(
        told.starts_with("in 1 of 3 points: seeds change nothing here"),
        "{told}"
    );
}
