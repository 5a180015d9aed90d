//! What nearly all that builds and checks names: a mistake and where it stands, a value with its
//! place, a name of the user's in a message.

pub(crate) use crate::given::Named;
pub(crate) use crate::language::diagnostics::{Diagnostic, Diagnostics};
pub(crate) use crate::language::reader::clip;
pub(crate) use crate::language::source::At;
pub(crate) use crate::language::typed::{Chosen, Placed};
