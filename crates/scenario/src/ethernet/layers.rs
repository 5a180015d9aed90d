//! Tables of which later ones override earlier ones.

use kernel::{Duration, Rate};

use crate::record::{Datum, Field, Record};

/// Tables, the last winning; each may lack any key.
#[derive(Clone, Default)]
pub(crate) struct Layers<'r>(pub Vec<&'r Record>);

impl<'r> Layers<'r> {
    /// The last table that holds one of these keys, and the value.
    pub(crate) fn last(&self, keys: &[&str]) -> Option<(&'r Record, &'r Field)> {
        self.0.iter().rev().find_map(|layer| {
            let known = keys.iter().filter(|key| layer.section.key(key).is_some());
            let field = known.filter_map(|key| layer.field(key)).next()?;
            Some((*layer, field))
        })
    }

    pub(crate) fn field(&self, key: &str) -> Option<&'r Field> {
        self.last(&[key]).map(|(_, field)| field)
    }

    pub(crate) fn datum(&self, key: &str) -> Option<&'r Datum> {
        self.field(key).map(|field| &field.datum)
    }

    pub(crate) fn whole(&self, key: &str) -> Option<u64> {
        self.last(&[key]).and_then(|(layer, _)| layer.whole(key))
    }

    pub(crate) fn word(&self, key: &str) -> Option<&'static str> {
        self.last(&[key]).map(|(layer, _)| layer.word(key))
    }

    pub(crate) fn truth(&self, key: &str) -> Option<bool> {
        self.last(&[key]).and_then(|(layer, _)| layer.truth(key))
    }

    pub(crate) fn duration(&self, key: &str) -> Option<Duration> {
        self.last(&[key]).and_then(|(layer, _)| layer.duration(key))
    }

    pub(crate) fn rate(&self, key: &str) -> Option<Rate> {
        self.last(&[key]).and_then(|(layer, _)| layer.rate(key))
    }
}
