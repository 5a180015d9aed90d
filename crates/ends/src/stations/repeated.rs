//! All stations, for a run that repeats itself.

use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::Survey;

use super::{Endpoint, Stations};
use crate::application::messages::Messages;
pub use crate::application::messages::Round;

/// From where positions of a way count, and by how much those move.
pub type Reference = (u64, u64);

impl Stations {
    /// All that they keep. `rounds`: each flow's part of what is done again and again. Where
    /// positions of each way count from, by flow and direction.
    pub fn survey_stations(&mut self, survey: &mut Survey, rounds: &[Round]) -> Vec<Reference> {
        let Stations {
            places,
            connections,
            pairs,
            datagrams,
            tcp,
            roce,
            dependences: _,
            woken,
            all: _,
            is_measuring,
        } = self;
        survey.flag(*is_measuring);
        survey.flag(woken.is_empty());
        let programs = rounds.iter().map(|round| round.program as usize + 1).max();
        let mut leads = vec![None; programs.unwrap_or(0)];
        let mut ways = Vec::new();
        for (flow, place) in places.iter().enumerate() {
            survey.owned_by(flow);
            let round = rounds.get(flow).copied().unwrap_or_default();
            let mut none = None;
            let lead = leads.get_mut(round.program as usize).unwrap_or(&mut none);
            match *place {
                Endpoint::Tcp(at) => {
                    let connection = &mut connections[at as usize];
                    let spec = &tcp[connection.flavour as usize];
                    ways.extend(connection.survey_connection(survey, spec, (round, lead)));
                }
                Endpoint::Roce(at) => {
                    let pair = &mut pairs[at as usize];
                    let spec = &roce[pair.flavour as usize];
                    ways.extend(pair.survey_connection(survey, spec, (round, lead)));
                }
                Endpoint::Udp(at) => {
                    datagrams[at as usize].survey_datagrams(survey);
                    ways.extend([(0, 0); 2]);
                }
            }
        }
        ways
    }

    /// How many messages of a flow have come.
    pub fn messages_in(&self, flow: u32) -> u64 {
        let messages = self.messages_of(flow);
        messages.map_or(0, |messages| messages.came())
    }

    /// Rounds that it has begun, whole ones.
    pub fn rounds_begun(&self, flow: u32, round: Round) -> u64 {
        let messages = self.messages_of(flow);
        messages.map_or(0, |messages| messages.rounds_behind(round))
    }

    /// Rounds that it has still to begin.
    pub fn rounds_left(&self, flow: u32, round: Round) -> u64 {
        let messages = self.messages_of(flow);
        messages.map_or(u64::MAX, |messages| messages.rounds_to_begin(round))
    }

    /// Is what it has still to do what it was so many rounds before?
    pub fn goes_round(&self, flow: u32, round: Round, rounds: u64) -> bool {
        let messages = self.messages_of(flow);
        messages.is_none_or(|messages| messages.is_repeating(round, rounds))
    }

    fn messages_of(&self, flow: u32) -> Option<&Messages> {
        match self.places[flow as usize] {
            Endpoint::Tcp(at) => self.connections[at as usize].messages.as_deref(),
            Endpoint::Roce(at) => self.pairs[at as usize].messages.as_deref(),
            Endpoint::Udp(_) => None,
        }
    }
}
