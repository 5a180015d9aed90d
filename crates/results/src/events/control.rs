//! Control frames of a run: stops, resumes, credits.

use backwater_kernel::words::counted;
use backwater_net::outcome::Outcome;
use serde::Serialize;

use crate::number::grouped;

/// Control frames sent, whole run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Control {
    /// Stops, refreshes included.
    pub stops: u64,
    /// Refreshes.
    pub refreshes: u64,
    /// Resumes.
    pub resumes: u64,
    /// Stops that took effect.
    pub obeyed: u64,
    /// Stops that nobody obeys: of what is not under flow control where they came.
    pub ignored: u64,
    /// Credit frames.
    pub credits: u64,
    /// Control frames lost on the wire.
    pub lost: u64,
}

impl Control {
    /// Of all channels.
    pub fn of(outcome: &Outcome) -> Control {
        let mut all = Control::default();
        for channel in &outcome.channels {
            all.stops += channel.by_class.stops_sent;
            all.refreshes += channel.by_class.refreshes_sent;
            all.resumes += channel.by_class.resumes_sent;
            all.obeyed += channel.by_class.stops_obeyed;
            all.ignored += channel.by_class.stops_ignored;
            all.credits += channel.by_class.credits_sent;
            all.lost += channel.by_class.control_lost_total;
        }
        all
    }

    /// There were any.
    pub fn is_any(&self) -> bool {
        self.stops + self.resumes + self.credits > 0
    }

    /// In words; `None` where there was none.
    pub fn sentence(&self) -> Option<String> {
        if !self.is_any() {
            return None;
        }
        let refreshes = match self.refreshes {
            0 => String::new(),
            many => format!("; {} of the stops are refreshes", grouped(many)),
        };
        let lost = match self.lost {
            0 => String::new(),
            many => format!(", {} lost on the wire", grouped(many)),
        };
        if self.credits > 0 && self.stops + self.resumes == 0 {
            return Some(format!("{} sent{lost}", counted(self.credits, "credit")));
        }
        let ignored = match self.ignored {
            0 => String::new(),
            many => format!(", {} ignored", grouped(many)),
        };
        Some(format!(
            "{} (XOFF) and {} (XON) sent, {} obeyed{ignored}{lost}{refreshes}",
            counted(self.stops, "stop"),
            counted(self.resumes, "resume"),
            grouped(self.obeyed)
        ))
    }
}
