//! Files that people hold: topologies and flows as other simulators and libraries write them.
//!
//! Each form is one file below, which reads a text and gives plain data, [`Topology`] or [`Flows`],
//! and writes it where somebody may want it back. What a text has and the data can't say is an
//! error ([`FileError`], with its line), or stands in `left_out`: nothing is passed over in
//! silence.
//!
//! ```
//! use backwater_formats::{Form, StartUnit};
//!
//! let text = "Nodes 2\nConnections 1\n0->1 start 5 size 2000000\n";
//! assert_eq!(Form::of(text), Some(Form::Connections));
//! let flows = backwater_formats::flows(Form::Connections, text, Some(StartUnit::Us))
//!     .expect("no mistakes");
//! assert_eq!(flows.entries[0].start_ps, 5_000_000);
//! ```

mod error;
mod flows;
mod form;
pub mod graph;
pub mod hpcc;
pub mod htsim;
pub mod sonic;
mod text;
mod topology;

pub use error::FileError;
pub use flows::{Flows, Happened, ListedFlow, StartUnit, Wait};
pub use form::{Form, flows, topology};
pub use topology::{Link, Node, Topology};
