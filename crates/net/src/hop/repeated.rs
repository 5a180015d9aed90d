//! Frames of a run that repeats itself.

use backwater_ends::stations::Reference;
use backwater_kernel::Survey;

use crate::hop::kind::{ControlKind, UnitKind};
use crate::hop::load::{Load, NONE, Protocol};
use crate::hop::unit::{Fifo, Unit, Units};

impl Units {
    /// All frames of a queue or a wire, first to last. `ways`: from where positions count.
    pub fn survey_chain(&mut self, survey: &mut Survey, chain: &Fifo, ways: &[Reference]) {
        survey.fixed(u64::from(chain.len));
        let mut next = chain.first();
        for _ in 0..chain.len {
            let id = next;
            next = self.get(id).next;
            self.survey_unit(survey, id);
            let (is_control, way) = (self.get(id).is_control(), self.get(id).way());
            // Acknowledgements speak of positions of the other way.
            let of = if self.is_pair_data(id) { way } else { way ^ 1 };
            let load = &mut self.loads.loads[id as usize];
            match is_control {
                true => load.survey_control(survey),
                false => {
                    survey.refer_to(ways[of as usize]);
                    load.survey_load(survey);
                }
            }
        }
    }

    fn survey_unit(&mut self, survey: &mut Survey, id: u32) {
        let mut born = self.born(id);
        survey.instant(&mut born);
        self.set_born(id, born);
        let Unit {
            arrived,
            next: _,
            leg,
            number,
            bytes,
            shared,
            kind,
            class,
            marks,
            is_lost,
        } = self.get_mut(id);
        survey.instant(arrived);
        for word in [*leg, *number, *bytes, *shared] {
            survey.fixed(word.into());
        }
        match kind {
            UnitKind::Data => survey.fixed(0),
            UnitKind::Control(ControlKind::Stop) => survey.fixed(1),
            UnitKind::ForwardRm | UnitKind::BackwardRm | UnitKind::Control(_) => {
                survey.rule_out("messages of credit");
            }
        }
        survey.fixed(u64::from(*class) << 8 | u64::from(*marks));
        survey.flag(*is_lost);
    }
}

impl Load {
    /// What a data frame carries; its number in its flow decides nothing, nor does that of a
    /// datagram.
    fn survey_load(&mut self, survey: &mut Survey) {
        let Load {
            number: _,
            seq,
            ack,
            window,
            bytes,
            words,
            flags,
            sack_blocks,
            is_again,
            protocol,
        } = self;
        match protocol {
            Protocol::Udp => {}
            Protocol::Tcp => survey.rule_out("TCP"),
            Protocol::Roce => {
                survey.position(seq);
                match *ack {
                    0 => survey.flag(false),
                    _ => survey.position(ack),
                }
            }
        }
        for word in [*window, *bytes, u32::from(*flags), u32::from(*sack_blocks)] {
            survey.fixed(word.into());
        }
        survey.flag(*is_again);
        if *words != NONE {
            survey.rule_out("what switches write on packets");
        }
    }

    /// What a control frame asks for.
    fn survey_control(&mut self, survey: &mut Survey) {
        let Load {
            number: _,
            seq,
            ack,
            window,
            bytes,
            words,
            flags,
            sack_blocks: _,
            is_again,
            protocol: _,
        } = *self;
        for word in [
            seq,
            ack,
            window.into(),
            bytes.into(),
            words.into(),
            flags.into(),
        ] {
            survey.fixed(word);
        }
        survey.flag(is_again);
    }
}
