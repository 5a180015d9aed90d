//! What a run leaves behind: tables, series, figures and one page that explains them.
//!
//! Turns data into files and text; prints nothing and decides nothing.
//!
//! ```
//! use backwater_results::{Axis, Curve, Plot, Style, for_paper, pdf, svg};
//!
//! let curve = Curve::in_order("measured", Style::Line, vec![3.0, 5.0, 4.0]);
//! let plot = Plot::new("delay", "Delay by hop", vec![curve])
//!     .x(Axis::new("Hop", ""))
//!     .y(Axis::new("Delay", "us").from_zero());
//! assert!(svg(&plot).contains("Delay (us)"));
//! let file = pdf::pdf(&for_paper(&plot, 85.0), 85.0).expect("a drawing of this crate");
//! assert!(file.starts_with(b"%PDF"));
//! ```

pub mod cells;
mod charts;
mod column;
pub mod compare;
pub mod csv;
pub mod decimate;
pub mod directory;
mod distribution;
pub mod drawn;
mod escape;
pub mod ethernet;
pub mod events;
pub mod fabric;
pub mod fairness;

mod groups;
pub mod html;
mod info;
mod kind;
mod lines;
pub mod map;
mod merge;
pub mod model;
pub mod names;
pub mod number;
pub mod overlay;
pub mod page_plots;
pub mod pdf;
mod perfetto;
mod picked;
mod records;
pub mod reported;
mod rows;
pub mod run;
mod sections;
mod series;
mod sink;
mod starved;
pub mod stepping;
mod stop;
mod svg;
pub mod sweep;
mod table_of;
mod ticks;
pub mod trace;

pub use self::ethernet::{Capture, EthernetTrace, FctFile};
pub use column::{Align, Column, Kind, NoColumn, key};
pub use directory::{Check, DirectoryError, Manifest, Promise, PromiseState, RunDirectory};
pub use events::bounds::note_broken_bounds;
pub use events::{Findings, standstill_sentence};
pub use fabric::{FabricFindings, FabricNames, FabricTrace, FabricVcd};
pub use groups::by_turns;
pub use html::page;
pub use info::{GivenUp, RunInfo};
pub use lines::listed;
pub use model::{
    Axis, Block, Cell, Curve, Direction, Fact, Link, Mark, OtherUnit, Plot, Report, Style, Table,
    Tone, Verdict, VerdictRow, VerdictValue,
};
pub use perfetto::{PerfettoCells, PerfettoFrames};
pub use records::Summary;
pub use reported::{Reported, run_manifest, run_report, run_summary, terminal_summary};
pub use run::CellTrace;
pub use svg::{for_paper, svg};
pub use trace::TraceFile;
