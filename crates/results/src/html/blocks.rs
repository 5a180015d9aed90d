//! The blocks of a report as HTML.

use std::fmt::Write as _;

use serde_json::Value;

use super::data;
use crate::escape;
use crate::model::{
    Align, Block, Cell, Column, Excerpt, Fact, Link, OtherUnit, Plot, Table, Tone, Verdict,
    VerdictRow, VerdictValue,
};
use crate::number::{self, Slugs};

/// Letters of a cell before it may wrap.
const NOWRAP: usize = 36;
/// Rows before a table scrolls in its own frame.
const ROWS_OPEN: usize = 30;
/// Decimals of numbers that are shown in another unit than that of their column.
const FITTED_DIGITS: u8 = 3;

/// A heading with the anchor it got.
pub struct Heading {
    pub level: u8,
    pub id: String,
    pub text: String,
}

/// Rendered blocks and what the page around them must know.
#[derive(Default)]
pub struct Rendered {
    pub html: String,
    pub headings: Vec<Heading>,
    pub plots: Vec<Value>,
    /// What is drawn over time, if there is something.
    pub over_time: Option<Value>,
    /// Unit and other unit of time that the page switches between.
    pub other_unit: Option<(String, String)>,
    /// They are those of the time of the run.
    is_run_time: bool,
    pub(super) slugs: Slugs,
}

/// All of `blocks`, top to bottom.
pub fn render(blocks: &[Block]) -> Rendered {
    let mut rendered = Rendered::default();
    for id in ["main", "plots", "over-time", "theme", "unit"] {
        rendered.slugs.unique(id);
    }
    rendered.blocks(blocks);
    rendered
}

/// Text as it is, with a button that copies it.
pub fn code(lang: &str, text: &str) -> String {
    let label = if lang.is_empty() {
        String::new()
    } else {
        format!("<span class=\"lang\">{}</span>", escape::html(lang))
    };
    let class = if lang == "shell" { " shell" } else { "" };
    format!(
        "<div class=\"code{class}\"><pre tabindex=\"0\"><code>{}</code></pre>{label}\
         <button type=\"button\" class=\"tool copy\">Copy</button></div>\n",
        escape::html(text.trim_end())
    )
}

impl Rendered {
    /// Two units between which something can switch: the first of the run's time, else the first.
    pub(super) fn offer_units(&mut self, unit: &str, other: Option<&OtherUnit>, is_run_time: bool) {
        let is_better = self.other_unit.is_none() || (is_run_time && !self.is_run_time);
        if let (true, Some(other)) = (is_better, other) {
            self.other_unit = Some((unit.into(), other.unit.clone()));
            self.is_run_time = is_run_time;
        }
    }

    /// An element of its own line, with what is in it.
    fn element(&mut self, tag: &str, inner: &str) {
        let name = tag.split(' ').next().unwrap_or(tag);
        let _ = writeln!(self.html, "<{tag}>{inner}</{name}>");
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading { level, text } => self.heading(*level, text),
            Block::Text(text) => self.element("div class=\"text\"", &escape::paragraphs(text)),
            Block::Note { tone, text } => self.note(*tone, text),
            Block::Facts(facts) => self.facts(facts),
            Block::Table(table) => self.table(&table.excerpt()),
            Block::Excerpt(excerpt) => self.table(excerpt),
            Block::Plot(plot) => self.plot(plot),
            Block::OverTime(drawn) => self.over_time(drawn),
            Block::Code { lang, text } => self.html.push_str(&code(lang, text)),
            Block::Verdicts(rows) => self.verdicts(rows),
            Block::Links(links) => self.links(links),
            Block::Columns(columns) => {
                self.html.push_str("<div class=\"columns\">\n");
                for column in columns {
                    self.html.push_str("<div>\n");
                    self.blocks(column);
                    self.html.push_str("</div>\n");
                }
                self.html.push_str("</div>\n");
            }
            Block::Fold { summary, blocks } => {
                let summary = escape::inline(summary);
                let _ = writeln!(
                    self.html,
                    "<details class=\"fold\"><summary>{summary}</summary>"
                );
                self.blocks(blocks);
                self.html.push_str("</details>\n");
            }
        }
    }

    pub(super) fn heading(&mut self, level: u8, text: &str) {
        let level = level.clamp(2, 4);
        let id = self.slugs.unique(text);
        let _ = writeln!(
            self.html,
            "<h{level} id=\"{id}\">{}<a class=\"anchor\" href=\"#{id}\" aria-label=\"Link to this \
             section\">#</a></h{level}>",
            escape::inline(text)
        );
        self.headings.push(Heading {
            level,
            id,
            text: text.into(),
        });
    }

    fn note(&mut self, tone: Tone, text: &str) {
        let (class, role) = match tone {
            Tone::Plain => ("plain", "note"),
            Tone::Warning => ("warning", "note"),
            Tone::Problem => ("problem", "alert"),
        };
        let tag = format!("div class=\"note {class}\" role=\"{role}\"");
        self.element(&tag, &escape::paragraphs(text));
    }

    fn facts(&mut self, facts: &[Fact]) {
        self.html.push_str("<dl class=\"facts\">\n");
        for fact in facts {
            let _ = write!(
                self.html,
                "<div><dt>{}</dt><dd>{}</dd>",
                escape::inline(&fact.label),
                escape::inline(&fact.value)
            );
            if !fact.detail.is_empty() {
                let _ = write!(
                    self.html,
                    "<dd class=\"detail\">{}</dd>",
                    escape::inline(&fact.detail)
                );
            }
            self.html.push_str("</div>\n");
        }
        self.html.push_str("</dl>\n");
    }

    fn table(&mut self, Excerpt { table, of, units }: &Excerpt) {
        let id = self.slugs.unique(&format!("table-{}", table.name));
        let long = if table.rows.len() > ROWS_OPEN {
            " long"
        } else {
            ""
        };
        let name = escape::html(&table.name);
        let _ = write!(
            self.html,
            "<figure class=\"table\" id=\"{id}\" data-name=\"{file}\">\n<figcaption><span>\
             <strong>{name}</strong> {caption}</span><span class=\"tools\"><a class=\"tool csv\" \
             href=\"#{id}\" download=\"{file}.csv\">CSV</a></span></figcaption>\n\
             <div class=\"scroll{long}\" tabindex=\"0\" role=\"region\" \
             aria-label=\"Table {name}\"><table>\n<thead><tr>",
            file = number::slug(&table.name),
            caption = escape::inline(&table.caption),
        );
        for ((column, key), fitting) in table.columns.iter().zip(table.keys()).zip(units) {
            self.column(column, &key, fitting.map(|(unit, _)| unit));
        }
        self.html.push_str("</tr></thead>\n<tbody>\n");
        for row in &table.rows {
            self.row(table, row, units);
        }
        self.html.push_str("</tbody></table></div>\n");
        if table.rows.len() < *of {
            let [shown, of] = [table.rows.len(), *of].map(|rows| number::grouped(rows as u64));
            let text = format!(
                "The first {shown} of {of} rows; the CSV file in the run directory has all."
            );
            self.element("p class=\"small\"", &text);
        }
        self.meanings(table);
        self.html.push_str("</figure>\n");
    }

    /// The heading of a column that is shown in its own unit or in one that fits.
    fn column(&mut self, column: &Column, key: &str, fitting: Option<&str>) {
        let class = align_class(column.align);
        let unit = match fitting.unwrap_or(&column.unit) {
            "" => String::new(),
            unit => format!(" <span class=\"unit\">{}</span>", escape::html(unit)),
        };
        let in_unit = match column.unit.as_str() {
            "" => String::new(),
            unit => format!(" [{unit}]"),
        };
        let title = match column.meaning.as_str() {
            "" => format!("{key}{in_unit}"),
            meaning => format!("{key}{in_unit}: {meaning}"),
        };
        let _ = write!(
            self.html,
            "<th scope=\"col\"{class} data-head=\"{key}\" title=\"{title}\"><button \
             type=\"button\">{name}{unit}</button></th>",
            title = escape::html(&title),
            name = escape::html(&column.heading()),
        );
    }

    fn row(&mut self, table: &Table, row: &[Cell], units: &[Option<(&str, f64)>]) {
        self.html.push_str("<tr>");
        for (index, column) in table.columns.iter().enumerate() {
            let class = align_class(column.align);
            let (start, end) = match index {
                0 => ("<th scope=row", "</th>"),
                _ => ("<td", "</td>"),
            };
            let (shown, exact) = match row.get(index).unwrap_or(&Cell::Empty) {
                Cell::Text(text) => shown_text(text),
                Cell::Int(count) => (shown_int(*count), None),
                Cell::Float {
                    value,
                    digits,
                    at_least,
                } if value.is_finite() => {
                    let shown = match units[index] {
                        Some((_, factor)) => number::fixed(value * factor, FITTED_DIGITS),
                        None => number::fixed(*value, *digits),
                    };
                    with_exact(number::bound(*at_least, shown), value.to_string())
                }
                Cell::Float { .. } | Cell::Empty => ("–".into(), Some(String::new())),
            };
            self.html.extend([start, class]);
            if let Some(exact) = exact {
                self.html.extend([" data-v=\"", &exact, "\""]);
            }
            self.html.extend([">", &shown, end]);
        }
        self.html.push_str("</tr>\n");
    }

    fn meanings(&mut self, table: &Table) {
        let columns = &table.columns;
        if columns.iter().all(|column| column.meaning.is_empty()) {
            return;
        }
        self.html
            .push_str("<details class=\"meanings\"><summary>What the columns mean</summary><dl>");
        let named = columns.iter().zip(table.keys());
        for (column, key) in named.filter(|(column, _)| !column.meaning.is_empty()) {
            let _ = write!(
                self.html,
                "<dt><code>{key}</code></dt><dd>{}</dd>",
                escape::inline(&column.meaning)
            );
        }
        self.html.push_str("</dl></details>\n");
    }

    fn plot(&mut self, plot: &Plot) {
        let plot = &plot.legible();
        let id = self.slugs.unique(&format!("plot-{}", plot.id));
        let (value, thinned) = data::plot(plot, &id);
        self.plots.push(value);
        self.offer_units(&plot.x.unit, plot.x.other.as_ref(), plot.x.steps.is_some());
        let names: Vec<&str> = plot
            .curves
            .iter()
            .map(|curve| curve.name.as_str())
            .collect();
        let _ = write!(
            self.html,
            "<figure class=\"plot\" id=\"{id}\">\n<figcaption><span class=\"title\">{title}</span>\
             <span class=\"tools\"><button type=\"button\" class=\"tool reset\" hidden>Reset zoom\
             </button><a class=\"tool csv\" href=\"#{id}\" download=\"{file}.csv\">CSV</a></span>\
             </figcaption>\n<div class=\"legend\"></div>\n<div class=\"chart\" tabindex=\"0\" \
             role=\"application\" aria-roledescription=\"chart\" aria-label=\"{title}: {y} over \
             {x}; {names}\"></div>\n<noscript><p>Charts need JavaScript; the run directory has \
             this one as figures/{path}.svg.</p></noscript>\n",
            title = escape::html(&plot.title),
            file = number::slug(&plot.id),
            path = number::path_slug(&plot.id),
            x = escape::html(&plot.x.title()),
            y = escape::html(&plot.y.title()),
            names = escape::html(&names.join(", ")),
        );
        if !plot.note.is_empty() {
            self.element("div class=\"caption\"", &escape::paragraphs(&plot.note));
        }
        if let Some((shown, of)) = thinned {
            let _ = writeln!(
                self.html,
                "<p class=\"small\">Drawn from {} of {} points; the first, lowest, highest and \
                 last of every slice are kept, so no peak is lost.</p>",
                number::grouped(shown as u64),
                number::grouped(of as u64)
            );
        }
        self.html.push_str("</figure>\n");
    }

    fn links(&mut self, links: &[Link]) {
        self.html.push_str("<ul class=\"links\">\n");
        for link in links {
            let _ = writeln!(
                self.html,
                "<li><a href=\"{}\">{}</a> <span class=\"small\">{}</span></li>",
                escape::html(&link.file),
                escape::inline(&link.title),
                escape::inline(&link.detail)
            );
        }
        self.html.push_str("</ul>\n");
    }

    fn verdicts(&mut self, rows: &[VerdictRow]) {
        let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
        self.html
            .push_str("<div class=\"verdicts\">\n<p class=\"tally\">");
        for verdict in [Verdict::Agrees, Verdict::Differs, Verdict::Failed] {
            let count = count(verdict);
            let (class, word) = match (verdict, count) {
                (Verdict::Agrees, 2..) => ("agrees", "agree"),
                (Verdict::Differs, 2..) => ("differs", "differ"),
                (_, 0) => ("none", verdict_words(verdict).1),
                _ => verdict_words(verdict),
            };
            let _ = write!(
                self.html,
                "<span class=\"badge {class}\">{count} {word}</span> "
            );
        }
        self.html.push_str("</p>\n<ul>\n");
        for row in rows {
            self.verdict(row);
        }
        self.html.push_str("</ul></div>\n");
    }

    fn verdict(&mut self, row: &VerdictRow) {
        let (class, word) = verdict_words(row.verdict);
        let id = self.slugs.unique(&format!("claim-{}", row.id));
        let _ = write!(
            self.html,
            "<li id=\"{id}\" class=\"{class}\"><span class=\"badge {class}\">{word}</span>\
             <div class=\"claim\"><p>{states}</p><p class=\"small\">\
             <a href=\"#{id}\">{name}</a> · {figure}</p>",
            states = escape::inline(&row.states),
            name = escape::html(&row.id),
            figure = escape::html(&row.figure),
        );
        for remark in &row.remarks {
            let _ = write!(
                self.html,
                "<p class=\"reason\">{}</p>",
                escape::inline(remark)
            );
        }
        let (measured, accepted) = match &row.values[..] {
            [one] if one.name.is_empty() => (&*one.value, &*one.accept),
            [] => ("", ""),
            several => {
                self.values(several);
                ("", "")
            }
        };
        self.html.push_str("</div><dl>");
        for (label, value) in [
            ("paper", &*row.paper),
            ("measured", measured),
            ("accepted", accepted),
        ] {
            if !value.is_empty() {
                let _ = write!(
                    self.html,
                    "<div class=\"{label}\"><dt>{label}</dt><dd>{}</dd></div>",
                    escape::html(value)
                );
            }
        }
        self.html.push_str("</dl></li>\n");
    }

    /// The numbers of a statement, by name.
    fn values(&mut self, values: &[VerdictValue]) {
        self.html.push_str(
            "<table class=\"values\"><thead><tr><th>number</th><th>measured</th><th>accepted</th>\
             </tr></thead><tbody>\n",
        );
        for one in values {
            let _ = writeln!(
                self.html,
                "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
                escape::html(&one.name.replace('_', " ")),
                escape::html(&one.value),
                escape::html(&one.accept)
            );
        }
        self.html.push_str("</tbody></table>");
    }
}

fn verdict_words(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Agrees => ("agrees", "agrees"),
        Verdict::Differs => ("differs", "differs"),
        Verdict::Failed => ("failed", "failed"),
    }
}

fn align_class(align: Align) -> &'static str {
    match align {
        Align::Left => "",
        Align::Right => " class=n",
    }
}

/// `words between backticks` are code; what is sorted and downloaded keeps them.
fn shown_text(text: &str) -> (String, Option<String>) {
    let exact = text.contains('`').then(|| escape::html(text));
    let shown = match text.chars().count() > NOWRAP {
        true => format!("<span class=\"wrap\">{}</span>", escape::inline(text)),
        false => escape::inline(text),
    };
    (shown, exact)
}

/// The exact number beside what is shown of it, where more than commas between digits is lost.
fn with_exact(shown: String, exact: String) -> (String, Option<String>) {
    let digits = shown.bytes().filter(|byte| *byte != b',');
    let is_shown = digits.eq(exact.bytes());
    (shown, (!is_shown).then_some(exact))
}

fn shown_int(count: i64) -> String {
    let digits = number::grouped(count.unsigned_abs());
    if count < 0 {
        format!("-{digits}")
    } else {
        digits
    }
}
