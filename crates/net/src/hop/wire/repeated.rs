//! A channel of frames in a run that repeats itself.

use backwater_kernel::Survey;

use super::{Channel, Errors, Ticket};

impl Channel {
    /// All that it keeps but what is on its wire.
    pub fn survey_channel(&mut self, survey: &mut Survey) {
        self.refuse_survey(survey);
        let is_busy = self.is_busy();
        let Channel {
            wire: _,
            byte_ps: _,
            free_at,
            latency: _,
            slot: _,
            from: _,
            to: _,
            sent_account,
            sent_bytes,
            waiting,
            held,
            sent_class,
            has_event,
            has_control,
            kind: _,
            arbitration_due,
            stopped,
            shut,
            tripped,
            last_bytes: _,
            last_serialization: _,
            errors,
            scheduler: _,
            data_busy: _,
            data_units: _,
            rate: _,
            in_service: _,
            held_until: _,
            control,
            control_busy: _,
            control_units: _,
        } = self;
        survey.flag(is_busy);
        match is_busy {
            true => {
                survey.instant(free_at);
                survey.fixed(u64::from(*sent_account));
                survey.fixed(u64::from(*sent_bytes));
                survey.fixed(u64::from(*sent_class));
            }
            false => survey.ahead(free_at),
        }
        for classes in [*waiting, *held, *stopped, *shut, *tripped] {
            survey.fixed(classes.into());
        }
        for holds in [*has_event, *has_control, *arbitration_due] {
            survey.flag(holds);
        }
        survey.fixed(control.len() as u64);
        control
            .iter()
            .for_each(|ticket| ticket.survey_ticket(survey));
        if let Some(errors) = errors {
            errors.survey_errors(survey);
        }
    }
}

impl Channel {
    /// What of it no survey covers.
    fn refuse_survey(&self, survey: &mut Survey) {
        if self.is(Channel::SCHEDULED) {
            survey.rule_out("a scheduler of classes");
        }
        if self.is(Channel::CREDITS) {
            survey.rule_out("credit, or a station with a pace of its own");
        }
    }
}

impl Ticket {
    fn survey_ticket(&self, survey: &mut Survey) {
        let Ticket {
            leg,
            kind,
            value,
            bytes,
            is_patient,
        } = *self;
        for word in [leg.into(), kind as u64, value, bytes.into()] {
            survey.fixed(word);
        }
        survey.flag(is_patient);
    }
}

impl Errors {
    /// What it has drawn.
    fn survey_errors(&self, survey: &mut Survey) {
        let Errors {
            data_loss: _,
            control_loss: _,
            corruption: _,
            data,
            control,
            bits,
            from,
            outages,
        } = self;
        survey.flag(*from <= survey.now);
        if outages.is_some() || *from > survey.now {
            survey.rule_out(
                "errors of a channel that are still to begin, or times at which it is cut",
            );
        }
        for stream in [data, control, bits] {
            stream.survey_stream(survey);
        }
    }
}
