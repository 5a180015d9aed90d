//! Datagrams of a run that repeats itself.

use backwater_kernel::Survey;

use super::{Datagrams, Receiver, Source};

impl Datagrams {
    /// All that is kept of it, for a run that repeats itself.
    pub fn survey_datagrams(&mut self, survey: &mut Survey) {
        let Datagrams {
            flow: _,
            payload_bytes: _,
            source,
            next_ps,
            number,
            offered_bytes,
            asked_ps: _,
            receivers,
            carried,
            delays,
            tally,
        } = self;
        if carried.is_some() {
            survey.rule_out("messages in datagrams");
        }
        match source {
            Source::Silent | Source::Messages => {}
            Source::Pulled {
                left_bytes,
                is_started,
            } => {
                survey.flag(*is_started);
                // Without end: what is left is never used up.
                match *left_bytes > u64::MAX / 2 {
                    true => survey.adds(left_bytes),
                    false => survey.fixed(*left_bytes),
                }
            }
            Source::Spaced(gaps) => gaps.survey_gaps(survey),
            Source::SelfSimilar(_) => survey.rule_out("self-similar traffic"),
            Source::Video(_) => survey.rule_out("video"),
            Source::Outside(_) => survey.rule_out("a source that is written outside"),
        }
        survey.instant_ps(next_ps);
        survey.adds(number);
        survey.fixed(*offered_bytes);
        for receiver in receivers {
            match receiver {
                Receiver::Video(_) => survey.rule_out("video"),
                Receiver::File {
                    start: _,
                    left_bytes,
                } => survey.fixed(*left_bytes),
                Receiver::Messages => {}
            }
        }
        if !delays.is_empty() {
            survey.rule_out("several destinations of a flow");
        }
        tally.survey_tally(survey);
    }
}
