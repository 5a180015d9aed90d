//! Names of papers and claims, and those near a name that is none.

/// What may have been meant: names that contain it, or share its paper and begin of its figure,
/// or are spelled like it.
pub fn near(unknown: &str, known: &[String]) -> String {
    const SHOWN: usize = 6;
    let mut near: Vec<&str> = containing(unknown, known).take(SHOWN).collect();
    near.extend(backwater_scenario::nearest(
        unknown,
        known.iter().map(String::as_str),
    ));
    if near.is_empty() {
        near.extend(beside(unknown, known, SHOWN));
    }
    near.dedup();
    match near.is_empty() {
        true => "`backwater list claims` shows them all".to_owned(),
        false => format!("did you mean {}?", near.join(", ")),
    }
}

fn containing<'a>(part: &'a str, known: &'a [String]) -> impl Iterator<Item = &'a str> {
    let known = known.iter().map(String::as_str);
    known.filter(move |name| name.contains(part))
}

/// Claims of the same paper whose figure or section has a number near that of `unknown`
/// (`kung1993.fig17`: those of Figures 16 and 18).
fn beside<'a>(unknown: &str, known: &'a [String], most: usize) -> Vec<&'a str> {
    let figure = |name: &str| -> Option<(String, u32)> {
        let part = name.split('.').nth(1)?;
        let digits = part.find(|c: char| c.is_ascii_digit())?;
        let number = part[digits..].trim_end_matches(|c: char| !c.is_ascii_digit());
        Some((part[..digits].to_owned(), number.parse().ok()?))
    };
    let paper = |name: &str| name.split('.').next().map(str::to_owned);
    let Some((kind, wanted)) = figure(unknown) else {
        return Vec::new();
    };
    let same = known.iter().filter(|name| paper(name) == paper(unknown));
    let mut near: Vec<(u32, &str)> = same
        .filter_map(|name| figure(name).map(|found| (found, name)))
        .filter(|((of_kind, _), _)| *of_kind == kind)
        .map(|((_, number), name)| (number.abs_diff(wanted), name.as_str()))
        .collect();
    near.sort();
    near.into_iter().map(|(_, name)| name).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        let claims = backwater_papers::papers().into_iter().flat_map(|paper| {
            let claims =
                backwater_papers::claim::parse(paper.claims_toml).expect("the claims can be read");
            claims.into_iter().map(|claim| claim.id)
        });
        claims.collect()
    }

    #[test]
    fn claims_near_a_figure_are_suggested() {
        let hint = near("kung1993.fig17", &names());
        assert!(
            hint.contains("kung1993.fig18.backpressure-shares"),
            "{hint}"
        );
        assert!(hint.contains("kung1993.fig16.queues"), "{hint}");
        assert!(!hint.contains("zhang1991"), "{hint}");
        let hint = near("fig18", &names());
        assert!(
            hint.contains("kung1993.fig18.backpressure-shares"),
            "{hint}"
        );
        let hint = near("???", &names());
        assert!(hint.contains("list claims"), "{hint}");
    }
}
