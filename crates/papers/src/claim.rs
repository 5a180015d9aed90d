//! The claims files.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::lab::LabError;

/// One statement of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Stable name.
    pub id: String,
    /// Where the paper states it.
    pub figure: String,
    /// The statement in our words.
    pub states: String,
    /// The number the paper prints.
    pub paper: Option<Value>,
    /// Bounds of what was measured.
    pub accept: Option<Accept>,
    /// What must hold, where bounds don't say it.
    pub check: Option<String>,
    /// Why the printed number can't be met.
    pub known_difference: Option<String>,
    /// The choice under which it holds, where the paper leaves one open or contradicts it.
    pub reading: Option<String>,
}

/// Bounds as the claims file writes them.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Accept {
    /// One value.
    One([f64; 2]),
    /// Several, by name.
    Several(BTreeMap<String, [f64; 2]>),
}

impl Claim {
    /// The paper and the place in it: `kung1993.fig8` of `kung1993.fig8.vc2-buffer`.
    pub fn place(&self) -> &str {
        place(&self.id)
    }

    /// Is it this claim, or one of this figure or section?
    pub fn is(&self, name: &str) -> bool {
        name == self.id || name == self.place()
    }
}

/// Of the name of a claim the paper and the place in it.
pub fn place(id: &str) -> &str {
    let end = id.match_indices('.').nth(1).map_or(id.len(), |(at, _)| at);
    &id[..end]
}

#[derive(Deserialize)]
struct File {
    #[serde(rename = "paper")]
    _paper: String,
    claim: Vec<Claim>,
}

/// Reads a claims file.
///
/// # Errors
/// If it is not the TOML this program expects.
pub fn parse(text: &str) -> Result<Vec<Claim>, LabError> {
    let file: File = toml::from_str(text).map_err(|error| LabError(format!("claims: {error}")))?;
    Ok(file.claim)
}
