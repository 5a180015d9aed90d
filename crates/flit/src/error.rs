//! Why a network can't be built.

use alloc::string::String;
use core::fmt;

/// A spec that describes no network that can run: what is wrong, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildError(pub String);

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for BuildError {}
