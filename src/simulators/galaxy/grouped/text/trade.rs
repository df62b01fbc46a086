//! What the market and its deals are told as.

use serde_json::Value;

use super::cells::{elements, field_row, money, word};

pub(super) fn market(answer: &Value, state: Option<&Value>) -> String {
    let items = elements(&answer["items"]);
    let mut text = format!(
        "Market summary at {} ({} items):\n",
        word(&answer["base"]),
        items.len()
    );
    text += "category\titem_id\titem_name\tbest_sell\tbest_buy\tspread\tsell_qty\tbuy_qty\n";
    for item in items {
        let names = field_row(item, &["category", "item_id", "item_name"]);
        let prices = ["best_sell", "best_buy", "spread"].map(|name| match item[name].as_u64() {
            Some(0) | None => String::new(),
            Some(_) => money(&item[name]),
        });
        let prices = prices.join("\t");
        let quantities = field_row(item, &["sell_quantity", "buy_quantity"]);
        text += &format!("{names}\t{prices}\t{quantities}\n");
    }
    let categories: Vec<String> = elements(&answer["categories"]).iter().map(word).collect();
    text += &format!("Categories: {}\n", categories.join(", "));
    text += "Use item_id for full order book depth. Use category to filter.\n";
    if let Some(state) = state {
        let tick = word(&state["current_tick"]);
        text += &format!("current_tick={tick} (pass as 'since' to view_market for the next diff)");
    }
    text
}

pub(super) fn insights(answer: &Value) -> String {
    let mut text = format!(
        "Trading insights at {} (trading skill {}):\npriority\tcategory\titem\titem_id\tinsight\n",
        word(&answer["station"]),
        word(&answer["skill_level"])
    );
    for insight in elements(&answer["insights"]) {
        text += &field_row(
            insight,
            &["priority", "category", "item", "item_id", "message"],
        );
        text.push('\n');
    }
    text
}

pub(super) fn estimate(answer: &Value) -> String {
    let mut text = format!(
        "Estimate: {} {} would cost {} ({} available).",
        word(&answer["quantity_requested"]),
        word(&answer["item"]),
        money(&answer["total_cost"]),
        word(&answer["available"])
    );
    if answer["unfilled"].as_u64().unwrap_or(0) > 0 {
        text += &format!(" {} unfilled.", word(&answer["unfilled"]));
    }
    text
}

pub(super) fn sale(answer: &Value) -> String {
    let mut text = format!(
        "Sold {} {} for {}.",
        word(&answer["quantity_sold"]),
        word(&answer["item"]),
        money(&answer["total_earned"])
    );
    if answer["unsold"].as_u64().unwrap_or(0) > 0 {
        text += &format!(" {} unsold (no buyers).", word(&answer["unsold"]));
    }
    let fills = elements(&answer["fills"]);
    if !fills.is_empty() {
        text += "\nFills:\nqty\tprice\tsubtotal\tsource\tbuyer\n";
        for fill in fills {
            text += &format!(
                "{}\t{}\t{}\t{}\t\n",
                word(&fill["quantity"]),
                money(&fill["price_each"]),
                money(&fill["subtotal"]),
                word(&fill["source"])
            );
        }
    }
    text
}
