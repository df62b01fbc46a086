//! Text in a page.

use zoea_text::clean;

/// Text from anywhere as one line of HTML: no part of it is markup, nor a place of the template.
pub(super) fn escape_html(text: &str) -> String {
    let mut escaped = String::new();
    for letter in clean::one_line(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '{' => escaped.push_str("&#123;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}
