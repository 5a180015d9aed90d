//! What a run leaves behind: tables, series, figures and one page that explains them.
//!
//! Turns data into files and text; prints nothing and decides nothing.

pub mod model;

pub use model::{
    Align, Axis, Block, Cell, Column, Curve, Direction, Fact, Mark, OtherUnit, Plot, Report, Style,
    Table, Tone, Verdict, VerdictRow,
};
