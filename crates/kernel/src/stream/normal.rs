//! The quantiles of the normal distribution.

use libm::{log, sqrt};

/// The standard normal quantile of `p`, to about 16 digits; infinite at 0 and 1.
///
/// Wichura's rational approximations (algorithm AS 241, PPND16, Applied Statistics 37, 1988):
/// one in `q = p - 1/2` for the centre, two in `sqrt(-ln(min(p, 1 - p)))` for the tails.
pub fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * ratio(r, &CENTRE);
    }
    let r = sqrt(-log(if q < 0.0 { p } else { 1.0 - p }));
    let tail = if r <= 5.0 {
        ratio(r - 1.6, &TAIL)
    } else if r.is_infinite() {
        r
    } else {
        ratio(r - 5.0, &FAR_TAIL)
    };
    if q < 0.0 { -tail } else { tail }
}

/// Numerator and denominator of a rational function, highest power first.
type Rational = [[f64; 8]; 2];

#[inline]
fn ratio(x: f64, [numerator, denominator]: &Rational) -> f64 {
    polynomial(x, numerator) / polynomial(x, denominator)
}

#[inline]
fn polynomial(x: f64, coefficients: &[f64; 8]) -> f64 {
    coefficients.iter().fold(0.0, |sum, c| sum * x + c)
}

/// P of 0.075..=0.925.
const CENTRE: Rational = [
    [
        2509.0809287301227,
        33430.57558358813,
        67265.7709270087,
        45921.95393154987,
        13731.69376550946,
        1971.5909503065513,
        133.14166789178438,
        3.3871328727963665,
    ],
    [
        5226.495278852854,
        28729.085735721943,
        39307.89580009271,
        21213.794301586597,
        5394.196021424751,
        687.1870074920579,
        42.31333070160091,
        1.0,
    ],
];
/// Down to p = exp(-25).
const TAIL: Rational = [
    [
        0.0007745450142783414,
        0.022723844989269184,
        0.2417807251774506,
        1.2704582524523684,
        3.6478483247632045,
        5.769497221460691,
        4.630337846156546,
        1.4234371107496835,
    ],
    [
        1.0507500716444169e-09,
        0.0005475938084995345,
        0.015198666563616457,
        0.14810397642748008,
        0.6897673349851,
        1.6763848301838038,
        2.053191626637759,
        1.0,
    ],
];
/// Beyond.
const FAR_TAIL: Rational = [
    [
        2.0103343992922881e-07,
        2.7115555687434876e-05,
        0.0012426609473880784,
        0.026532189526576124,
        0.29656057182850487,
        1.7848265399172913,
        5.463784911164114,
        6.657904643501103,
    ],
    [
        2.0442631033899397e-15,
        1.421511758316446e-07,
        1.8463183175100548e-05,
        0.0007868691311456133,
        0.014875361290850615,
        0.1369298809227358,
        0.599832206555888,
        1.0,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles from another implementation; they reach all three approximations.
    const KNOWN: [(f64, f64); 8] = [
        (1e-300, -37.0470962993612),
        (1e-20, -9.262340089798405),
        (1e-10, -6.361340902404056),
        (0.001, -3.090232306167813),
        (0.025, -1.9599639845400538),
        (0.25, -0.6744897501960817),
        (0.9, 1.2815515655446008),
        (0.999, 3.090232306167813),
    ];

    #[test]
    fn quantiles_are_known() {
        for (p, quantile) in KNOWN {
            let error = (normal_quantile(p) / quantile - 1.0).abs();
            assert!(error < 1e-14, "at {p}: off by {error}");
        }
        assert_eq!(normal_quantile(0.5), 0.0);
    }

    #[test]
    fn the_ends_are_infinite() {
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        assert!(normal_quantile(f64::NAN).is_nan());
    }
}
