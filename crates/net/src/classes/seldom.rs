//! Values by number that hardly any place changes.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

/// By number, values most of which stay as they begin: those take no room. Who only reads should
/// not ask for one to change.
#[derive(Debug, Default)]
pub(crate) struct Seldom<T> {
    changed: Vec<Option<Box<T>>>,
    first: T,
}

impl<T: Default> Seldom<T> {
    /// So many, as they begin.
    pub fn new(count: usize) -> Seldom<T> {
        Seldom {
            changed: (0..count).map(|_| None).collect(),
            first: T::default(),
        }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.changed
            .iter()
            .map(|own| own.as_deref().unwrap_or(&self.first))
    }

    /// All of them to change, which takes the room of all.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.changed
            .iter_mut()
            .map(|own| &mut **own.get_or_insert_default())
    }
}

impl<T> Index<usize> for Seldom<T> {
    type Output = T;

    #[inline]
    fn index(&self, at: usize) -> &T {
        self.changed[at].as_deref().unwrap_or(&self.first)
    }
}

impl<T: Default> IndexMut<usize> for Seldom<T> {
    #[inline]
    fn index_mut(&mut self, at: usize) -> &mut T {
        self.changed[at].get_or_insert_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_changed_is_as_it_began_and_takes_no_room() {
        let mut all: Seldom<u64> = Seldom::new(3);
        all[1] += 7;
        assert_eq!((all[0], all[1], all[2]), (0, 7, 0));
        assert!(all.iter().eq(&[0, 7, 0]));
        let boxes = |all: &Seldom<u64>| all.changed.iter().flatten().count();
        assert_eq!(boxes(&all), 1);
        all.iter_mut().for_each(|own| *own += 1);
        assert!(all.iter().eq(&[1, 8, 1]));
        assert_eq!(boxes(&all), 3);
    }
}
