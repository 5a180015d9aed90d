//! Which class answers which.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::BuildError;

use crate::spec::{ClassSpec, Injection};

/// By class: the class whose packets it answers. Every class of replies has exactly one.
pub(crate) fn answered(classes: &[ClassSpec]) -> Result<Vec<Option<u8>>, BuildError> {
    let mut answers = vec![None; classes.len()];
    for (index, class) in classes.iter().enumerate() {
        let Injection::RequestReply {
            outstanding,
            reply_class,
            ..
        } = class.injection
        else {
            continue;
        };
        let name = &class.name;
        let reply = reply_class as usize;
        if outstanding == 0 {
            let what = format!("class `{name}`: without a request under way nothing happens");
            return Err(BuildError(what));
        }
        if classes.get(reply).map(|class| &class.injection) != Some(&Injection::Replies) {
            let what = format!("class `{name}`: its replies need a class {reply} of replies");
            return Err(BuildError(what));
        }
        if answers[reply].replace(index as u8).is_some() {
            let what = format!("class {reply} can answer the requests of one class only");
            return Err(BuildError(what));
        }
    }
    for (class, answers) in classes.iter().zip(&answers) {
        if class.injection == Injection::Replies && answers.is_none() {
            let what = format!("class `{}`: no class has its replies in it", class.name);
            return Err(BuildError(what));
        }
    }
    Ok(answers)
}
