//! The plots of a report that was written, as its page holds them: the reverse of `html/data.rs`.

use serde_json::Value;

use crate::model::{Axis, Curve, Mark, OtherUnit, Plot, Style};

const BEGIN: &str = "<script type=\"application/json\" id=\"plots\">";

/// All plots of a page, in its order; each curve has the points that the page has.
///
/// # Errors
/// If the page is no report.
pub fn plots_of(page: &str) -> Result<Vec<Plot>, String> {
    let Some((_, after)) = page.split_once(BEGIN) else {
        return Ok(Vec::new());
    };
    let (json, _) = after.split_once("</script>").ok_or("the page ends early")?;
    let plots: Vec<Value> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    plots.iter().map(plot).collect()
}

fn plot(value: &Value) -> Result<Plot, String> {
    let id = word(value, "id");
    let curves = items(value, "curves").map(|curve| one_curve(curve, value));
    let marks = items(value, "marks").map(|mark| {
        let (at, label) = (number(&mark["at"]), word(mark, "label"));
        match mark["vertical"] == true {
            true => Mark::vertical(at, label),
            false => Mark::horizontal(at, label),
        }
    });
    let curves = curves.collect::<Result<_, _>>()?;
    let id = id.strip_prefix("plot-").unwrap_or(&id);
    let plot = Plot::new(id, word(value, "title"), curves);
    Ok(plot
        .x(axis(&value["x"]))
        .y(axis(&value["y"]))
        .marks(marks.collect()))
}

fn one_curve(curve: &Value, plot: &Value) -> Result<Curve, String> {
    let place = curve["x"].as_u64().unwrap_or(0) as usize;
    let style = match curve["style"].as_str() {
        Some("line") => Style::Line,
        Some("step") => Style::Step,
        Some("points") => Style::Points,
        Some("bars") => Style::Bars,
        Some("spans") => Style::Spans,
        other => return Err(format!("a curve of style {other:?}")),
    };
    let ends = [&curve["low"], &curve["high"]];
    let interval = ends.iter().all(|end| end.is_array());
    Ok(Curve {
        dashed: curve["dashed"] == true,
        interval: interval.then(|| (numbers(ends[0]), numbers(ends[1]))),
        until: match &curve["until"] {
            Value::Null => Vec::new(),
            until => numbers(until),
        },
        ..Curve::new(
            word(curve, "name"),
            style,
            numbers(&plot["xs"][place]),
            numbers(&curve["y"]),
        )
    })
}

fn axis(value: &Value) -> Axis {
    let other = value.get("other").map(|other| OtherUnit {
        unit: word(other, "unit"),
        per_unit: number(&other["per"]),
    });
    let names = items(value, "names").filter_map(Value::as_str);
    Axis {
        min: value["min"].as_f64(),
        max: value["max"].as_f64(),
        steps: value["steps"].as_f64(),
        log: value["log"] == true,
        at: numbers(&value["at"]),
        names: names.map(String::from).collect(),
        other,
        ..Axis::new(word(value, "label"), word(value, "unit"))
    }
}

fn word(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or("").into()
}

fn items<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value[field].as_array().into_iter().flatten()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

fn numbers(value: &Value) -> Vec<f64> {
    let all = value.as_array().into_iter().flatten();
    all.map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::data;
    use crate::svg;

    #[test]
    fn a_plot_is_drawn_from_its_page_as_before() {
        let x = vec![0.0, 1.0, 2.5];
        let line = Curve {
            interval: Some((vec![1.0, 2.0, 2.0], vec![2.0, 3.0, 5.0])),
            ..Curve::new("a <b>", Style::Line, x.clone(), vec![1.5, 2.5, f64::NAN])
        };
        let dots = Curve {
            dashed: true,
            ..Curve::new("c", Style::Points, x, vec![3.0, 2.0, 1.0])
        };
        let plot = Plot::new("two", "Two </script>", vec![line, dots])
            .x(Axis::new("Load", "Mbps").from_zero())
            .y(Axis::new("Delay", "us").log())
            .marks(vec![
                Mark::vertical(1.0, "here"),
                Mark::horizontal(2.0, "there"),
            ]);
        let (json, _) = data::plot(&plot, "plot-two");
        let json = crate::escape::json_in_script(&format!("[{json}]"));
        let page = format!("<p>{BEGIN}{json}</script>");
        let read = plots_of(&page).expect("it is a page");
        assert_eq!(read.len(), 1);
        assert_eq!(svg::svg(&read[0]), svg::svg(&plot));
        assert!(plots_of("<p>").expect("a page without plots").is_empty());
        assert!(plots_of(&format!("{BEGIN}[{{")).is_err());
    }
}
