//! A source that is written outside, as an application.

use alloc::boxed::Box;

use backwater_kernel::{Duration, Time};

use crate::outside::{Emission, Source, SourceRecipe};

/// It, and when it begins.
pub struct Offering {
    source: Box<dyn Source + Send>,
    /// When it is asked first.
    pub(crate) start: Option<Time>,
}

impl Offering {
    /// As its recipe makes it.
    pub(crate) fn new(recipe: &SourceRecipe) -> Offering {
        let mut source = recipe.make();
        let start = source.start();
        Offering { source, start }
    }

    /// Everything happens so much later. Before the first timer only.
    pub(crate) fn postpone(&mut self, by: Duration) {
        self.start = self.start.map(|start| start + by);
    }

    /// An instant has come that it named.
    pub(crate) fn on_timer(&mut self, now: Time) -> Emission {
        self.source.on_timer(now)
    }
}
