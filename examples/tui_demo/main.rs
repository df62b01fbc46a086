//! The terminal with a swarm that is none, for looking at it: `cargo run --example tui_demo -- 12`.
//!
//! Arguments: how many Myses, then how many steps of theirs a second.

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|word| word.parse().ok());
    let count = numbers.next().unwrap_or(12);
    let rate = numbers.next().unwrap_or(8);
    zoea_scenes::pretender::fly(usize::try_from(count)?, rate).await
}
