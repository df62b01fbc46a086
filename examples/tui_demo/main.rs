//! The terminal with a made-up swarm, to look at: `cargo run --example tui_demo -- 12`.
//!
//! Arguments: the number of Myses, then the number of their steps a second.

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|word| word.parse().ok());
    let count = numbers.next().unwrap_or(12);
    let rate = numbers.next().unwrap_or(8);
    zoea_scenes::pretender::fly(usize::try_from(count)?, rate).await
}
