//! Why a specification can't be run.

use alloc::string::String;
use core::fmt;

/// A specification that describes no network that can run: what is wrong, in words. The scenario
/// layer refuses most of them earlier, with more words and a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildError(pub String);

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for BuildError {}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn it_says_what_is_wrong_and_nothing_else() {
        let error = BuildError("a link has no rate".into());
        assert_eq!(error.to_string(), "a link has no rate");
    }
}
