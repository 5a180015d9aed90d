//! What looks on may be nothing, may be two, may be there or not, and may be shared: as probes are.

use std::cell::RefCell;
use std::rc::Rc;

use backwater_results::RunDirectory;

use super::{Looks, Tells};

impl Looks for () {}

impl<F> Tells<F> for () {}

impl<A: Looks, B: Looks> Looks for (A, B) {
    fn begin(&mut self, directory: &mut RunDirectory) -> Result<(), String> {
        self.0.begin(directory)?;
        self.1.begin(directory)
    }

    fn flush(&mut self) -> Result<(), String> {
        self.0.flush()?;
        self.1.flush()
    }

    fn finish(&mut self, at: u64) -> Result<(), String> {
        self.0.finish(at)?;
        self.1.finish(at)
    }

    fn points(&self) -> (usize, usize) {
        let (one, two) = (self.0.points(), self.1.points());
        (one.0 + two.0, one.1.max(two.1))
    }
}

impl<F, A: Tells<F>, B: Tells<F>> Tells<F> for (A, B) {
    fn tell(&self, found: &mut F) {
        self.0.tell(found);
        self.1.tell(found);
    }
}

impl<L: Looks> Looks for Option<L> {
    fn begin(&mut self, directory: &mut RunDirectory) -> Result<(), String> {
        self.as_mut().map_or(Ok(()), |one| one.begin(directory))
    }

    fn flush(&mut self) -> Result<(), String> {
        self.as_mut().map_or(Ok(()), Looks::flush)
    }

    fn finish(&mut self, at: u64) -> Result<(), String> {
        self.as_mut().map_or(Ok(()), |one| one.finish(at))
    }

    fn points(&self) -> (usize, usize) {
        self.as_ref().map_or((0, 0), Looks::points)
    }
}

impl<F, L: Tells<F>> Tells<F> for Option<L> {
    fn tell(&self, found: &mut F) {
        if let Some(one) = self {
            one.tell(found);
        }
    }
}

impl<L: Looks> Looks for Rc<RefCell<L>> {
    fn begin(&mut self, directory: &mut RunDirectory) -> Result<(), String> {
        self.borrow_mut().begin(directory)
    }

    fn flush(&mut self) -> Result<(), String> {
        self.borrow_mut().flush()
    }

    fn finish(&mut self, at: u64) -> Result<(), String> {
        self.borrow_mut().finish(at)
    }

    fn points(&self) -> (usize, usize) {
        self.borrow().points()
    }
}

impl<F, L: Tells<F>> Tells<F> for Rc<RefCell<L>> {
    fn tell(&self, found: &mut F) {
        self.borrow().tell(found);
    }
}
