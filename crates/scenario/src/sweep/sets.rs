//! What `--set` puts where every point has something else: it would change nothing.

use super::{Axis, Change, Sweep, axes, claims};
use crate::given;
use crate::language::source::Set;
use crate::prelude::*;
use crate::sweep::{overrides, paths};

/// Tells each of them.
pub(super) fn undone(sweep: &Sweep, found: &mut Diagnostics) {
    for (set, source) in sweep.sets.iter().zip(1..) {
        let path = overrides::owned(&set.key, source);
        let full = paths::resolve(path.clone(), &sweep.base, given::root_of(&sweep.base));
        let path = full.unwrap_or(path);
        let path = claims::settled(&path, &sweep.base);
        let at = At::range(source, 0..set.key.len());
        if sweep.has_listed_seeds && path == ["run", "seed"] {
            Diagnostic::error("contradiction", "a seed beside a list of seeds")
                .at(&at, "no point has this seed")
                .help(format!("`--seeds [{}]` takes this seed alone", set.value))
                .tell(found);
        }
        let covers =
            |change: &Change| claims::covers(&claims::settled(&change.path, &sweep.base), &path);
        let sets_it = |axis: &&Axis| {
            let mut values = axis.values.iter();
            values.all(|value| value.changes.iter().any(covers))
        };
        if let Some(axis) = sweep.axes.iter().find(sets_it) {
            found.push(beside(axis, set, &at));
        }
    }
}

fn beside(axis: &Axis, set: &Set, at: &At) -> Diagnostic {
    let changes = axis.values.iter().flat_map(|value| &value.changes);
    let is_joint = changes
        .into_iter()
        .any(|one| axes::joined(&one.path) != axis.path);
    let alone = || {
        format!(
            "`--axis {}={}` takes this value alone",
            axis.path, set.value
        )
    };
    Diagnostic::error(
        "contradiction",
        format!("an axis changes `{}`", clip(&set.key)),
    )
    .at(at, "no point has this value")
    .at(&axis.at, "the axis")
    .help_if((!is_joint).then(alone))
}
