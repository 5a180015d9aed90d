use super::*;

fn shares(count: usize) -> FairShares {
    let row = |place: usize| FairRow {
        name: format!("f{place}"),
        measured: 1e6 * place as f64,
        share: Some(2e6),
        ..FairRow::default()
    };
    FairShares {
        rows: (1..=count).map(row).collect(),
        counted_as: "data on the wire",
        ..FairShares::default()
    }
}

#[test]
fn few_flows_are_listed_and_many_summed_up() {
    let few = shares(2);
    assert_eq!(
        few.terminal_lines(),
        [
            "",
            "flow  Mbps  max-min  ratio",
            "f1    1.00     2.00  0.500",
            "f2    2.00     2.00  1.000",
            "Jain's index 0.9000 of rates, 0.9000 of rates over shares",
        ]
    );
    // One is always as fair as can be.
    assert_eq!(shares(1).terminal_lines().len(), 3);
    let many = shares(31).terminal_lines();
    assert_eq!(many.len(), 3);
    assert_eq!(
        many[1],
        "max-min share: 31 flows got 0.500 (f1) to 15.500 (f31) of it"
    );
    assert_eq!(shares(31).table().rows.len(), 31);
    assert_eq!(shares(30).terminal_lines().len(), 33);
}

#[test]
fn groups_are_one_line_and_flows_without_a_share_another() {
    let mut found = shares(18);
    for (row, place) in found.rows.iter_mut().zip(1..) {
        row.name = format!("incast[{place}]");
        (row.share, row.remark) = (None, "ends by itself");
    }
    found.rows[17].name = "victim".into();
    found.rows[17].share = Some(20e6);
    assert_eq!(
        found.terminal_lines()[1..],
        [
            "flow     Mbps  max-min  ratio  ",
            "victim  18.00    20.00  0.900  ends by itself",
            "no share: incast (17): ends by itself",
        ]
        .map(str::trim_end)
    );
    found.rows.iter_mut().for_each(|row| row.share = Some(2e6));
    found.rows[17].share = Some(18e6);
    found.rows.iter_mut().for_each(|row| row.remark = "");
    let lines = found.terminal_lines();
    assert_eq!(
        lines[2],
        "incast (17)  1.00 to 17.00     2.00  0.500 to 8.500"
    );
    assert_eq!(
        (lines.len(), &*lines[3]),
        (5, "victim               18.00    18.00           1.000")
    );
    assert!(lines[4].starts_with("Jain's index"), "{lines:?}");
    // All alike: nobody is named.
    found.rows.iter_mut().for_each(|row| row.measured = 1e6);
    found.rows[17].share = Some(2e6);
    assert_eq!(found.spread().as_deref(), Some("0.500"));
}

#[test]
fn many_flows_are_drawn_as_a_distribution_and_some_in_order_of_rate() {
    let plot = shares(41).plot().expect("a plot");
    assert_eq!(plot.curves[0].style, Style::Step);
    assert!(plot.x.names.is_empty() && plot.curves[0].y.ends_with(&[100.0]));
    let plot = shares(40).plot().expect("a plot");
    assert_eq!((&*plot.x.names[0], plot.curves[0].y[0]), ("f40", 40.0));
    let plot = shares(10).plot().expect("a plot");
    assert_eq!((&*plot.x.names[0], plot.curves[0].y[0]), ("f1", 1.0));
}

#[test]
fn sources_have_flits_a_cycle_and_nothing_else_on_the_wire() {
    let mut found = shares(2);
    found.rates = Rates::OfSources;
    for row in &mut found.rows {
        (row.measured, row.share) = (row.measured / 1e7, Some(0.25));
    }
    assert_eq!(
        found.listed(),
        [
            "source  flits/cycle  max-min  ratio",
            "f1           0.1000   0.2500  0.400",
            "f2           0.2000   0.2500  0.800",
        ]
    );
    let table = found.table();
    assert_eq!(table.columns[2].header(), "max-min share [flits/cycle]");
    assert_eq!((table.columns.len(), table.rows[0].len()), (5, 5));
    assert_eq!(table.rows[1][1], Cell::float(0.2, 4));
}

#[test]
fn fast_flows_are_listed_in_gbps() {
    let mut found = shares(2);
    found.rows[0].measured = 98_405.82e6;
    assert_eq!(
        found.listed(),
        [
            "flow    Gbps  max-min       ratio",
            "f1    98.406   0.0020  49,202.910",
            "f2    0.0020   0.0020       1.000",
        ]
    );
}

#[test]
fn a_run_without_shares_says_nothing() {
    let mut none = shares(2);
    none.rows.iter_mut().for_each(|row| row.share = None);
    assert!(none.terminal_lines().is_empty());
    assert!(none.table().rows.is_empty());
    assert!(none.plot().is_none() && none.indices().is_none());
}

#[test]
fn a_share_of_nothing_has_no_ratio() {
    let mut found = shares(2);
    found.rows[0].share = Some(0.0);
    assert_eq!(found.table().rows[0][3], Cell::Empty);
    assert_eq!(found.table().rows[1][3], Cell::float(1.0, 3));
    assert_eq!(found.jain().1, 1.0, "of the other alone");
}
