//! A number that the operator names: work with tools of no game is judged by it.

use std::sync::Arc;

use serde_json::Value;

use super::pattern::matches_pattern;

const MAX_READ_BYTES: usize = 64 << 10;
const MAX_NAME_BYTES: usize = 256;

/// Where a number stands in results: a tool and a path, written as `TOOL/MEMBER/…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedNumber {
    tool: Arc<str>,
    /// The path as a JSON pointer, with its first slash.
    path: Arc<str>,
    /// The last member: what the screen calls the number.
    name: Arc<str>,
}

impl NamedNumber {
    /// The number of this text; `None` if it names no tool or no member.
    pub fn parse(text: &str) -> Option<NamedNumber> {
        let (tool, path) = text.split_at(text.find('/')?);
        let name = path.rsplit('/').next()?;
        let is_clean = text.len() <= MAX_NAME_BYTES && !text.chars().any(char::is_control);
        (is_clean && !tool.is_empty() && !name.is_empty()).then(|| NamedNumber {
            tool: tool.into(),
            path: path.into(),
            name: name.into(),
        })
    }

    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The number in a good result of a tool, rounded. In JSON it is where the path leads, in any other text in a line
    /// `MEMBER: 12` or `MEMBER = 12`.
    pub fn read(&self, tool: &str, result: &str) -> Option<i64> {
        if result.len() > MAX_READ_BYTES || !matches_pattern(&self.tool, tool) {
            return None;
        }
        match serde_json::from_str::<Value>(result) {
            Ok(json) => match json.pointer(&self.path)? {
                Value::Number(number) => rounded(number.as_f64()?),
                Value::String(text) => rounded(text.trim().parse().ok()?),
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
            },
            Err(_) if self.path.len() == self.name.len() + 1 => {
                let mut lines = result.lines();
                lines.find_map(|line| {
                    let value = line.trim_start().strip_prefix(&*self.name)?;
                    let value = value.trim_start().strip_prefix([':', '='])?;
                    rounded(value.trim().parse().ok()?)
                })
            }
            Err(_) => None,
        }
    }
}

/// A number that is exact in every reader.
fn rounded(number: f64) -> Option<i64> {
    const MOST: f64 = 9_007_199_254_740_992.0;
    let is_number = number.is_finite() && number.abs() <= MOST;
    is_number.then(|| number.round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(number: &str, tool: &str, result: &str) -> Option<i64> {
        NamedNumber::parse(number)?.read(tool, result)
    }

    #[test]
    fn a_number_is_read_where_it_is_named_and_nowhere_else() {
        let json = r#"{"stock":{"total":12.6,"text":" 7 ","no":true},"total":3,"a/b":4}"#;
        assert_eq!(read("count/stock/total", "count", json), Some(13));
        assert_eq!(read("count/total", "count", json), Some(3));
        assert_eq!(read("*/stock/text", "count", json), Some(7));
        assert_eq!(read("c*/a~1b", "count", json), Some(4));
        assert_eq!(read("other/total", "count", json), None);
        assert_eq!(read("count/stock/no", "count", json), None);
        assert_eq!(read("count/stock", "count", json), None);
        let text = "name: x\n  size: 42\nresize: 7\nsize = 9";
        assert_eq!(read("get_file_info/size", "get_file_info", text), Some(42));
        assert_eq!(read("*/a/size", "get_file_info", text), None);
        assert_eq!(read("*/name", "get_file_info", text), None);
    }

    #[test]
    fn what_is_no_number_of_ours_is_left_out() {
        for result in [
            r#"{"n":1e300}"#,
            r#"{"n":"NaN"}"#,
            r#"{"n":"inf"}"#,
            "n: inf",
            "n: 1e17",
            "n:",
            "",
        ] {
            assert_eq!(read("*/n", "t", result), None, "{result}");
        }
        let long = format!("{{\"n\":1,\"x\":\"{}\"}}", "x".repeat(MAX_READ_BYTES));
        assert_eq!(read("*/n", "t", &long), None);
        for text in ["", "n", "/n", "t/", "t/a\u{1b}[2J"] {
            assert_eq!(NamedNumber::parse(text), None, "{text}");
        }
    }
}
