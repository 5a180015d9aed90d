//! Every claim is measured, once.

use backwater_papers::Paper;

use crate::files::{self, TextFile};
use crate::hold;

#[test]
fn every_claim_is_measured_once() {
    let papers = backwater_papers::papers();
    assert!(!papers.is_empty());
    let complaints = papers.iter().flat_map(|paper| {
        let claims =
            backwater_papers::claim::parse(paper.claims_toml).expect("the claims can be read");
        let claims: Vec<String> = claims.into_iter().map(|claim| claim.id).collect();
        let measured = paper.experiments.iter().flat_map(|one| one.claims);
        let measured: Vec<&str> = measured.copied().collect();
        unbalanced(&claims, &measured)
    });
    hold(
        complaints.collect(),
        "name each claim in exactly one experiment of crates/papers, spelled as in claims/*.toml",
    );
}

#[test]
fn every_file_of_claims_has_its_paper() {
    let mut files = files::ending(".toml");
    files.retain(|file| file.path.starts_with("claims/"));
    assert!(!files.is_empty(), "no claims/*.toml");
    hold(
        orphans(&files, &backwater_papers::papers()),
        "add the paper to crates/papers with claims/NAME.toml as its claims",
    );
}

/// What a page of a paper says of its claims: `7 claims: 5 agree; 2 differ; 0 failed.`
fn counted(page: &str) -> Option<&str> {
    let mut lines = page.lines();
    let line = lines.find(|line| line.contains(" claims: ") && line.ends_with(" failed."))?;
    line.split_once(": ")?.1.strip_suffix('.')
}

#[test]
fn readme_counts_claims_as_the_pages_do() {
    let files = files::ending(".md");
    let text = |path: &str| {
        let found = files.iter().find(|file| file.path == path);
        found.map_or("", |file| file.text.as_str())
    };
    let readme = text("README.md");
    let complaints = backwater_papers::papers().into_iter().filter_map(|paper| {
        let path = format!("docs/papers/{}.md", paper.id);
        let page = format!("({path})");
        let row = readme.lines().find(|line| line.contains(&page));
        match (counted(text(&path)), row) {
            (Some(counts), Some(row)) if row.contains(counts) => None,
            (counts, _) => Some(format!("{path} says {counts:?}")),
        }
    });
    hold(
        complaints.collect(),
        "write the counts of the paper's page into its row of README.md",
    );
}

/// Rows with a mean over seeds; the page of sources shows the tables of a reproduction.
fn measured_rows(page: &str) -> impl Iterator<Item = &str> {
    page.lines()
        .filter(|line| line.starts_with('|') && line.contains('±'))
}

#[test]
fn the_page_of_sources_shows_what_was_reproduced() {
    let [page, reproduced] = ["docs/sources.md", "docs/papers/dcqcn.md"].map(|path| {
        let page = files::read(path);
        page.unwrap_or_default()
    });
    let kept: Vec<&str> = measured_rows(&reproduced).collect();
    let rows: Vec<&str> = measured_rows(&page).collect();
    assert!(rows.len() >= 28, "{} rows", rows.len());
    let others = rows.iter().filter(|row| !kept.contains(row));
    hold(
        others
            .map(|row| format!("docs/sources.md: {row}"))
            .collect(),
        "copy the tables of docs/papers/dcqcn.md, which `make docs` writes",
    );
}

#[test]
fn counts_of_a_page_are_found() {
    let page = "# T\n\n7 claims: 5 agree; 2 differ; 0 failed.\n";
    assert_eq!(counted(page), Some("5 agree; 2 differ; 0 failed"));
    assert_eq!(counted("# T\n"), None);
}

/// Claims measured other than once, and experiments whose claim does not exist.
fn unbalanced(claims: &[String], measured: &[&str]) -> Vec<String> {
    let mut complaints = Vec::new();
    for claim in claims {
        let count = measured.iter().filter(|id| *id == claim).count();
        if count != 1 {
            complaints.push(format!("{claim}: measured by {count} experiments"));
        }
        if claims.iter().filter(|other| *other == claim).count() > 1 {
            complaints.push(format!("{claim}: stated twice"));
        }
    }
    let unknown = measured
        .iter()
        .filter(|id| !claims.iter().any(|claim| claim == *id));
    complaints.extend(unknown.map(|id| format!("{id}: measured, but no claim")));
    complaints
}

fn orphans(files: &[TextFile], papers: &[Paper]) -> Vec<String> {
    let belongs = |file: &&TextFile| {
        let is_its = |paper: &Paper| file.path == format!("claims/{}.toml", paper.id);
        let paper = papers.iter().find(|paper| is_its(paper));
        paper.is_some_and(|paper| paper.claims_toml == file.text)
    };
    let lost = files.iter().filter(|file| !belongs(file));
    lost.map(|file| format!("{}: no paper has these claims", file.path))
        .collect()
}

#[test]
fn what_is_unbalanced_is_seen() {
    let claims = |ids: &[&str]| ids.iter().map(|id| (*id).into()).collect::<Vec<String>>();
    assert_eq!(unbalanced(&claims(&["a", "b"]), &["b", "a"]), [""; 0]);
    assert_eq!(unbalanced(&claims(&["a", "b"]), &["a"]).len(), 1);
    assert_eq!(unbalanced(&claims(&["a"]), &["a", "a"]).len(), 1);
    assert_eq!(unbalanced(&claims(&["a"]), &["a", "c"]).len(), 1);
    assert_eq!(unbalanced(&claims(&["a", "a"]), &["a"]).len(), 2);
    let other = TextFile {
        path: "claims/other.toml".into(),
        text: String::new(),
    };
    assert_eq!(orphans(&[other], &backwater_papers::papers()).len(), 1);
}
