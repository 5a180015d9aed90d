//! Files of the simulator of HPCC (Li et al. 2019; its artifact, on ns-3): whitespace parts
//! tokens, and line breaks say nothing.

pub mod config;
pub mod fct;
pub mod flows;
pub mod topology;
