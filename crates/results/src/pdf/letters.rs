//! Letters of the fonts that every reader of PDF has, and how wide they are.

use std::fmt::Write as _;

/// A font.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Font {
    /// Helvetica.
    Plain,
    /// Helvetica, bold.
    Bold,
    /// Greek, arrows, relations.
    Symbol,
}

/// Letters of one font that follow each other.
pub struct Run {
    /// Their font.
    pub font: Font,
    codes: Vec<u8>,
    /// How wide they are where letters are 1 high. Bold ones are taken for plain ones.
    pub width: f64,
}

impl Run {
    /// Their codes as digits.
    pub fn hex(&self) -> String {
        self.codes.iter().fold(String::new(), |mut digits, code| {
            let _ = write!(digits, "{code:02X}");
            digits
        })
    }
}

/// Widths of the letters from the space to `~`, in thousandths.
const ASCII: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// Of those from U+00A0 to U+00FF.
const LATIN: [u16; 96] = [
    278, 333, 556, 556, 556, 556, 260, 556, 333, 737, 370, 556, 584, 333, 737, 333, 400, 584, 333,
    333, 333, 556, 537, 278, 333, 333, 365, 556, 834, 834, 834, 611, 667, 667, 667, 667, 667, 667,
    1000, 722, 667, 667, 667, 667, 278, 278, 278, 278, 722, 722, 778, 778, 778, 778, 778, 584, 778,
    722, 722, 722, 722, 667, 667, 611, 556, 556, 556, 556, 556, 556, 889, 500, 556, 556, 556, 556,
    278, 278, 278, 278, 556, 556, 556, 556, 556, 556, 556, 584, 611, 556, 556, 556, 556, 500, 556,
    500,
];
/// What Windows has between: letter, code, width.
const BETWEEN: [(char, u8, u16); 11] = [
    ('\u{20ac}', 0x80, 556),
    ('\u{2026}', 0x85, 1000),
    ('\u{2030}', 0x89, 1000),
    ('\u{2018}', 0x91, 222),
    ('\u{2019}', 0x92, 222),
    ('\u{201c}', 0x93, 333),
    ('\u{201d}', 0x94, 333),
    ('\u{2022}', 0x95, 350),
    ('\u{2013}', 0x96, 556),
    ('\u{2014}', 0x97, 1000),
    ('\u{2122}', 0x99, 1000),
];
/// Letters of Symbol: letter, code, width.
const SYMBOLS: [(char, u8, u16); 22] = [
    ('\u{2190}', 0xac, 987),
    ('\u{2192}', 0xae, 987),
    ('\u{2194}', 0xab, 1042),
    ('\u{2191}', 0xad, 603),
    ('\u{2193}', 0xaf, 603),
    ('\u{2264}', 0xa3, 549),
    ('\u{2265}', 0xb3, 549),
    ('\u{2260}', 0xb9, 549),
    ('\u{2248}', 0xbb, 549),
    ('\u{221e}', 0xa5, 713),
    ('\u{2212}', 0x2d, 549),
    ('\u{0394}', 0x44, 612),
    ('\u{03a3}', 0x53, 592),
    ('\u{03b1}', 0x61, 631),
    ('\u{03b2}', 0x62, 549),
    ('\u{03b4}', 0x64, 494),
    ('\u{03bb}', 0x6c, 549),
    ('\u{03bc}', 0x6d, 576),
    ('\u{03c0}', 0x70, 549),
    ('\u{03c1}', 0x72, 549),
    ('\u{03c3}', 0x73, 603),
    ('\u{03c4}', 0x74, 439),
];

/// Has none of the fonts this letter? Lines may be broken anywhere in a drawing.
pub fn is_absent(c: char) -> bool {
    !c.is_whitespace() && c != '?' && letter(c) == letter('?')
}

/// The letter's font, code and width; what none of the fonts has is a question mark.
fn letter(c: char) -> (Font, u8, u16) {
    let code = u32::from(c);
    let of = |table: &[(char, u8, u16)]| table.iter().copied().find(|one| one.0 == c);
    match code {
        0x20..=0x7e => (Font::Plain, code as u8, ASCII[code as usize - 0x20]),
        0xa0..=0xff => (Font::Plain, code as u8, LATIN[code as usize - 0xa0]),
        _ => match (of(&BETWEEN), of(&SYMBOLS)) {
            (Some((_, code, width)), _) => (Font::Plain, code, width),
            (_, Some((_, code, width))) => (Font::Symbol, code, width),
            (None, None) => (Font::Plain, b'?', ASCII[0x1f]),
        },
    }
}

/// Words as runs of one font each.
pub fn runs(text: &str, is_bold: bool) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for c in text.chars() {
        let (font, code, width) = letter(c);
        let font = match font {
            Font::Plain if is_bold => Font::Bold,
            other => other,
        };
        if runs.last().is_none_or(|run| run.font != font) {
            runs.push(Run {
                font,
                codes: Vec::new(),
                width: 0.0,
            });
        }
        if let Some(run) = runs.last_mut() {
            run.codes.push(code);
            run.width += f64::from(width) / 1000.0;
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_font_has_is_known() {
        let absent: String = "é → ≥ Ж ? 漢".chars().filter(|c| is_absent(*c)).collect();
        assert_eq!(absent, "Ж漢");
    }

    #[test]
    fn words_are_runs_of_fonts() {
        let found = runs("A \u{2192} B", false);
        let fonts: Vec<Font> = found.iter().map(|run| run.font).collect();
        assert_eq!(fonts, [Font::Plain, Font::Symbol, Font::Plain]);
        assert_eq!(found[1].hex(), "AE");
        let width: f64 = found.iter().map(|run| run.width).sum();
        assert!((width - (0.667 + 0.278 + 0.987 + 0.278 + 0.667)).abs() < 1e-9);
        assert_eq!(runs("\u{4e2d}", true)[0].hex(), "3F", "a question mark");
    }
}
