//! Sources and source control written outside this program, to try an idea before it is written
//! here: whoever runs a scenario says how they are made, and they are called at their events.
//!
//! A [`Recipe`] stands in the specification where traffic or control would: it makes a fresh one
//! for each flow, and for each transfer that begins with a fresh window. What it makes knows no
//! more than any other source or scheme of this crate, and is held to the same rules: time is a
//! parameter, an instant that has passed is not named again.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt;
use core::ops::{Deref, DerefMut};

use backwater_kernel::Time;

use crate::control::hooks::Control;

/// How something that is written outside is made.
pub struct Recipe<T: ?Sized>(Arc<dyn Fn() -> Box<T> + Send + Sync>);

/// How control of a flow or a connection is made.
pub type ControlRecipe = Recipe<dyn Control + Send>;

/// How a source is made.
pub type SourceRecipe = Recipe<dyn Source + Send>;

/// What a source answers when it is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Emission {
    /// Units offered now; bytes where frames carry them.
    pub units: u64,
    /// When to ask again.
    pub next: Option<Time>,
}

/// What an application of someone else's offers: units over a circuit, bytes over frames.
pub trait Source {
    /// When it is asked first; `None`: never.
    fn start(&mut self) -> Option<Time>;

    /// An instant has come that it named. It is asked again later than now.
    fn on_timer(&mut self, now: Time) -> Emission;
}

impl<T: ?Sized> Recipe<T> {
    /// Calls this for each that is needed.
    pub fn new(make: impl Fn() -> Box<T> + Send + Sync + 'static) -> Recipe<T> {
        Recipe(Arc::new(make))
    }

    /// A fresh one.
    pub fn make(&self) -> Box<T> {
        (self.0)()
    }
}

impl<T: ?Sized> Clone for Recipe<T> {
    fn clone(&self) -> Self {
        Recipe(self.0.clone())
    }
}

/// The same recipe, not one that makes the same.
impl<T: ?Sized> PartialEq for Recipe<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: ?Sized> fmt::Debug for Recipe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recipe")
    }
}

/// Control that is written outside. A copy is a fresh one.
pub struct Outside {
    made: Box<dyn Control + Send>,
    recipe: ControlRecipe,
}

impl Outside {
    /// As its recipe makes it.
    pub fn new(recipe: &ControlRecipe) -> Outside {
        Outside {
            made: recipe.make(),
            recipe: recipe.clone(),
        }
    }
}

impl Clone for Outside {
    fn clone(&self) -> Outside {
        Outside::new(&self.recipe)
    }
}

impl fmt::Debug for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Outside")
    }
}

impl Deref for Outside {
    type Target = dyn Control + Send;
    fn deref(&self) -> &Self::Target {
        &*self.made
    }
}

impl DerefMut for Outside {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.made
    }
}

#[cfg(test)]
mod tests;
