//! Decimal numbers, kept exactly as they are written.

use core::fmt;

use alloc::format;
use alloc::string::{String, ToString};

use crate::units::Unit;

/// Why a text is no quantity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It does not start with a number.
    NoNumber,
    /// It is below zero.
    Negative,
    /// A number without a unit.
    NoUnit,
    /// A unit that is not one of these.
    UnknownUnit(String),
    /// More than the simulator's integers hold.
    TooLarge,
    /// A fraction of what can't be divided.
    Broken,
}

/// A decimal number, exactly as written: `digits / 10^scale`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decimal {
    /// All its digits, without the point.
    pub digits: u128,
    /// How many of them stand behind the point.
    pub scale: u32,
}

impl Decimal {
    /// `self * factor`, rounded half up.
    pub fn times(self, factor: u128) -> Option<u128> {
        let product = self.digits.checked_mul(factor)?;
        let divisor = 10_u128.checked_pow(self.scale)?;
        Some(product / divisor + u128::from(product % divisor >= divisor.div_ceil(2)))
    }

    /// As a float, for what only random draws and reports use.
    pub fn approximate(self) -> f64 {
        format!("{}e-{}", self.digits, self.scale)
            .parse()
            .unwrap_or(f64::MAX)
    }

    /// A hundredth of it.
    pub fn percent(self) -> Self {
        Self {
            scale: self.scale + 2,
            ..self
        }
        .shortest()
    }

    /// How many hundredths it is.
    pub fn in_percent(self) -> Self {
        match self.scale.checked_sub(2) {
            Some(scale) => Self { scale, ..self },
            None => Self {
                digits: self.digits * 10_u128.pow(2 - self.scale),
                scale: 0,
            },
        }
        .shortest()
    }

    /// Is it nothing?
    pub fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// Is it more than the whole number `limit`?
    pub fn exceeds(self, limit: u128) -> bool {
        10_u128
            .checked_pow(self.scale)
            .and_then(|one| one.checked_mul(limit))
            .is_some_and(|limit| self.digits > limit)
    }

    /// The same without zeros at its end.
    pub fn shortest(mut self) -> Self {
        while self.scale > 0 && self.digits.is_multiple_of(10) {
            self.digits /= 10;
            self.scale -= 1;
        }
        self
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.digits.to_string();
        if self.scale > 0 {
            let width = self.scale as usize + 1;
            text = format!("{text:0>width$}");
            text.insert(text.len() - self.scale as usize, '.');
        }
        f.write_str(&text)
    }
}

/// Splits the number off the front of a text. Accepts `12`, `1_000`, `0.5`, `.5` and `1e-3`.
///
/// # Errors
/// If there is none, it is below zero, or has too many digits.
pub fn split_number(text: &str) -> Result<(Decimal, &str), Fault> {
    let text = text.trim();
    let body = text.strip_prefix('+').unwrap_or(text);
    let (negative, body) = match body.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, body),
    };
    let (mut digits, mut scale, mut point, mut any, mut used) = (0_u128, 0_u32, false, false, 0);
    for c in body.chars() {
        match c {
            '0'..='9' => {
                let digit = u128::from(c as u8 - b'0');
                digits = digits
                    .checked_mul(10)
                    .and_then(|tens| tens.checked_add(digit))
                    .ok_or(Fault::TooLarge)?;
                scale += u32::from(point);
                any = true;
            }
            '.' if !point => point = true,
            '_' if any => {}
            _ => break,
        }
        used += c.len_utf8();
    }
    if !any {
        return Err(Fault::NoNumber);
    }
    let (exponent, rest) = split_exponent(&body[used..]);
    let number = raise(Decimal { digits, scale }, exponent)?;
    if negative && !number.is_zero() {
        return Err(Fault::Negative);
    }
    Ok((number, rest.trim()))
}

fn split_exponent(text: &str) -> (i32, &str) {
    let Some(rest) = text.strip_prefix(['e', 'E']) else {
        return (0, text);
    };
    let signed = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    let digits = signed.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return (0, text);
    }
    let end = rest.len() - signed.len() + digits;
    (rest[..end].parse().unwrap_or(i32::MAX), &rest[end..])
}

fn raise(number: Decimal, exponent: i32) -> Result<Decimal, Fault> {
    if number.is_zero() {
        return Ok(Decimal {
            digits: 0,
            scale: 0,
        });
    }
    let number = number.shortest();
    let scale = i64::from(number.scale) - i64::from(exponent);
    if scale > 36 {
        // Below any unit the simulator counts in: as good as nothing.
        return Ok(Decimal {
            digits: 0,
            scale: 0,
        });
    }
    if scale >= 0 {
        return Ok(Decimal {
            digits: number.digits,
            scale: scale as u32,
        });
    }
    let power = u32::try_from(-scale)
        .ok()
        .and_then(|power| 10_u128.checked_pow(power));
    let digits = power.and_then(|power| number.digits.checked_mul(power));
    Ok(Decimal {
        digits: digits.ok_or(Fault::TooLarge)?,
        scale: 0,
    })
}

/// Reads `text` as a number and one of `units`; gives the number and the unit's worth.
///
/// # Errors
/// If it is neither.
pub fn quantity(text: &str, units: &[Unit]) -> Result<(Decimal, u128), Fault> {
    let (number, unit) = split_number(text)?;
    if unit.is_empty() {
        return Err(Fault::NoUnit);
    }
    match units.iter().find(|(name, _)| *name == unit) {
        Some((_, worth)) => Ok((number, *worth)),
        None => Err(Fault::UnknownUnit(unit.into())),
    }
}

/// `text` in what its units are worth, rounded half up; at most `most`.
///
/// # Errors
/// If it is no such quantity, or more.
pub fn measured(text: &str, units: &[Unit], most: u64) -> Result<u64, Fault> {
    let (number, worth) = quantity(text, units)?;
    let number = number.times(worth).filter(|number| *number <= most.into());
    number.map(|number| number as u64).ok_or(Fault::TooLarge)
}
