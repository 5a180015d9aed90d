//! Circuits of cells: from checked tables to the network that the packet engine runs.
//!
//! A line here may touch `given`, `network` and `language`. `build` calls each part once; a part
//! makes one thing of the spec or checks one (`abr_checks`, `leg_checks`, `service_checks`, ..),
//! and the next thing is a file beside them.

pub(crate) mod abr;
pub(crate) mod abr_checks;
pub(crate) mod asked;
pub(crate) mod build;
pub(crate) mod cell_tcp;
pub(crate) mod checks;
pub(crate) mod control;
pub(crate) mod explicit_rate;
pub(crate) mod flows;
pub(crate) mod leg_checks;
pub(crate) mod partners;
pub(crate) mod reserve;
pub(crate) mod route;
pub(crate) mod series;
pub(crate) mod service;
pub(crate) mod service_checks;
pub(crate) mod slow_credit;
pub(crate) mod topology;
pub(crate) mod traffic;
pub(crate) mod trial;
