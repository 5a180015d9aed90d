//! Text made safe for HTML, SVG and script elements.

/// `text` for element content and attribute values of HTML and SVG.
pub fn html(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| !is_plain(byte)) {
        safe.push_str(&rest[..at]);
        let mut letters = rest[at..].chars();
        match letters.next().unwrap_or_default() {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            space @ ('\t' | '\n' | '\r') => safe.push(space),
            // XML has no way to write these at all.
            control if control.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&control) => {
                safe.push('\u{fffd}');
            }
            other => safe.push(other),
        }
        rest = letters.as_str();
    }
    safe.push_str(rest);
    safe
}

/// An ASCII character that stays as it is.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'')
}

/// JSON for a `<script type="application/json">`: nothing in it can end the element.
pub fn json_in_script(json: &str) -> String {
    // `<`, `>` and `&` occur in JSON only inside strings, where the escape means the same.
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// Text with `code` between backticks, as HTML of one paragraph.
pub fn inline(text: &str) -> String {
    if !text.contains('`') {
        return html(&arrows(text));
    }
    let mut shown = String::new();
    let mut pieces = text.split('`').enumerate().peekable();
    while let Some((index, piece)) = pieces.next() {
        let closed = pieces.peek().is_some();
        if index % 2 == 1 && closed {
            shown.push_str(&format!("<code>{}</code>", html(piece)));
        } else if index % 2 == 1 {
            shown.push_str(&format!("`{}", html(piece)));
        } else {
            shown.push_str(&html(&arrows(piece)));
        }
    }
    shown
}

/// Ports as pages write them: `A → B`. Files and terminals have `A -> B`.
pub fn arrows(text: &str) -> String {
    text.replace(" -> ", " → ")
}

/// Paragraphs parted by empty lines, as HTML.
pub fn paragraphs(text: &str) -> String {
    text.split("\n\n")
        .map(str::trim)
        .filter(|paragraph| !paragraph.is_empty())
        .map(|paragraph| format!("<p>{}</p>\n", inline(paragraph)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_script_element() {
        let safe = json_in_script(&serde_json::to_string("</script><b>&\u{2028}").unwrap());
        assert!(!safe.contains(['<', '>', '&', '\u{2028}']));
        let back: String = serde_json::from_str(&safe).unwrap();
        assert_eq!(back, "</script><b>&\u{2028}");
    }

    #[test]
    fn backticks_make_code_and_a_lone_one_stays() {
        assert_eq!(inline("a `<b>` c"), "a <code>&lt;b&gt;</code> c");
        assert_eq!(inline("a ` c"), "a ` c");
        assert_eq!(inline("a -> b, `c -> d`"), "a → b, <code>c -&gt; d</code>");
        assert_eq!(inline("`x` and `"), "<code>x</code> and `");
    }

    #[test]
    fn control_characters_do_not_reach_the_page() {
        assert_eq!(html("a\u{1}b\nc"), "a\u{fffd}b\nc");
    }
}
