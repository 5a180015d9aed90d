//! A report as one page that asks nothing of any network.

mod blocks;
pub(crate) mod data;
mod over_time;

use std::fmt::Write as _;

use crate::drawn::OverTime;
use crate::escape;
use crate::model::{Block, Plot, Report};

const UPLOT_JS: &str = include_str!("../assets/vendor/uplot/uPlot.iife.min.js");
const UPLOT_CSS: &str = include_str!("../assets/vendor/uplot/uPlot.min.css");
const UPLOT_LICENCE: &str = include_str!("../assets/vendor/uplot/LICENSE");
const COMMON_JS: &str = include_str!("../assets/common.js");
const PEN_JS: &str = include_str!("../assets/pen.js");
const SAVE_JS: &str = include_str!("../assets/save.js");
const CLOCK_JS: &str = include_str!("../assets/clock.js");
const MAP_JS: &str = include_str!("../assets/map.js");
const STRIP_JS: &str = include_str!("../assets/strip.js");
const CHART_JS: &str = include_str!("../assets/chart.js");
const REPORT_JS: &str = include_str!("../assets/report.js");
const REPORT_CSS: &str = include_str!("../assets/report.css");
const MAP_CSS: &str = include_str!("../assets/map.css");
const STRIP_CSS: &str = include_str!("../assets/strip.css");

/// Nothing may be fetched, whatever the page holds.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'";

/// Headings before a table of contents pays.
const CONTENTS_FROM: usize = 3;

/// Calls `visit` for every plot, top to bottom, however deep it sits.
pub fn each_plot<'a>(blocks: &'a [Block], visit: &mut impl FnMut(&'a Plot)) {
    for block in blocks {
        match block {
            Block::Plot(plot) => visit(plot),
            Block::Columns(columns) => {
                for column in columns {
                    each_plot(column, visit);
                }
            }
            Block::Fold { blocks, .. } => each_plot(blocks, visit),
            _ => {}
        }
    }
}

/// What a report draws over time, if it does.
pub fn over_time_of(blocks: &[Block]) -> Option<&OverTime> {
    blocks.iter().find_map(|block| match block {
        Block::OverTime(drawn) => Some(&**drawn),
        _ => None,
    })
}

/// The whole page.
pub fn page(report: &Report) -> String {
    let body = blocks::render(&report.blocks);
    let has_plots = !body.plots.is_empty();
    let contents = if body.headings.len() >= CONTENTS_FROM {
        contents(&body.headings)
    } else {
        String::new()
    };
    let mut page = String::with_capacity(body.html.len() + UPLOT_JS.len() + 60_000);
    head(report, has_plots, body.over_time.is_some(), &mut page);
    let _ = write!(
        page,
        "<body{class}>\n<a class=\"skip\" href=\"#main\">Skip to content</a>\n\
         <div class=\"frame\">\n{contents}<div class=\"sheet\">\n",
        class = if contents.is_empty() {
            ""
        } else {
            " class=\"with-contents\""
        },
    );
    masthead(report, body.other_unit.as_ref(), &mut page);
    let _ = write!(
        page,
        "<main id=\"main\">\n{}</main>\n{}</div>\n</div>\n",
        body.html,
        foot(report)
    );
    if has_plots {
        let json = serde_json::to_string(&body.plots).unwrap_or_else(|_| "[]".into());
        let _ = write!(
            page,
            "<script type=\"application/json\" id=\"plots\">{}</script>\n\
             <script>\n/*\nuPlot\n{UPLOT_LICENCE}*/\n{UPLOT_JS}\n</script>\n",
            escape::json_in_script(&json)
        );
    }
    let mut scripts = vec![COMMON_JS, PEN_JS, SAVE_JS, CHART_JS];
    if let Some(drawn) = &body.over_time {
        let json = escape::json_in_script(&drawn.to_string());
        let _ = writeln!(
            page,
            "<script type=\"application/json\" id=\"over-time\">{json}</script>"
        );
        scripts.extend([CLOCK_JS, MAP_JS, STRIP_JS]);
    }
    scripts.push(REPORT_JS);
    page.push_str("<script>\n");
    page.extend(scripts.into_iter().map(bare));
    page.push_str("</script>\n</body>\n</html>\n");
    page
}

fn head(report: &Report, has_plots: bool, is_over_time: bool, page: &mut String) {
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"backwater {version}\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n\
         <style>\n{uplot}{own}{over_time}</style>\n</head>\n",
        own = bare_style(REPORT_CSS),
        version = escape::html(&report.version),
        title = escape::html(&report.title),
        uplot = if has_plots { UPLOT_CSS } else { "" },
        over_time = match is_over_time {
            true => bare_style(MAP_CSS) + &bare_style(STRIP_CSS),
            false => String::new(),
        },
    );
}

/// A script without indentation and without lines that are comments: both take a tenth of it.
fn bare(script: &str) -> String {
    let lines = script.lines().map(str::trim_start);
    let said = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    said.flat_map(|line| [line, "\n"]).collect()
}

/// A style sheet without comments and without spaces that mean nothing.
fn bare_style(style: &str) -> String {
    let said = style.split("/*").map(|part| match part.split_once("*/") {
        Some((_, after)) => after,
        None => part,
    });
    let said: String = said.collect();
    let words: Vec<&str> = said.split_whitespace().collect();
    let pairs = [
        (" {", "{"),
        ("{ ", "{"),
        ("; ", ";"),
        ("} ", "}"),
        (", ", ","),
        (": ", ":"),
    ];
    let bare = words.join(" ");
    pairs
        .iter()
        .fold(bare, |bare, (from, to)| bare.replace(from, to))
}

fn masthead(report: &Report, other_unit: Option<&(String, String)>, page: &mut String) {
    let _ = write!(
        page,
        "<header class=\"masthead\">\n<div class=\"bar\"><span class=\"brand\">backwater \
         <span class=\"version\">{}</span></span>\n<div class=\"switches\">",
        escape::html(&report.version)
    );
    if let Some((unit, other)) = other_unit {
        let _ = write!(
            page,
            "<div class=\"segmented\" role=\"group\" aria-label=\"Unit of time\" id=\"unit\">\
             <button type=\"button\" aria-pressed=\"true\">{}</button>\
             <button type=\"button\" aria-pressed=\"false\">{}</button></div>",
            escape::html(unit),
            escape::html(other)
        );
    }
    let _ = write!(
        page,
        "<button type=\"button\" id=\"theme\" class=\"icon\" aria-label=\"Switch between light and \
         dark\" title=\"Light or dark\"><svg viewBox=\"0 0 20 20\" width=\"18\" height=\"18\" \
         aria-hidden=\"true\"><circle cx=\"10\" cy=\"10\" r=\"7\" fill=\"none\" \
         stroke=\"currentColor\" stroke-width=\"1.5\"/><path d=\"M10 3a7 7 0 0 1 0 14z\" \
         fill=\"currentColor\"/></svg></button></div></div>\n<h1>{}</h1>\n",
        escape::html(&report.title)
    );
    if !report.subtitle.is_empty() {
        let _ = writeln!(
            page,
            "<p class=\"subtitle\">{}</p>",
            escape::inline(&report.subtitle)
        );
    }
    page.push_str("</header>\n");
}

fn contents(headings: &[blocks::Heading]) -> String {
    let mut list = String::new();
    for heading in headings.iter().filter(|heading| heading.level <= 3) {
        let _ = writeln!(
            list,
            "<li class=\"level-{}\"><a href=\"#{}\">{}</a></li>",
            heading.level,
            heading.id,
            escape::inline(&heading.text)
        );
    }
    format!(
        "<nav class=\"contents\" aria-label=\"Contents\"><details open><summary>Contents</summary>\
         <ol>\n{list}</ol></details></nav>\n"
    )
}

fn foot(report: &Report) -> String {
    let mut foot = String::from("<footer>\n");
    if !report.command.is_empty() {
        let _ = write!(
            foot,
            "<p>Made by</p>\n{}",
            blocks::code("shell", &report.command)
        );
    }
    foot.push_str(
        "<p>Charts: drag to zoom, double-click to reset, click a name in the legend to hide its \
         curve. With the keyboard: arrow keys read values, <kbd>+</kbd> and <kbd>-</kbd> zoom, \
         <kbd>Esc</kbd> resets. An open arrow: an interval goes on beyond the axis. In a \
         chart over time a click or <kbd>Enter</kbd> moves the time that map, \
         stops and queues show. Click a column's name to sort a table. This page holds \
         all its data and loads nothing.</p>\n</footer>\n",
    );
    foot
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_script_says_the_same() {
        let script = "// Words.\n  const a = 1; // kept\n\n    // More.\n    a();\n";
        assert_eq!(bare(script), "const a = 1; // kept\na();\n");
    }

    #[test]
    fn a_bare_style_says_the_same() {
        let style = "/* Words. */\na, b > c {\n  color: red; /* more */ margin: 0 1px;\n}\n";
        assert_eq!(bare_style(style), "a,b > c{color:red;margin:0 1px;}");
    }

    /// Lines of text that goes on would lose their start.
    #[test]
    fn no_text_goes_on_over_lines() {
        let scripts = [
            COMMON_JS, PEN_JS, SAVE_JS, CLOCK_JS, MAP_JS, STRIP_JS, CHART_JS, REPORT_JS,
        ];
        for line in scripts.iter().flat_map(|script| script.lines()) {
            assert!(line.matches('`').count().is_multiple_of(2), "{line}");
            assert_eq!(line.contains("/*"), line.contains("*/"), "{line}");
            assert!(!line.ends_with('\\'), "{line}");
        }
    }
}
