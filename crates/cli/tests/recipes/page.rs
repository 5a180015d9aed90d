//! What CONTRIBUTING.md says to change.
//!
//! A change is a sentence that names a file and a place in it, and the block of code below it: *New
//! file*, *below* a line, *instead of* a line, *instead of the line below* one, *at the end of* the
//! file.

use std::collections::BTreeSet;

/// Where a block of code goes.
#[derive(PartialEq, Debug)]
pub enum Way {
    New,
    End,
    Below(String),
    InsteadOf(String),
    InsteadOfNext(String),
}

/// A block of code and its place.
pub struct Change {
    pub file: String,
    pub way: Way,
    pub text: String,
}

/// A section of the page that says how many files it touches.
#[derive(Default)]
pub struct Recipe {
    pub name: String,
    /// The number in words.
    pub said: usize,
    /// Source files named beside the number, or a row of the table each.
    pub listed: BTreeSet<String>,
    /// Source files of its changes; tests are apart.
    pub touched: BTreeSet<String>,
    /// Lines of its changes: in new files, in others, in those of tests.
    pub lines: [usize; 3],
}

#[derive(Default)]
pub struct Page {
    pub changes: Vec<Change>,
    pub recipes: Vec<Recipe>,
    /// All files of the tree that it names.
    pub named: BTreeSet<String>,
    /// The tests that its changes bring.
    pub tests: Vec<String>,
}

const NUMBERS: &[&str] = &[
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
];

impl Change {
    /// The file with this change.
    pub fn applied_to(&self, text: &str) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let at = |line: &str| {
            let found = |(_, there): &(usize, &&str)| there.trim() == line;
            let places: Vec<usize> = lines
                .iter()
                .enumerate()
                .filter(found)
                .map(|p| p.0)
                .collect();
            let [place] = places[..] else {
                panic!("{}: {} lines are `{line}`", self.file, places.len());
            };
            place
        };
        // The lines before, and the first after.
        let (before, after) = match &self.way {
            Way::New => return self.text.clone(),
            Way::End => return format!("{text}\n{}", self.text),
            Way::Below(line) => (at(line) + 1, at(line) + 1),
            Way::InsteadOf(line) => (at(line), at(line) + 1),
            Way::InsteadOfNext(line) => (at(line) + 1, at(line) + 2),
        };
        let join = |lines: &[&str]| {
            lines
                .iter()
                .map(|line| format!("{line}\n"))
                .collect::<String>()
        };
        join(&lines[..before]) + &self.text + &join(&lines[after..])
    }
}

impl Page {
    pub fn read(text: &str) -> Page {
        let mut page = Page::default();
        let mut paragraph = String::new();
        let mut place: Option<(String, Way)> = None;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(name) = line.strip_prefix("## ") {
                page.recipes.push(Recipe {
                    name: name.into(),
                    ..Recipe::default()
                });
            } else if line.starts_with("```") {
                let code = lines.by_ref().take_while(|line| *line != "```");
                let code: String = code.map(|line| format!("{line}\n")).collect();
                let (file, way) = place.take().expect("a sentence says where a block goes");
                page.add(file, way, code);
            } else if line.is_empty() {
                place = page.sentence(&paragraph).or(place);
                paragraph.clear();
            } else {
                paragraph += line;
                paragraph.push(if line.starts_with('|') { '\n' } else { ' ' });
            }
        }
        page.sentence(&paragraph);
        page.recipes.retain(|recipe| recipe.said > 0);
        page
    }

    /// A paragraph names files, and may say where the next block goes or how many it is.
    fn sentence(&mut self, text: &str) -> Option<(String, Way)> {
        let code: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
        let files = code.iter().filter(|word| word.starts_with("crates/"));
        self.named.extend(files.map(|file| file.to_string()));
        let recipe = self.recipes.last_mut()?;
        if let Some((number, _)) = text
            .strip_prefix("It touches ")
            .and_then(|rest| rest.split_once(" source files"))
        {
            let known = NUMBERS.iter().position(|word| *word == number);
            recipe.said = known.expect("a number in a word");
            let rest = text.split_once(':').map_or("", |(_, rest)| rest);
            let listed = rest.split_once(". ").map_or(rest, |(list, _)| list);
            let listed = listed.split('`').skip(1).step_by(2);
            recipe.listed.extend(listed.map(str::to_owned));
        } else if text.starts_with('|') && recipe.said > 0 {
            // Below the head and its rule, a row is a file.
            let rows = text.lines().skip(2);
            recipe.listed.extend(rows.map(str::to_owned));
        }
        let file = code.first()?.to_string();
        let line = || code.get(1).expect("a line of the file").to_string();
        let way = match () {
            () if text.starts_with("New file") => Way::New,
            () if text.starts_with("At the end of") => Way::End,
            () if !text.starts_with("In `crates/") => return None,
            () if text.contains(", instead of the line below") => Way::InsteadOfNext(line()),
            () if text.contains(", instead of") => Way::InsteadOf(line()),
            () if text.contains(", below") => Way::Below(line()),
            () => return None,
        };
        Some((file, way))
    }

    fn add(&mut self, file: String, way: Way, text: String) {
        let mut after_test = false;
        for line in text.lines() {
            if let (true, Some(name)) = (after_test, line.trim().strip_prefix("fn ")) {
                let name = name.split('(').next().unwrap_or(name);
                self.tests.push(name.to_owned());
            }
            after_test = line.trim() == "#[test]";
        }
        let recipe = self.recipes.last_mut().expect("a section");
        let is_test = file.contains("/tests/");
        if !is_test {
            recipe.touched.insert(file.clone());
        }
        let place = match way {
            _ if is_test => 2,
            Way::New => 0,
            _ => 1,
        };
        recipe.lines[place] += text.lines().count();
        self.changes.push(Change { file, way, text });
    }

    /// Names of the test targets that changes go to.
    pub fn test_targets(&self) -> BTreeSet<&str> {
        let files = self.changes.iter().map(|change| &change.file);
        files
            .filter_map(|file| {
                let (_, name) = file.split_once("/tests/")?;
                let name = name.split('/').next()?;
                Some(name.trim_end_matches(".rs"))
            })
            .collect()
    }
}
