//! Decimal numbers, exactly.

use std::fmt;

/// A decimal number, exactly as written: `digits / 10^scale`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decimal {
    pub digits: u128,
    pub scale: u32,
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

impl Decimal {
    /// `self * factor`, rounded half up.
    pub(crate) fn times(self, factor: u128) -> Option<u128> {
        let product = self.digits.checked_mul(factor)?;
        let divisor = 10_u128.checked_pow(self.scale)?;
        Some(product / divisor + u128::from(product % divisor >= divisor.div_ceil(2)))
    }

    /// As a float, for what only random draws and reports use.
    pub(crate) fn approximate(self) -> f64 {
        format!("{}e-{}", self.digits, self.scale)
            .parse()
            .unwrap_or(f64::MAX)
    }

    /// A hundredth of it.
    pub(crate) fn percent(self) -> Self {
        Self {
            scale: self.scale + 2,
            ..self
        }
        .shortest()
    }

    /// How many hundredths it is.
    pub(crate) fn in_percent(self) -> Self {
        match self.scale.checked_sub(2) {
            Some(scale) => Self { scale, ..self },
            None => Self {
                digits: self.digits * 10_u128.pow(2 - self.scale),
                scale: 0,
            },
        }
        .shortest()
    }

    pub(crate) fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// Is it more than the whole number `limit`?
    pub(crate) fn exceeds(self, limit: u128) -> bool {
        10_u128
            .checked_pow(self.scale)
            .and_then(|one| one.checked_mul(limit))
            .is_some_and(|limit| self.digits > limit)
    }

    pub(crate) fn shortest(mut self) -> Self {
        while self.scale > 0 && self.digits.is_multiple_of(10) {
            self.digits /= 10;
            self.scale -= 1;
        }
        self
    }
}
