//! Accumulators and what can be said from their numbers.

mod batch_means;
mod delays;
mod distribution;
mod histogram;
mod interval;
mod level;
mod sampled;
mod samples;
mod time_weighted;
mod warm_up;

pub use batch_means::{BatchMeans, interval_of_batches};
pub use delays::{DelayOutcome, Delays};
pub use distribution::{Collected, Distribution};
pub use histogram::{Bucket, Histogram};
pub use interval::{interval_of_means, student_t_975};
pub use level::Level;
pub use sampled::Sampled;
pub use samples::Samples;
pub use time_weighted::TimeWeighted;
pub use warm_up::mser5;
