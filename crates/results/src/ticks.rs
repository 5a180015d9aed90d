//! Round numbers along an axis.

use crate::model::Axis;

/// The range an axis shows and where its ticks are.
#[derive(Clone, Debug)]
pub struct Scale {
    /// Left or lower end.
    pub min: f64,
    /// Right or upper end.
    pub max: f64,
    /// Logarithmic.
    pub log: bool,
    /// Values with a label, ascending.
    pub ticks: Vec<f64>,
    /// Decimals the labels need; `None` for as many as each has.
    pub decimals: Option<u8>,
}

/// Which ticks an axis is to have.
#[derive(Clone, Copy, Debug)]
pub struct Ticks {
    count: usize,
    whole: bool,
}

impl Ticks {
    /// About so many.
    pub fn about(count: usize) -> Ticks {
        Ticks {
            count: count.max(1),
            whole: false,
        }
    }

    /// At whole numbers alone, if only such stand on the axis.
    pub fn whole(self, whole: bool) -> Ticks {
        Ticks { whole, ..self }
    }

    fn step(self, range: f64) -> f64 {
        let step = round_step(range / self.count as f64);
        if self.whole { step.max(1.0) } else { step }
    }
}

impl Scale {
    /// A scale for values from `low` to `high`.
    ///
    /// `snug` keeps to the data; otherwise there is room above, and the axis starts at zero where
    /// that costs little.
    pub fn new(axis: &Axis, low: f64, high: f64, wanted: Ticks, snug: bool) -> Scale {
        let (mut min, mut max) = if low <= high { (low, high) } else { (0.0, 1.0) };
        if axis.log {
            return Scale::logarithmic(axis, min, max);
        }
        if !snug {
            if min > 0.0 && min < 0.6 * max {
                min = 0.0;
            }
            min = axis.min.map_or(min, |end| end.min(min));
            let room = (max - min) * 0.05;
            max += room;
            min -= if min == 0.0 { 0.0 } else { room };
        }
        min = axis.min.unwrap_or(min);
        max = axis.max.unwrap_or(max);
        if min >= max {
            let room = if min == 0.0 { 1.0 } else { min.abs() * 0.1 };
            (min, max) = (min - if min == 0.0 { 0.0 } else { room }, min + room);
        }
        let step = wanted.step(max - min);
        let first = (min / step - 1e-9).ceil() as i64;
        let last = (max / step + 1e-9).floor() as i64;
        Scale {
            min,
            max,
            log: false,
            ticks: (first..=last.min(first.saturating_add(100)))
                .map(|i| i as f64 * step)
                .collect(),
            decimals: Some((-(step.log10() + 1e-9).floor()).clamp(0.0, 12.0) as u8),
        }
        .labelled(axis)
    }

    /// With the ticks that the axis asks for, if it does.
    fn labelled(mut self, axis: &Axis) -> Scale {
        if !axis.at.is_empty() {
            let inside = |tick: &&f64| (self.min..=self.max).contains(*tick);
            self.ticks = axis.at.iter().filter(inside).copied().collect();
            self.decimals = None;
        }
        self
    }

    fn logarithmic(axis: &Axis, low: f64, high: f64) -> Scale {
        let positive = |end: Option<f64>| end.filter(|end| *end > 0.0);
        let low = if low > 0.0 { low } else { 1.0 };
        let high = if high > low { high } else { low * 10.0 };
        let steps: Vec<f64> = (low.log10().floor() as i32 - 1..=high.log10().ceil() as i32 + 1)
            .flat_map(|power| [1.0, 2.0, 5.0].map(|lead| lead * 10f64.powi(power)))
            .collect();
        let steps = if axis.at.is_empty() {
            steps
        } else {
            axis.at.clone()
        };
        let below = steps.iter().rev().find(|step| **step <= low * 1.000_001);
        let above = steps.iter().find(|step| **step >= high * 0.999_999);
        let min = positive(axis.min).unwrap_or(below.copied().unwrap_or(low));
        let max = positive(axis.max).filter(|max| *max > min);
        let max = max.unwrap_or(above.copied().unwrap_or(high).max(min * 2.0));
        // Many decades leave no room for what is between them.
        let decades = (max / min).log10();
        let every = if decades < 2.3 {
            1
        } else {
            3 * (decades / 10.0).ceil() as usize
        };
        let ticks = steps.into_iter().step_by(every);
        Scale {
            min,
            max,
            log: true,
            ticks: ticks
                .filter(|tick| (min * 0.999_999..=max * 1.000_001).contains(tick))
                .collect(),
            decimals: Some(0),
        }
        .labelled(axis)
    }

    /// Where `value` lies between the ends, 0 to 1.
    pub fn share(&self, value: f64) -> f64 {
        if self.log {
            (value.max(1e-300).ln() - self.min.ln()) / (self.max.ln() - self.min.ln())
        } else {
            (value - self.min) / (self.max - self.min)
        }
    }

    /// A tick's label.
    pub fn label(&self, tick: f64) -> String {
        match self.decimals {
            None => crate::number::significant(tick, 9),
            Some(decimals) if !self.log && tick.abs() < 1e9 => crate::number::fixed(tick, decimals),
            Some(_) => crate::number::significant(tick, 3),
        }
    }
}

/// 1, 2 or 5 times a power of ten, whichever is near `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let lead = step / power;
    let round = match lead {
        _ if lead < 1.5 => 1.0,
        _ if lead < 3.5 => 2.0,
        _ if lead < 7.5 => 5.0,
        _ => 10.0,
    };
    round * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let scale = Scale::new(&Axis::default(), 3.0, 97.0, Ticks::about(5), false);
        assert_eq!(scale.ticks, vec![0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(scale.label(20.0), "20");
        let scale = Scale::new(&Axis::default(), 0.0, 0.4, Ticks::about(4), true);
        assert_eq!(scale.label(scale.ticks[1]), "0.1");
    }

    /// Steps are 1, 2 or 5 times a power of ten, and labels have the decimals of the step.
    #[test]
    fn labels_carry_the_digits_of_the_step() {
        for high in [0.003, 0.014, 0.26, 0.9, 1.0, 3.3, 26.0, 26_000.0] {
            for count in 3..9 {
                let scale = Scale::new(&Axis::default(), 0.0, high, Ticks::about(count), true);
                for tick in &scale.ticks {
                    let label = scale.label(*tick).replace(',', "");
                    let read: f64 = label.parse().unwrap();
                    assert!((read - tick).abs() < 1e-9 * high, "{tick} as {label}");
                }
            }
        }
        let scale = Scale::new(&Axis::default(), 0.0, 0.006, Ticks::about(6), true);
        assert_eq!(scale.label(scale.ticks[1]), "0.001", "no digit too many");
    }

    #[test]
    fn whole_numbers_have_whole_ticks() {
        let ticks = Ticks::about(8);
        let scale = |ticks| Scale::new(&Axis::default(), 2.0, 4.0, ticks, true);
        assert_eq!(scale(ticks.whole(true)).ticks, [2.0, 3.0, 4.0]);
        assert!(scale(ticks).ticks.len() > 3);
    }

    #[test]
    fn a_flat_curve_still_has_a_range() {
        for value in [0.0, 7.0, -7.0] {
            let scale = Scale::new(&Axis::default(), value, value, Ticks::about(5), false);
            assert!(scale.min < scale.max, "{scale:?}");
            assert!(!scale.ticks.is_empty());
        }
    }

    #[test]
    fn decades_on_a_logarithmic_axis() {
        let axis = Axis {
            log: true,
            ..Axis::default()
        };
        let scale = Scale::new(&axis, 0.2, 350.0, Ticks::about(5), false);
        assert_eq!(scale.ticks, vec![1.0, 10.0, 100.0]);
        assert!((scale.min - 0.2).abs() < 1e-12 && (scale.max - 500.0).abs() < 1e-9);
        assert!((scale.share(10.0) - 0.5).abs() < 1e-9);
        let short = Scale::new(&axis, 80.0, 320.0, Ticks::about(5), false);
        assert_eq!(short.ticks, vec![50.0, 100.0, 200.0, 500.0]);
    }

    #[test]
    fn ticks_asked_for_are_those_shown() {
        let at = vec![1.0, 2.0, 4.0, 1024.0];
        for log in [false, true] {
            let axis = Axis {
                log,
                at: at.clone(),
                ..Axis::default()
            };
            let scale = Scale::new(&axis, 1.0, 1024.0, Ticks::about(8), true);
            assert_eq!(scale.ticks, at);
            assert_eq!(scale.share(1024.0), 1.0, "no room beyond the last");
            assert_eq!(scale.label(1024.0), "1,024");
        }
    }
}
