//! Money and markets: the credits, the bids and asks, the goods that could not be sold.

use std::collections::BTreeSet;

use zoea_game::Reading;
use zoea_game::reading::UnitPrice;
use zoea_spacemolt::ResultFacts;

use super::outcome::ToolNews;
use super::ship::whole_number;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TradeState {
    pub(crate) credits: Option<i64>,
    /// Credits earned by sales in this conversation.
    pub(crate) earned: i64,
    /// Whether something was sold, bought or paid since the credits were last read.
    pub(crate) is_stale: bool,
    pub(crate) market: Option<Vec<MarketQuote>>,
    /// Items that nobody buys here.
    pub(crate) unsold: BTreeSet<String>,
    pub(crate) bought_here: BTreeSet<String>,
    /// Items that could not be bought here.
    pub(crate) unbought: BTreeSet<String>,
    /// Whether a station refused to refuel the ship and nothing was earned since.
    pub(crate) refuel_refused: bool,
    /// Whether the station's storage refused goods since the arrival.
    pub(crate) storage_refused: bool,
}

/// The quote of an item; 0 where nobody bids or asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarketQuote {
    pub(crate) item: String,
    /// The highest bid: the price for a seller.
    pub(crate) bid: i64,
    /// The lowest ask: the price for a buyer.
    pub(crate) ask: i64,
    pub(crate) on_offer: i64,
}

impl TradeState {
    pub(super) fn on_success(&mut self, news: &ToolNews<'_>, facts: &ResultFacts) {
        let standing = news.standing(facts);
        let deal = standing.deal.unwrap_or_default();
        match news.asked.tool {
            "get_status" | "login" | "register" => {
                if let Some(credits) = standing.credits {
                    self.credits = Some(credits);
                    self.is_stale = false;
                }
            }
            "view_market" => self.learn_market(&facts.prices("view_market")),
            "sell" => {
                let sold = news.moved(facts).map_or(0, |(_, units)| -units);
                let asked = news.argument("quantity").as_ref().and_then(whole_number);
                if sold == 0 || asked.is_some_and(|asked| sold < asked) {
                    self.unsold.extend(item_of_result(news, facts));
                }
                self.earn(deal.earned);
            }
            "buy" => {
                self.bought_here.extend(item_of_result(news, facts));
                self.pay_credits(deal.spent);
            }
            "refuel" => self.pay_credits(deal.spent),
            "complete_mission" => self.earn(deal.earned),
            "travel" => self.leave_base(),
            "jump" => {
                self.leave_base();
                self.bought_here.clear();
            }
            _ => {}
        }
    }

    fn learn_market(&mut self, prices: &[UnitPrice<'_>]) {
        let known = self.market.get_or_insert_default();
        for price in prices {
            known.retain(|other| other.item != price.item);
            known.push(MarketQuote {
                item: price.item.to_owned(),
                bid: price.brings.unwrap_or(0),
                ask: price.costs.unwrap_or(0),
                on_offer: price.on_offer.unwrap_or(0),
            });
        }
    }

    fn earn(&mut self, earned: i64) {
        self.earned = self.earned.saturating_add(earned);
        self.pay_credits(-earned);
    }

    fn leave_base(&mut self) {
        self.market = None;
        self.unsold.clear();
        self.unbought.clear();
        self.storage_refused = false;
    }

    fn pay_credits(&mut self, cost: i64) {
        self.refuel_refused &= cost >= 0;
        self.credits = self.credits.map(|credits| credits.saturating_sub(cost));
        self.is_stale = true;
    }

    pub(super) fn on_failure(&mut self, news: &ToolNews<'_>, code: &str) {
        let item = news.text_argument("item_id");
        match (news.asked.tool, code) {
            (
                "refuel",
                "insufficient_credits" | "no_credits" | "station_fuel_empty" | "no_fuel_cells",
            ) => {
                self.refuel_refused = true;
            }
            ("sell", "no_market" | "invalid_item") => self.unsold.extend(item),
            (
                "buy",
                "item_not_available"
                | "insufficient_credits"
                | "no_credits"
                | "invalid_item"
                | "no_market",
            ) => {
                self.unbought.extend(item);
            }
            ("view_market", "no_market") => self.market = Some(Vec::new()),
            ("deposit_items", "not_docked") => {}
            ("deposit_items", _) => self.storage_refused = true,
            _ => {}
        }
    }
}

fn item_of_result(news: &ToolNews<'_>, facts: &ResultFacts) -> Option<String> {
    let moved = news.moved(facts).map(|(item, _)| item);
    moved.or_else(|| news.text_argument("item_id"))
}
