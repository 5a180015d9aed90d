//! Values that many places have in common.

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use core::ops::{Deref, DerefMut};

/// So many values are compared with a new one before it is taken for another.
const COMPARED: usize = 16;

/// A value that other places may have too: it is stored once, and who changes it gets one of its
/// own first. A large network says the same of most of its channels.
#[derive(PartialEq, Debug)]
pub struct Common<T>(Arc<T>);

impl<T> Clone for Common<T> {
    fn clone(&self) -> Common<T> {
        Common(Arc::clone(&self.0))
    }
}

impl<T> From<T> for Common<T> {
    fn from(value: T) -> Common<T> {
        Common(Arc::new(value))
    }
}

impl<T> Deref for Common<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Common<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

/// Finds values that were there before, among the last few that differ.
#[derive(Debug)]
pub struct Commons<T> {
    /// The one that was found last comes first.
    known: VecDeque<Common<T>>,
}

impl<T> Default for Commons<T> {
    fn default() -> Commons<T> {
        let known = Default::default();
        Commons { known }
    }
}

impl<T: PartialEq> Commons<T> {
    /// The same value, stored with one that equals it where that is known.
    pub fn common(&mut self, value: Common<T>) -> Common<T> {
        let same = self.known.iter().position(|known| *known.0 == *value.0);
        match same {
            Some(place) => self.known.swap(0, place),
            None => {
                self.known.truncate(COMPARED - 1);
                self.known.push_front(value);
            }
        }
        self.known[0].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_stored_once_and_change_alone() {
        let mut commons = Commons::default();
        let mut all = [7, 8, 7, 7, 8].map(|value| commons.common(value.into()));
        let is_one = |a: &Common<i32>, b: &Common<i32>| Arc::ptr_eq(&a.0, &b.0);
        assert!(is_one(&all[0], &all[2]) && is_one(&all[0], &all[3]) && is_one(&all[1], &all[4]));
        assert!(!is_one(&all[0], &all[1]));
        *all[0] = 9;
        assert_eq!(all.each_ref().map(|own| **own), [9, 8, 7, 7, 8]);
        assert!(is_one(&all[2], &all[3]));
    }

    #[test]
    fn what_was_not_seen_for_long_is_stored_anew() {
        let mut commons = Commons::default();
        let first = commons.common(0.into());
        for other in 1..COMPARED as i32 {
            commons.common(other.into());
        }
        assert!(Arc::ptr_eq(&commons.common(0.into()).0, &first.0));
        for other in 100..100 + COMPARED as i32 {
            commons.common(other.into());
        }
        let again = commons.common(0.into());
        assert!(!Arc::ptr_eq(&again.0, &first.0) && again == first);
    }
}
