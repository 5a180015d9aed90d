//! How the blocks of a page are declared.

use super::{Block, Fact, Plot, Tone};

impl Block {
    /// A section starts.
    pub fn heading(text: impl Into<String>) -> Block {
        Block::Heading {
            level: 2,
            text: text.into(),
        }
    }

    /// A section of figures; nothing without one.
    pub fn figures(title: impl Into<String>, plots: Vec<Plot>) -> Vec<Block> {
        let title = (!plots.is_empty()).then(|| Block::heading(title));
        let plots = plots.into_iter().map(Block::Plot);
        title.into_iter().chain(plots).collect()
    }

    /// Something broke.
    pub fn problem(text: impl Into<String>) -> Block {
        Block::note(Tone::Problem, text)
    }

    /// Something to look at twice.
    pub fn warning(text: impl Into<String>) -> Block {
        Block::note(Tone::Warning, text)
    }

    /// A sentence that must not be missed.
    pub fn note(tone: Tone, text: impl Into<String>) -> Block {
        let text = text.into();
        Block::Note { tone, text }
    }

    /// Text as it is, in this language.
    pub fn code(lang: &str, text: &str) -> Block {
        Block::Code {
            lang: lang.into(),
            text: text.into(),
        }
    }

    /// Shown when asked for.
    pub fn fold(summary: impl Into<String>, block: Block) -> Block {
        Block::Fold {
            summary: summary.into(),
            blocks: vec![block],
        }
    }
}

impl Fact {
    /// A number that matters, and a remark on it; empty for none.
    pub fn new(
        label: impl Into<String>,
        value: impl Into<String>,
        detail: impl Into<String>,
    ) -> Fact {
        Fact {
            label: label.into(),
            value: value.into(),
            detail: detail.into(),
        }
    }
}
