//! The same picture for a terminal that shows ASCII only.

use ratatui::buffer::{Buffer, CellWidth};

/// Replaces each symbol that is not ASCII by a similar one that is.
pub(super) fn flatten(buffer: &mut Buffer) {
    for at in 0..buffer.content.len() {
        let cell = &buffer.content[at];
        let symbol = cell.symbol();
        if symbol.is_ascii() {
            continue;
        }
        let columns = usize::from(cell.cell_width().max(1));
        let plain = substitute(symbol);
        for cell in buffer.content.iter_mut().skip(at).take(columns) {
            cell.set_char(plain);
        }
    }
}

fn substitute(symbol: &str) -> char {
    match symbol {
        "⬢" => '#',
        "⬡" | "○" => 'o',
        "◌" => '~',
        "■" => '=',
        "✖" | "✗" | "×" => 'x',
        "✓" => 'v',
        "●" | "⚙" => '*',
        "◐" => '%',
        "…" => '~',
        "·" => '.',
        "–" | "─" => '-',
        "━" => '=',
        "│" | "┊" | "▌" | "┃" | "‖" => '|',
        "╭" | "╮" | "╰" | "╯" | "├" | "┤" | "└" => '+',
        "▸" | "→" | "▶" => '>',
        "▾" | "↓" | "▼" => 'v',
        "▴" => '^',
        "◆" => '+',
        "−" => '-',
        "◂" | "←" => '<',
        "↑" | "▲" => '^',
        "█" | "▉" | "▊" | "▋" | "▇" | "▆" => '#',
        "▅" | "▄" | "▌▌" => '=',
        "▀" => '"',
        "▃" | "▂" | "▁" => '_',
        "░" | "▒" => '.',
        _ => '?',
    }
}
