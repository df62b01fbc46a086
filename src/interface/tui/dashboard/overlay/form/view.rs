//! Draws the form.

use super::{FormField, FormPurpose, MysisForm};
use crate::dashboard::layout::{row_of, without_left};
use crate::dashboard::text::field::TextField;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use actors::domain::record::CONFIGURED_ROLE;
use ratatui::layout::Rect;
use zoea_text::clean::one_line;

use crate::painter::{Painter, centre_area};
use crate::theme::Ground;

const LABEL_COLUMNS: u16 = 13;

pub(crate) fn paint(form: &MysisForm, screen: Rect, painter: &mut Painter<'_>) {
    let slots = form.slots();
    let rows = u16::try_from(slots.len()).unwrap_or(4);
    let area = centre_area(screen, 66, rows + 7);
    let title = match &form.purpose {
        FormPurpose::Create => "new Mysis".to_string(),
        FormPurpose::Configure { name, .. } => format!("settings of {}", one_line(name)),
    };
    let inside = painter.frame(area, &title, Ground::Panel);
    for (row, slot) in (1..).zip(slots) {
        paint_slot(form, slot, inside, row, painter);
    }
    let foot = inside.height.saturating_sub(3);
    if let Some(complaint) = &form.complaint {
        let complaint = one_line(complaint);
        let lines = width::wrap(&complaint, usize::from(inside.width));
        for (row, line) in (foot..inside.height).zip(lines) {
            painter.text(inside, row, line, Tone::Fault);
        }
    } else if form.awaited.is_some() {
        painter.text(inside, foot, "on its way …", Tone::Accent);
    }
}

fn paint_slot(
    form: &MysisForm,
    slot: FormField,
    inside: Rect,
    row: u16,
    painter: &mut Painter<'_>,
) {
    let is_here = form.at == slot;
    let tone = if is_here { Tone::Accent } else { Tone::Dim };
    painter.text(inside, row, slot.into(), tone);
    let value = without_left(row_of(inside, row), LABEL_COLUMNS);
    match slot {
        FormField::Name => paint_field(
            &form.name,
            "letters, digits, - _ .",
            value,
            is_here,
            painter,
        ),
        FormField::Model => {
            let own = format!("{} (the provider's own)", one_line(form.provider_model()));
            paint_field(&form.model, &own, value, is_here, painter);
        }
        FormField::Temperature => {
            paint_field(&form.temperature, "as it is", value, is_here, painter)
        }
        FormField::Role => paint_choice(&role(form), value, is_here, painter),
        FormField::Provider => paint_choice(&provider(form), value, is_here, painter),
        FormField::Start => {
            let words = match form.starts {
                true => "at once",
                false => "later; it stays idle",
            };
            paint_choice(words, value, is_here, painter);
        }
    }
}

fn role(form: &MysisForm) -> String {
    let word = form.roles.get(form.role).map_or("", |word| word);
    let meaning = match word {
        CONFIGURED_ROLE => "  as the configuration has it",
        _ => "",
    };
    let (place, count) = (form.role + 1, form.roles.len());
    format!("{}{meaning}  ({place} of {count})", one_line(word))
}

fn provider(form: &MysisForm) -> String {
    match form.providers.get(form.provider) {
        None => "no provider is configured".to_string(),
        Some((name, model)) => {
            let (place, count) = (form.provider + 1, form.providers.len());
            let (name, model) = (one_line(name), one_line(model));
            format!("{name}  {model}  ({place} of {count})")
        }
    }
}

fn paint_choice(words: &str, value: Rect, is_here: bool, painter: &mut Painter<'_>) {
    let line = if is_here {
        StyledLine::of("◂ ", Tone::Accent)
            .with(words, Tone::Strong)
            .with(" ▸", Tone::Accent)
    } else {
        StyledLine::of("  ", Tone::Text).with(words, Tone::Text)
    };
    painter.line(value, 0, &line);
}

fn paint_field(
    field: &TextField,
    absent: &str,
    value: Rect,
    is_here: bool,
    painter: &mut Painter<'_>,
) {
    let inner = Rect {
        width: value.width.saturating_sub(3),
        ..without_left(value, 2)
    };
    if is_here {
        painter.fill(value, Ground::Field);
    }
    let (text, column) = field.window(usize::from(inner.width));
    if field.is_empty() {
        painter.text(inner, 0, absent, Tone::Dim);
    } else {
        painter.text(inner, 0, &text, Tone::Text);
    }
    if is_here {
        painter.put_cursor(inner, (column, 0));
    }
}
