//! Forms: a new Mysis, or other settings for one.

use crate::dashboard::field::Field;
use crate::dashboard::form::{Form, Purpose, Slot, Start};
use crate::dashboard::layout::Area;
use crate::dashboard::tone::{Line, Tone};
use crate::dashboard::width;
use actors::domain::clean::one_line;

use crate::painter::{Painter, middle};
use crate::theme::Ground;

const LABEL: u16 = 13;

pub(super) fn paint(form: &Form, screen: Area, brush: &mut Painter<'_>) {
    let slots = form.slots();
    let rows = u16::try_from(slots.len()).unwrap_or(4);
    let area = middle(screen, 66, rows + 7);
    let title = match &form.purpose {
        Purpose::Create => "new Mysis".to_string(),
        Purpose::Configure { name, .. } => format!("settings of {}", one_line(name)),
    };
    let inside = brush.frame(area, &title, Ground::Panel);
    for (row, slot) in (1..).zip(slots) {
        paint_slot(form, *slot, inside, row, brush);
    }
    let foot = inside.height.saturating_sub(3);
    if let Some(complaint) = &form.complaint {
        let complaint = one_line(complaint);
        let lines = width::wrap(&complaint, usize::from(inside.width));
        for (row, line) in (foot..inside.height).zip(lines) {
            brush.text(inside, row, line, Tone::Fault);
        }
    } else if form.awaited.is_some() {
        brush.text(inside, foot, "on its way …", Tone::Accent);
    }
    brush.on(Ground::Base);
}

fn paint_slot(form: &Form, slot: Slot, inside: Area, row: u16, brush: &mut Painter<'_>) {
    let is_here = form.at == slot;
    let label = match slot {
        Slot::Name => "name",
        Slot::Provider => "provider",
        Slot::Model => "model",
        Slot::Temperature => "temperature",
        Slot::Start => "start",
    };
    let tone = if is_here { Tone::Accent } else { Tone::Dim };
    brush.on(Ground::Panel);
    brush.text(inside, row, label, tone);
    let value = Area {
        x: inside.x + LABEL.min(inside.width),
        y: inside.y + row,
        width: inside.width.saturating_sub(LABEL),
        height: 1,
    };
    match slot {
        Slot::Name => paint_field(&form.name, "letters, digits, - _ .", value, is_here, brush),
        Slot::Model => {
            let own = format!("{} (the provider's own)", one_line(form.provider_model()));
            paint_field(&form.model, &own, value, is_here, brush);
        }
        Slot::Temperature => paint_field(&form.temperature, "as it is", value, is_here, brush),
        Slot::Provider => paint_choice(&provider(form), value, is_here, brush),
        Slot::Start => {
            let words = match form.start {
                Start::AtOnce => "at once",
                Start::Later => "later; it stays idle",
            };
            paint_choice(words, value, is_here, brush);
        }
    }
}

fn provider(form: &Form) -> String {
    match form.providers.get(form.provider) {
        None => "no provider is configured".to_string(),
        Some((name, model)) => {
            let count = form.providers.len();
            let place = form.provider + 1;
            format!(
                "{}  {}  ({place} of {count})",
                one_line(name),
                one_line(model)
            )
        }
    }
}

fn paint_choice(words: &str, value: Area, is_here: bool, brush: &mut Painter<'_>) {
    let line = if is_here {
        Line::of("◂ ", Tone::Accent)
            .with(words, Tone::Strong)
            .with(" ▸", Tone::Accent)
    } else {
        Line::of("  ", Tone::Text).with(words, Tone::Text)
    };
    brush.line(value, 0, &line);
}

fn paint_field(field: &Field, absent: &str, value: Area, is_here: bool, brush: &mut Painter<'_>) {
    let inner = Area {
        x: value.x + 2.min(value.width),
        width: value.width.saturating_sub(3),
        ..value
    };
    if is_here {
        brush.fill(value, Ground::Field);
    }
    let (text, column) = field.window(usize::from(inner.width));
    if field.is_empty() {
        brush.text(inner, 0, absent, Tone::Faint);
    } else {
        brush.text(inner, 0, &text, Tone::Text);
    }
    if is_here && let Ok(column) = u16::try_from(column) {
        brush.put_cursor(inner.x.saturating_add(column), inner.y);
    }
}
