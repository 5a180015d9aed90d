//! The rules of the house, held against the tree itself.
//!
//! Every rule is a function from text to complaints; beside it stands a test that it can
//! complain. A complaint says where, and what to do.

mod arms;
mod circles;
mod claims;
mod code;
mod documents;
mod files;
mod language;
mod layers;
mod names;
mod rooms;
mod scenarios;
mod style;
mod tables;
mod words;

/// Fails with all complaints and the way to put them right.
fn hold(complaints: Vec<String>, how_to_fix: &str) {
    assert!(
        complaints.is_empty(),
        "\n{}\n\nhow to fix: {how_to_fix}\n",
        complaints.join("\n")
    );
}
