use super::*;
use crate::model::{Axis, Curve, Mark, Plot, Style};
use crate::svg;

fn plot() -> Plot {
    let curve = |name: &str, style| Curve::in_order(name, style, vec![1.0, 3.0, 2.0]);
    let with_interval = Curve {
        interval: Some((vec![0.5, 2.0, 1.0], vec![2.0, 9.0, 3.0])),
        ..curve("A \u{2192} B", Style::Line)
    };
    let curves = vec![
        with_interval,
        curve("dots (\u{3bc}s)", Style::Points),
        curve("bars", Style::Bars),
        Curve {
            dashed: true,
            ..curve("steps", Style::Step)
        },
    ];
    Plot::new("p", "A plot", curves)
        .x(Axis::of_names(
            "Port",
            ["a long name", "b", "c"].map(String::from),
        ))
        .y(Axis::new("Delay", "us"))
        .marks(vec![Mark::horizontal(2.5, "bound")])
}

/// The parts of a file in order, each where the table says.
fn is_whole(file: &[u8]) -> bool {
    let text = String::from_utf8_lossy(file).into_owned();
    let find = |needle: &str| {
        file.windows(needle.len())
            .position(|at| at == needle.as_bytes())
    };
    let start: usize = text
        .rsplit("startxref\n")
        .next()
        .and_then(|rest| rest.lines().next())
        .and_then(|line| line.parse().ok())
        .unwrap_or(0);
    let entries = text[text.find("xref\n").unwrap_or(0)..].lines().skip(3);
    let entries: Vec<usize> = entries
        .map_while(|line| line.strip_suffix(" 00000 n ")?.parse().ok())
        .collect();
    find("xref\n0 ") == Some(start)
        && entries.len() == 8
        && (1..)
            .zip(&entries)
            .all(|(number, at)| find(&format!("{number} 0 obj\n")) == Some(*at))
}

#[test]
fn a_figure_is_a_whole_file_of_its_width() {
    let file = pdf(&svg::for_paper(&plot(), 85.0), 85.0).expect("it is a figure");
    assert!(file.starts_with(b"%PDF-1.4\n"));
    assert!(is_whole(&file));
    let text = String::from_utf8_lossy(&file);
    assert!(
        text.contains("/MediaBox [0 0 240.945 "),
        "85 mm are 240.9 pt"
    );
    // Words are words: `Delay (us)`, and the arrow of Symbol.
    assert!(text.contains("<44656C61792028757329> Tj"));
    assert!(text.contains("/F2 13 Tf") && text.contains("<AE> Tj"));
    // 13 units are 8 pt.
    let scale: f64 = text
        .split("\nq ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next()?.parse().ok())
        .unwrap_or(0.0);
    assert!((scale * 13.0 - 8.0).abs() < 0.01, "{scale}");
    let again = pdf(&svg::for_paper(&plot(), 85.0), 85.0);
    assert_eq!(again.as_deref(), Ok(&*file), "and the same again");
}

#[test]
fn colours_shades_and_dashes_are_those_of_the_drawing() {
    let file = pdf(&svg::svg(&plot()), 178.0).expect("it is a figure");
    let text = String::from_utf8_lossy(&file);
    for part in [
        "0.043 0.420 0.690 RG",
        "/ca 0.15",
        "[6 4] 0 d",
        "/F1 16 Tf",
        "re W n",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert!(!text.contains("0.361 0.690 0.925"), "nothing of the dark");
}

#[test]
fn what_is_not_known_is_refused() {
    let svg = |inner: &str| format!("<svg viewBox=\"0 0 10 10\">{inner}</svg>");
    assert!(pdf(&svg("<rect width=\"1\" height=\"1\"/>"), 85.0).is_ok());
    for wrong in [
        "<image/>",
        "<path d=\"M0 0C1 1 2 2 3 3\"/>",
        "<rect width=\"1\"/>",
        "<rect width=\"1\" height=\"1\" fill=\"red\"/>",
        "<style>rect{filter:blur}</style><rect width=\"1\" height=\"1\"/>",
        "<text transform=\"skewX(3)\">a</text>",
        "<g>words</g>",
    ] {
        assert!(pdf(&svg(wrong), 85.0).is_err(), "{wrong}");
    }
    assert!(pdf("<p", 85.0).is_err());
}
