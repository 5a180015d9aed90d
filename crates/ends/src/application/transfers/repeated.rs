//! Transfers of a run that repeats itself.

use backwater_kernel::Survey;

use super::Transfers;

impl Transfers {
    /// Where they stand, for a run that repeats itself.
    pub fn survey_transfers(&mut self, survey: &mut Survey, are_messages: bool) {
        let is_endless = self.is_endless();
        let Transfers {
            plan: _,
            outside,
            stage,
            wakes_at,
            began,
            got_bytes,
            is_unacknowledged,
            left,
            news: _,
            think,
            service,
        } = self;
        if outside.is_some() {
            survey.rule_out("a source that is written outside");
        }
        survey.fixed(*stage as u64);
        survey.instant_if(wakes_at);
        survey.noted(began);
        match is_endless || are_messages {
            true => survey.adds(got_bytes),
            false => survey.fixed(*got_bytes),
        }
        survey.flag(*is_unacknowledged);
        survey.fixed(*left);
        think.survey_stream(survey);
        service.survey_stream(survey);
    }
}
