//! Names below an axis: level if all have room side by side, else slanted, and as many as there is
//! room for.

use std::fmt::Write as _;

use crate::escape;
use crate::lines::cut;
use crate::model::Axis;

/// Width of a letter, by estimate.
const LETTER: f64 = 7.0;
/// Between names that stand side by side.
const GAP: f64 = 10.0;
/// Between names that are slanted, along the axis.
const SLANTED_GAP: f64 = 18.0;
/// Letters that are shown of a long name.
const LETTERS: usize = 22;
/// Share of its length that a slanted name goes to the side, and down: half a right angle.
const ASIDE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// How the names of an axis are written.
pub struct Names {
    is_slanted: bool,
    /// Of so many names one is shown.
    every: usize,
    /// Letters of the longest.
    longest: usize,
    /// Letters of a level name that stand beside others.
    level: usize,
}

impl Names {
    /// On an axis so wide.
    pub fn of(axis: &Axis, width: f64) -> Names {
        let letters = axis.names.iter().map(|name| name.chars().count());
        let longest = letters.max().unwrap_or(0).min(LETTERS);
        let room = width / axis.names.len().max(1) as f64;
        let is_slanted = longest as f64 * LETTER + GAP > room;
        Names {
            is_slanted,
            every: match is_slanted {
                true => (SLANTED_GAP / room).ceil().max(1.0) as usize,
                false => 1,
            },
            longest,
            level: ((room - GAP) / LETTER).max(0.0) as usize,
        }
    }

    /// How much further down they reach than numbers do.
    pub fn more_height(&self) -> f64 {
        match self.is_slanted {
            true => (self.longest as f64 * LETTER * ASIDE - GAP)
                .max(0.0)
                .round(),
            false => 0.0,
        }
    }

    /// The places of those that are shown, from 0.
    pub fn shown(&self, axis: &Axis) -> impl Iterator<Item = usize> {
        (0..axis.names.len()).step_by(self.every)
    }

    /// A name in the middle below (x, y).
    pub fn write(&self, name: &str, (x, y): (f64, f64), out: &mut String) {
        if !self.is_slanted {
            let name = escape::html(&cut(name, self.level));
            let _ = write!(
                out,
                "<text class=\"m\" x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{name}</text>"
            );
            return;
        }
        // It ends at its bar and begins inside the figure.
        let room = (x / (LETTER * ASIDE)) as usize;
        let name = cut(name, room.min(LETTERS));
        let _ = write!(
            out,
            "<text class=\"m\" transform=\"translate({:.1} {}) rotate(-45)\" \
             text-anchor=\"end\">{}</text>",
            x + 4.0,
            y - 6.0,
            escape::html(&name)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(names: &[&str], width: f64) -> (Vec<String>, f64) {
        let axis = Axis::of_names("Flow", names.iter().map(|name| (*name).into()));
        let all = Names::of(&axis, width);
        let mut texts = vec![String::new(); names.len()];
        for place in all.shown(&axis) {
            all.write(names[place], (100.0, 20.0), &mut texts[place]);
        }
        (texts, all.more_height())
    }

    #[test]
    fn few_short_names_stand_level() {
        let (texts, more) = written(&["a", "b<c"], 200.0);
        let level = "<text class=\"m\" x=\"100.0\" y=\"20\" text-anchor=\"middle\">";
        assert_eq!(
            texts,
            [format!("{level}a</text>"), format!("{level}b&lt;c</text>")]
        );
        assert_eq!(more, 0.0);
    }

    #[test]
    fn level_names_have_the_room_between_bars() {
        let long = "a port with a name that never seems to end";
        let (texts, _) = written(&[long, "b"], 400.0);
        // 200 px are 27 letters and a gap.
        assert!(
            texts[0].ends_with(">a port with a… seems to end</text>"),
            "{}",
            texts[0]
        );
        let (texts, _) = written(&[long, "b"], 700.0);
        assert!(texts[0].contains(long));
    }

    #[test]
    fn long_names_are_slanted_and_cut() {
        let long = "a port with a name that never seems to end";
        let (texts, more) = written(&[long, "b"], 200.0);
        assert!(texts[0].contains("rotate(-45)"));
        // 100 px to the left edge are 20 letters.
        assert!(
            texts[0].ends_with(">a port wit…ms to end</text>"),
            "{}",
            texts[0]
        );
        assert!(texts[1].ends_with(">b</text>"));
        // 22 letters of 7 px, down by half a right angle.
        assert_eq!(more, (22.0 * 7.0 * ASIDE - GAP).round());
    }

    #[test]
    fn of_many_names_some_are_shown() {
        let names: Vec<String> = (0..100).map(|flow| format!("flow{flow}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (texts, _) = written(&names, 600.0);
        let shown: Vec<usize> = (0..100).filter(|at| !texts[*at].is_empty()).collect();
        // 6 px each, 18 px between slanted ones.
        assert_eq!(shown, (0..100).step_by(3).collect::<Vec<_>>());
    }
}
