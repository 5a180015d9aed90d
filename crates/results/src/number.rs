//! Numbers and spans of time as people read them.

pub use backwater_kernel::words::grouped;
use backwater_kernel::words::grouped_digits;

/// `value` with `digits` decimals and commas before the point.
pub fn fixed(value: f64, digits: u8) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    let text = format!("{:.*}", usize::from(digits), value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let negative = value < 0.0 && text.bytes().any(|b| (b'1'..=b'9').contains(&b));
    let mut shown = String::with_capacity(text.len() + whole.len() / 3 + 1);
    if negative {
        shown.push('-');
    }
    shown.push_str(&grouped_digits(whole));
    shown.push_str(rest);
    shown
}

/// `value` to `digits` significant digits, without trailing zeros: `0.0123`, `12,300`.
pub fn significant(value: f64, digits: u8) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 {
            "0".into()
        } else {
            "–".into()
        };
    }
    let magnitude = value.abs().log10().floor() as i32;
    if !(-6..15).contains(&magnitude) {
        return format!("{:.*e}", usize::from(digits.saturating_sub(1)), value);
    }
    let decimals = (i32::from(digits) - 1 - magnitude).clamp(0, 20) as u8;
    let shown = fixed(value, decimals);
    if shown.contains('.') {
        shown.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        shown
    }
}

/// A fingerprint: `h` and 16 hexadecimal digits. Without the letter those that look like a number,
/// `45e7890163549282` or `1234567890123456`, would be one to most readers of CSV.
pub fn hash(value: u64) -> String {
    format!("h{value:016x}")
}

/// The value of a [`hash`].
pub fn hash_value(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix('h')?, 16).ok()
}

/// `12.35 %` of a share.
pub fn percent(share: f64) -> String {
    format!("{} %", significant(share * 100.0, 4))
}

/// A span given in picoseconds, in the unit that suits it: `68.2 ms`.
pub fn span(ps: f64) -> String {
    const UNITS: [(f64, &str); 5] = [
        (1e12, "s"),
        (1e9, "ms"),
        (1e6, "us"),
        (1e3, "ns"),
        (1.0, "ps"),
    ];
    let (scale, unit) = UNITS
        .into_iter()
        .find(|(scale, _)| ps.abs() >= *scale)
        .unwrap_or((1.0, "ps"));
    format!("{} {unit}", significant(ps / scale, 4))
}

/// A rate given in bits per second, in the unit that suits it: `20 kbps`.
pub fn rate(bps: f64) -> String {
    const UNITS: [(f64, &str); 3] = [(1e9, "Gbps"), (1e6, "Mbps"), (1e3, "kbps")];
    let unit = UNITS.into_iter().find(|(scale, _)| bps.abs() >= *scale);
    let (scale, unit) = unit.unwrap_or((1.0, "bps"));
    format!("{} {unit}", significant(bps / scale, 4))
}

/// The unit of a table or figure whose largest rate is `most`, bits per second: its name, how many
/// bits per second it is, and the decimals shown.
pub fn rate_unit(most_bps: f64) -> (&'static str, f64, u8) {
    match fitting_unit("Mbps", most_bps / 1e6) {
        Some(("Gbps", _)) => ("Gbps", 1e9, 3),
        Some(_) => ("kbps", 1e3, 2),
        None => ("Mbps", 1e6, 2),
    }
}

/// The unit in which a column or an axis of `unit` is read best, where that is another: its name
/// and how many of it make one of `unit`. From 10,000 on the next larger one, below 1 the next
/// smaller; only for rates, sizes and times.
pub fn fitting_unit(unit: &str, largest: f64) -> Option<(&'static str, f64)> {
    const LADDERS: [&[&str]; 3] = [
        &["bps", "kbps", "Mbps", "Gbps"],
        &["bytes", "kB", "MB", "GB"],
        &["ps", "ns", "us", "ms", "s"],
    ];
    let places = LADDERS
        .iter()
        .map(|ladder| ladder.iter().position(|one| *one == unit));
    let (ladder, at) = LADDERS
        .iter()
        .zip(places)
        .find_map(|(l, at)| Some((l, at?)))?;
    if !largest.is_finite() || largest <= 0.0 {
        return None;
    }
    let (mut best, mut factor) = (at, 1.0);
    while largest * factor >= 1e4 && best + 1 < ladder.len() {
        (best, factor) = (best + 1, factor / 1e3);
    }
    while largest * factor < 1.0 && best > 0 {
        (best, factor) = (best - 1, factor * 1e3);
    }
    (best != at).then(|| (ladder[best], factor))
}

/// Rounds to `digits` significant digits, to keep embedded data small.
pub fn rounded(value: f64, digits: usize) -> f64 {
    format!("{:.*e}", digits.saturating_sub(1), value)
        .parse()
        .unwrap_or(value)
}

/// A name that is safe as a file name, an anchor and an id.
pub fn slug(name: &str) -> String {
    let mut safe = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            safe.push(letter.to_ascii_lowercase());
        } else if !safe.is_empty() && !safe.ends_with('-') {
            safe.push('-');
        }
    }
    safe.truncate(60);
    let safe = safe.trim_end_matches('-');
    if safe.is_empty() {
        "unnamed".into()
    } else {
        safe.into()
    }
}

/// A path made of `name`: each part between slashes is a folder, and has its own slug.
pub fn path_slug(name: &str) -> String {
    let parts: Vec<String> = name.split('/').map(slug).collect();
    parts.join("/")
}

/// Slugs that stay apart: the second `a` becomes `a-2`.
#[derive(Debug, Default)]
pub struct Slugs {
    taken: std::collections::BTreeSet<String>,
}

impl Slugs {
    /// A slug of `name` not given before.
    pub fn unique(&mut self, name: &str) -> String {
        self.apart(slug(name))
    }

    /// A path of `name` not given before; slashes stay.
    pub fn unique_path(&mut self, name: &str) -> String {
        self.apart(path_slug(name))
    }

    fn apart(&mut self, base: String) -> String {
        let mut candidate = base.clone();
        let mut count = 2;
        while !self.taken.insert(candidate.clone()) {
            candidate = format!("{base}-{count}");
            count += 1;
        }
        candidate
    }
}

/// A number that may be a bound from below: `≥8.3`.
pub fn bound(at_least: bool, shown: String) -> String {
    match at_least {
        true => format!("≥{shown}"),
        false => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minus_zero_shows_no_sign() {
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(fixed(-1234.5, 1), "-1,234.5");
        assert_eq!(fixed(f64::NAN, 1), "–");
    }

    #[test]
    fn hashes_are_no_numbers_and_read_back() {
        for value in [0, 0xe1, 0x1234_5678_9012_3456, 0x45e7_8901_6354_9282] {
            let text = hash(value);
            assert!(text.parse::<f64>().is_err(), "{text}");
            assert_eq!(hash_value(&text), Some(value));
        }
        assert_eq!(hash_value("1234567890123456"), None);
    }

    #[test]
    fn significant_digits_drop_what_says_nothing() {
        assert_eq!(significant(68.1672, 4), "68.17");
        assert_eq!(significant(0.36800, 4), "0.368");
        assert_eq!(significant(12_345.0, 3), "12,345");
        assert_eq!(significant(1e-9, 3), "1.00e-9");
    }

    #[test]
    fn spans_pick_their_unit() {
        assert_eq!(span(681_672.0), "681.7 ns");
        assert_eq!(span(6.81672e10), "68.17 ms");
        assert_eq!(span(0.0), "0 ps");
    }

    #[test]
    fn rates_pick_their_unit() {
        assert_eq!(rate(20_000.0), "20 kbps");
        assert_eq!(rate(622e6), "622 Mbps");
        assert_eq!(rate(999.0), "999 bps");
    }

    #[test]
    fn fast_and_slow_networks_have_units_of_their_own() {
        assert_eq!(rate_unit(9.99e9), ("Mbps", 1e6, 2));
        assert_eq!(rate_unit(1e10), ("Gbps", 1e9, 3));
        assert_eq!(rate_unit(0.0), ("Mbps", 1e6, 2));
        assert_eq!(rate_unit(178_600.0), ("kbps", 1e3, 2));
    }

    #[test]
    fn columns_are_read_in_units_that_fit() {
        assert_eq!(fitting_unit("Mbps", 98_405.0), Some(("Gbps", 1e-3)));
        assert_eq!(fitting_unit("Mbps", 9_999.0), None);
        assert_eq!(fitting_unit("us", 23_400.0), Some(("ms", 1e-3)));
        assert_eq!(fitting_unit("us", 3e7), Some(("s", 1e-6)));
        assert_eq!(fitting_unit("s", 9.8e-6), Some(("us", 1e6)));
        assert_eq!(fitting_unit("s", 20_000.0), None);
        for (unit, largest) in [("us", 0.0), ("us", f64::NAN), ("cells", 1e9), ("ps", 0.1)] {
            assert_eq!(fitting_unit(unit, largest), None);
        }
    }

    #[test]
    fn slugs_are_safe_and_apart() {
        let mut slugs = Slugs::default();
        assert_eq!(slugs.unique("../../VC 1 </script>"), "vc-1-script");
        assert_eq!(slugs.unique("vc 1 script"), "vc-1-script-2");
        assert_eq!(slugs.unique("///"), "unnamed");
    }
}
