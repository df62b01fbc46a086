//! ASCII: the same picture for a terminal that shows no other letters.

use ratatui::buffer::Buffer;
use unicode_width::UnicodeWidthStr;

/// Replaces every letter that is not ASCII by one that says nearly the same.
pub(super) fn flatten(buffer: &mut Buffer) {
    for at in 0..buffer.content.len() {
        let cell = &buffer.content[at];
        let symbol = cell.symbol();
        if symbol.is_ascii() {
            continue;
        }
        let is_wide = symbol.width() > 1;
        let plain = substitute(symbol);
        buffer.content[at].set_char(plain);
        if is_wide && let Some(next) = buffer.content.get_mut(at + 1) {
            next.set_char(plain);
        }
    }
}

fn substitute(symbol: &str) -> char {
    match symbol {
        "⬢" => '#',
        "⬡" => 'o',
        "■" => '=',
        "✖" | "✗" | "×" => 'x',
        "✓" => 'v',
        "●" | "⚙" => '*',
        "…" => '~',
        "·" => '.',
        "–" | "─" => '-',
        "━" => '=',
        "│" | "┊" | "▌" | "┃" => '|',
        "╭" | "╮" | "╰" | "╯" | "├" | "┤" => '+',
        "▸" | "→" | "▶" => '>',
        "▾" | "↓" | "▼" => 'v',
        "▴" => '^',
        "◆" => '+',
        "−" => '-',
        "◂" | "←" => '<',
        "↑" | "▲" => '^',
        "█" | "▉" | "▊" | "▋" | "▇" | "▆" => '#',
        "▅" | "▄" | "▌▌" => '=',
        "▃" | "▂" | "▁" => '_',
        "░" | "▒" => '.',
        _ => '?',
    }
}
