//! The page and the figures as text; `tests/browser` looks at them in a browser.

use crate::sample;

use backwater_results::{
    Block, Cell, Column, Curve, Mark, Plot, Report, Style, Table, Verdict, VerdictRow,
    VerdictValue, page, svg,
};

#[test]
fn a_hostile_name_never_becomes_markup() {
    let page = page(&sample::report());
    assert!(!page.contains(sample::HOSTILE));
    assert!(
        page.contains("&lt;/script&gt;&lt;b&gt;"),
        "it is shown, though"
    );
    assert!(
        page.contains("\\u003c/script\\u003e\\u003cb\\u003e"),
        "and charted"
    );
    let opened = page.matches("<script").count();
    assert_eq!(opened, page.matches("</script>").count());
    assert_eq!(opened, 3, "data, uPlot, our own");
}

#[test]
fn every_text_of_every_block_is_escaped() {
    let bad = || String::from("\"><img src=x onerror=alert(1)>'&");
    let mut table = Table::new(bad(), bad(), vec![Column::number(&bad(), &bad(), &bad())]);
    table.rows.push(vec![Cell::Text(bad())]);
    let plot = Plot {
        id: bad(),
        title: bad(),
        note: bad(),
        curves: vec![Curve::new(bad(), Style::Line, vec![0.0], vec![0.0])],
        ..Plot::default()
    };
    let report = Report {
        title: bad(),
        subtitle: bad(),
        command: bad(),
        version: bad(),
        blocks: vec![
            Block::Heading {
                level: 9,
                text: bad(),
            },
            Block::Text(bad()),
            Block::Table(table),
            Block::Plot(plot.clone()),
            Block::Code {
                lang: bad(),
                text: bad(),
            },
            Block::Verdicts(vec![statement(&bad(), &[&bad(), &bad()])]),
            Block::Fold {
                summary: bad(),
                blocks: vec![Block::Text(bad())],
            },
        ],
    };
    assert!(!page(&report).contains("<img"));
    assert!(!svg(&plot).contains("<img"));
}

#[test]
fn the_page_names_no_address_to_load_from() {
    // A part of the same picture is no address.
    let page = page(&sample::report()).replace("url(#", "");
    assert!(page.contains("default-src 'none'"));
    for wanted in [
        "src=\"",
        "url(",
        "@import",
        "fetch(",
        "XMLHttpRequest",
        "WebSocket",
    ] {
        assert!(!page.contains(wanted), "the page holds {wanted}");
    }
    assert_eq!(page.matches("<link ").count(), 1, "the empty icon alone");
}

#[test]
fn the_licence_of_what_is_built_in_goes_with_the_page() {
    assert!(page(&sample::report()).contains("Copyright (c) 2022 Leon Sorokin"));
}

/// Two seeds may give an interval many times the values: it is cut, and the curve stays as it is.
#[test]
fn intervals_do_not_set_the_scale() {
    let plot_with = |interval, style| Plot {
        curves: vec![Curve {
            interval,
            ..Curve::new("a", style, vec![1.0, 2.0, 3.0], vec![10.0, 20.0, 54.0])
        }],
        ..Plot::default()
    };
    let wide = Some((vec![-180.0; 3], vec![250.0; 3]));
    let circles = |figure: &str| -> Vec<String> {
        let lines = figure.lines().filter(|line| line.starts_with("<circle"));
        lines.map(String::from).collect()
    };
    for style in [Style::Line, Style::Points] {
        let alone = svg(&plot_with(None, style));
        let with = svg(&plot_with(wide.clone(), style));
        assert_eq!(circles(&alone).len(), 3);
        assert_eq!(circles(&with), circles(&alone));
        // All of the band or whiskers lies between the ends of the axis, 260 units apart.
        assert_eq!(with.contains("class=\"i\""), style == Style::Line);
        // An arrow at both ends says that it goes on.
        let signs = with.lines().find(|line| line.contains("class=\"w\""));
        let signs = signs.unwrap_or_default();
        assert!(signs.contains("l4 7l4 -7") && signs.contains("l4 -7l4 7"));
    }
    let figure = svg(&plot_with(wide, Style::Points));
    let whiskers = figure
        .lines()
        .find(|line| line.contains("class=\"w\""))
        .unwrap();
    assert!(
        !whiskers.contains("h8"),
        "cut whiskers have no end: {whiskers}"
    );
}

#[test]
fn code_in_cells_is_shown_as_code_and_downloaded_as_it_is() {
    let mut table = Table::new("notes", "", vec![Column::text("note", "")]);
    table.rows.push(vec![Cell::from("set `acks` to \"every\"")]);
    let report = Report {
        blocks: vec![Block::Table(table)],
        ..Report::default()
    };
    let page = page(&report);
    assert!(page.contains("set <code>acks</code> to &quot;every&quot;</"));
    assert!(page.contains("data-v=\"set `acks` to &quot;every&quot;\""));
}

/// A statement that agrees, whose words are all `text`, with numbers of these names.
fn statement(text: &str, names: &[&str]) -> VerdictRow {
    let value = |name: &&str| VerdictValue {
        name: (*name).into(),
        value: format!("{text} 2"),
        accept: format!("{text} >= 1"),
    };
    VerdictRow {
        id: text.into(),
        figure: text.into(),
        states: text.into(),
        paper: text.into(),
        values: names.iter().map(value).collect(),
        verdict: Verdict::Agrees,
        remarks: vec![text.into()],
    }
}

#[test]
fn a_number_stands_beside_its_statement_and_several_in_a_table() {
    let of = |rows: Vec<VerdictRow>| {
        let report = Report {
            blocks: vec![Block::Verdicts(rows)],
            ..Report::default()
        };
        page(&report)
    };
    let one = of(vec![statement("x", &[""])]);
    assert!(one.contains("<dt>measured</dt><dd>x 2</dd>") && !one.contains("class=\"values\""));
    assert!(one.contains("agrees\">1 agrees<") && one.contains("none\">0 failed<"));
    let two = of(vec![statement("x", &["", "b_c"]), statement("y", &[])]);
    assert!(two.contains("<td>b c</td><td>x 2</td><td>x &gt;= 1</td>"));
    assert!(!two.contains("<dt>measured</dt>") && two.contains("agrees\">2 agree<"));
}

#[test]
fn legends_are_empty_until_the_pointer_moves() {
    assert!(!page(&sample::report()).contains("output:empty::before"));
}

#[test]
fn a_page_without_plots_is_small() {
    let report = Report {
        title: "Nothing".into(),
        ..Report::default()
    };
    let page = page(&report);
    assert!(page.len() < 60_000, "{} bytes", page.len());
    assert!(!page.contains("uPlot="));
}

/// Every figure of the sample.
fn figures() -> Vec<Plot> {
    let mut plots = Vec::new();
    let report = sample::report();
    backwater_results::html::each_plot(&report.blocks, &mut |plot| plots.push(plot.clone()));
    plots
}

#[test]
fn figures_are_well_formed() {
    let figures = figures();
    assert_eq!(figures.len(), 7);
    for plot in &figures {
        let text = svg(plot);
        let document = roxmltree::Document::parse(&text).expect(&plot.title);
        let title = document.descendants().find(|n| n.has_tag_name("title"));
        let title = document
            .root_element()
            .children()
            .find(|n| n.has_tag_name("title"))
            .or(title);
        assert_eq!(title.and_then(|t| t.text()), Some(plot.title.as_str()));
        assert!(
            !text.contains("NaN") && !text.contains("inf"),
            "{}",
            plot.title
        );
        for curve in &plot.curves {
            let named = document
                .descendants()
                .any(|n| n.text() == Some(curve.name.as_str()));
            assert!(named, "{} is not in the legend", curve.name);
        }
    }
    assert!(
        roxmltree::Document::parse("<svg><g></svg>").is_err(),
        "the parser can object"
    );
}

#[test]
fn odd_plots_are_drawn_without_a_panic() {
    let report = sample::odd_report();
    assert!(page(&report).contains("id=\"plots\""));
    let mut count = 0;
    backwater_results::html::each_plot(&report.blocks, &mut |plot| {
        let text = svg(plot);
        roxmltree::Document::parse(&text).unwrap();
        assert!(!text.contains("NaN"), "{plot:?}");
        count += 1;
    });
    assert_eq!(count, 64);
}

/// Gbps for 98,405 Mbps; sorting, downloads and CSV keep the unit that the name says.
#[test]
fn numbers_are_shown_in_units_that_fit() {
    let columns = vec![
        Column::number("goodput", "Mbps", "payload"),
        Column::number("stop max", "ms", ""),
        Column::interval("goodput", "Mbps", "half width"),
    ];
    let mut table = Table::new("ports", "", columns);
    let row = [98_405.82, 0.02893, 12.5].map(|value| Cell::float(value, 3));
    table.rows.push(row.to_vec());
    assert_eq!(
        backwater_results::csv::table(&table),
        "goodput_mbps,stop_max_ms,goodput_mbps_ci95\n98405.82,0.02893,12.5\n"
    );
    let text = page(&Report {
        blocks: vec![Block::Table(table)],
        ..Report::default()
    });
    for must in [
        "data-head=\"goodput_mbps\" title=\"goodput_mbps [Mbps]: payload\"",
        "goodput <span class=\"unit\">Gbps</span>",
        "stop max <span class=\"unit\">us</span>",
        "goodput ± 95 % <span class=\"unit\">Mbps</span>",
        "data-v=\"98405.82\">98.406<",
        "data-v=\"0.02893\">28.930<",
        "data-v=\"12.5\">12.500<",
    ] {
        assert!(text.contains(must), "no {must}");
    }
}

/// The ninth curve has the colour of the first, and must not look like it.
#[test]
fn curves_beyond_the_colours_are_dotted_and_hollow() {
    let curves = |style| (0..9).map(move |nth| Curve::in_order(nth.to_string(), style, vec![1.0]));
    for style in [Style::Line, Style::Bars] {
        let plot = |count| Plot::new("p", "P", curves(style).take(count).collect());
        let nine = svg(&plot(9));
        assert!(nine.contains("<g class=\"c0\">") && nine.contains("<g class=\"c0 again\">"));
        for rule in [".again .s{stroke-dasharray:2 3}", ".c0.again .f{stroke:#"] {
            assert!(nine.contains(rule), "{rule}");
            assert!(!svg(&plot(8)).contains(rule), "{rule}");
        }
    }
}

/// Marks at one place, level and upright, have their words beside each other.
#[test]
fn words_of_marks_keep_apart() {
    let level = |at| Mark::horizontal(at, "a limit that is told");
    let upright = |at| Mark::vertical(at, "a burst that begins");
    let curve = Curve::new("a", Style::Line, vec![0.0, 10.0], vec![0.0, 10.0]);
    let marks = vec![
        level(5.0),
        level(5.1),
        level(5.2),
        upright(4.0),
        upright(4.2),
        upright(4.4),
    ];
    let figure = svg(&Plot::new("p", "P", vec![curve]).marks(marks));
    let words = figure.lines().filter(|line| line.contains("class=\"m h\""));
    let number = |line: &str, name: &str| -> f64 {
        let after = line.split(&format!("class=\"m h\" {name}=\"")).nth(1);
        let after = after.or_else(|| line.split(&format!("\" {name}=\"")).nth(1));
        after.unwrap().split('"').next().unwrap().parse().unwrap()
    };
    let places: Vec<(f64, f64)> = words
        .map(|line| (number(line, "x"), number(line, "y")))
        .collect();
    assert_eq!(places.len(), 6);
    for (at, one) in places.iter().enumerate() {
        for other in &places[at + 1..] {
            let is_apart = (one.1 - other.1).abs() >= 13.0 || (one.0 - other.0).abs() > 130.0;
            assert!(is_apart, "{one:?} {other:?}");
        }
    }
}

/// Numbers of the y axis begin to the right of its title, which ends at 24.
#[test]
fn long_numbers_have_room_beside_the_title() {
    let plot = |most| {
        Plot::new(
            "p",
            "P",
            vec![Curve::in_order("a", Style::Line, vec![0.0, most])],
        )
    };
    let left = |most| {
        let figure = svg(&plot(most));
        let axis = figure
            .split("class=\"a\" d=\"M")
            .last()
            .unwrap()
            .split(' ')
            .next();
        axis.unwrap().parse::<f64>().unwrap()
    };
    assert_eq!(left(5.0), 72.0);
    assert!(left(5e6) >= 24.0 + 8.0 + 9.0 * 7.0, "{}", left(5e6));
}
