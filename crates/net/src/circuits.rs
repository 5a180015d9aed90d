//! What happens to circuits beyond the hop: how they are built, fed, controlled and summed up.
//! A line here may touch `flow`, `network`, `hop` and the run itself, and nothing of frames.
//! The next is a file named for one thing that happens; what a circuit *has* goes to `flow`.

pub mod alone;
pub(crate) mod build;
pub(crate) mod finish;
mod rm_cells;
mod source;
mod standstill;
