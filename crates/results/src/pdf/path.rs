//! Paths of a drawing as operators of a page.

use std::fmt::Write as _;

/// The operators of a path of lines.
pub fn operators(path: &str) -> Result<String, String> {
    let mut out = String::with_capacity(path.len() * 2);
    let (mut x, mut y) = (0.0, 0.0);
    let mut rest = path.trim();
    while let Some(command) = rest.chars().next() {
        rest = &rest[1..];
        let end = rest.find(|c: char| c.is_ascii_alphabetic());
        let (numbers, others) = rest.split_at(end.unwrap_or(rest.len()));
        rest = others;
        let wrong = || format!("`{command}{numbers}` in a path");
        let numbers = numbers.split([' ', ',']).filter(|text| !text.is_empty());
        let numbers: Result<Vec<f64>, _> = numbers.map(str::parse).collect();
        let numbers = numbers.map_err(|_| wrong())?;
        match (command, numbers.as_slice()) {
            ('M' | 'L', &[to_x, to_y]) => (x, y) = (to_x, to_y),
            ('m' | 'l', &[by_x, by_y]) => (x, y) = (x + by_x, y + by_y),
            ('H', &[to]) => x = to,
            ('h', &[by]) => x += by,
            ('V', &[to]) => y = to,
            ('v', &[by]) => y += by,
            ('Z' | 'z', []) => {
                out.push_str("h ");
                continue;
            }
            _ => return Err(wrong()),
        }
        let operator = if matches!(command, 'M' | 'm') {
            'm'
        } else {
            'l'
        };
        let _ = write!(out, "{x:.2} {y:.2} {operator} ");
    }
    out.truncate(out.trim_end().len());
    Ok(out)
}
