//! The tags and words of a drawing.

/// A tag with what it says.
pub struct Element {
    /// Its name.
    pub name: String,
    attributes: Vec<(String, String)>,
}

/// What comes next.
pub enum Event {
    /// An element begins.
    Open(Element),
    /// Words.
    Text(String),
    /// The last element that is open ends.
    Close,
}

impl Element {
    /// What it says under a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        let attribute = self.attributes.iter().find(|(own, _)| own == name);
        attribute.map(|(_, value)| value.as_str())
    }

    /// All it says.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.attributes.iter();
        all.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Is it of this class?
    pub fn is_of(&self, class: &str) -> bool {
        let classes = self.get("class").unwrap_or("");
        classes.split(' ').any(|own| own == class)
    }

    /// Numbers that it must have.
    pub fn numbers<const N: usize>(&self, names: [&str; N]) -> Result<[f64; N], String> {
        let mut numbers = [0.0; N];
        for (number, name) in numbers.iter_mut().zip(names) {
            let text = self.get(name).unwrap_or("");
            let wrong = |_| format!("`{name}` of `{}` is `{text}`", self.name);
            *number = text.parse().map_err(wrong)?;
        }
        Ok(numbers)
    }
}

/// All of it in order.
pub fn events(svg: &str) -> Result<Vec<Event>, String> {
    let mut events = Vec::new();
    let mut rest = svg;
    while let Some(at) = rest.find('<') {
        let words = &rest[..at];
        if !words.is_empty() {
            events.push(Event::Text(plain(words)));
        }
        let end = rest.find('>').ok_or("a tag without an end")?;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if tag.starts_with('/') {
            events.push(Event::Close);
        } else if !tag.starts_with(['?', '!']) {
            let (inner, is_empty) = match tag.strip_suffix('/') {
                Some(inner) => (inner, true),
                None => (tag, false),
            };
            events.push(Event::Open(element(inner)?));
            if is_empty {
                events.push(Event::Close);
            }
        }
    }
    Ok(events)
}

fn element(tag: &str) -> Result<Element, String> {
    let name_end = tag.find(char::is_whitespace).unwrap_or(tag.len());
    let (name, mut rest) = tag.split_at(name_end);
    let mut attributes = Vec::new();
    while let Some((key, after)) = rest.split_once("=\"") {
        let (value, others) = after.split_once('"').ok_or("a value without an end")?;
        attributes.push((key.trim().to_owned(), plain(value)));
        rest = others;
    }
    Ok(Element {
        name: name.into(),
        attributes,
    })
}

/// Without the escapes that the crate writes.
fn plain(text: &str) -> String {
    let escapes = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    let all = escapes.iter();
    all.fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}
