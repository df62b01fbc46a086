//! Replay: repeats the mutations of the journal and checks that they have the same outcomes.

use std::{
    collections::VecDeque,
    fs::{self, OpenOptions},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, anyhow, bail};

use super::{
    super::world::{CommandKind, GameOrder, JournalRecord, PlayerId, World, command_kind},
    line::JournalLine,
};

pub(super) fn segment_path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("journal-{number:06}.jsonl"))
}

pub(super) fn segment_numbers(dir: &Path) -> anyhow::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| format!("list {}", dir.display()))? {
        let name = entry?.file_name();
        let number: Option<u64> = name
            .to_str()
            .and_then(|name| name.strip_prefix("journal-")?.strip_suffix(".jsonl"))
            .and_then(|number| number.parse().ok());
        numbers.extend(number);
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Replays all segments from `first` on. Returns the number of the last.
pub(super) fn replay_segments(dir: &Path, first: u64, world: &mut World) -> anyhow::Result<u64> {
    let numbers = segment_numbers(dir)?;
    let numbers: Vec<u64> = numbers
        .into_iter()
        .filter(|number| *number >= first)
        .collect();
    let last = numbers.last().copied().unwrap_or(first);
    let mut replay = Replay {
        world,
        expected: VecDeque::new(),
    };
    for number in numbers {
        let path = segment_path(dir, number);
        let text = fs::read(&path).with_context(|| format!("read {}", path.display()))?;
        let whole = whole_lines(&text);
        if whole < text.len() {
            if number < last {
                return Err(damage_error(&path, 0)).context("it ends in the middle of a line");
            }
            // A power cut left this line unfinished. The answer to its request never left.
            tracing::warn!(path = %path.display(), "cut an unfinished line off the journal");
            let file = OpenOptions::new().write(true).open(&path)?;
            file.set_len(whole as u64)
                .with_context(|| format!("cut {}", path.display()))?;
        }
        for (line, at) in text[..whole]
            .split_inclusive(|byte| *byte == b'\n')
            .zip(1..)
        {
            replay
                .replay_line(line)
                .with_context(|| damage_error(&path, at))?;
        }
    }
    replay
        .finish()
        .with_context(|| damage_error(&segment_path(dir, last), 0))?;
    Ok(last)
}

/// The number of bytes up to and including the last newline.
fn whole_lines(text: &[u8]) -> usize {
    let end = text.iter().rposition(|byte| *byte == b'\n');
    end.map_or(0, |end| end + 1)
}

fn damage_error(path: &Path, line: u64) -> anyhow::Error {
    let place = match line {
        0 => String::new(),
        line => format!(", line {line}"),
    };
    anyhow!(
        "the journal is damaged at {}{place}; put a copy of the data directory back, cut the file \
         before that line to lose what came after it, or move the directory away to begin a new galaxy",
        path.display()
    )
}

struct Replay<'a> {
    world: &'a mut World,
    /// Outcomes that the queued mutations must have.
    expected: VecDeque<(PlayerId, Option<String>)>,
}

impl Replay<'_> {
    fn replay_line(&mut self, line: &[u8]) -> anyhow::Result<()> {
        let line: JournalLine = serde_json::from_slice(line).context("read it")?;
        let Some(command) = line.command.clone() else {
            return self.advance_to(line.tick);
        };
        let player = line.player.context("it names no player")?;
        match (command.as_str(), command_kind(&command)) {
            (_, Some(CommandKind::Act)) => self.queue_mutation(player, command, line),
            (_, Some(CommandKind::Write)) => {
                self.advance_to(line.tick)?;
                let answer = self.world.query(player, &command, &line.args);
                answer
                    .map(drop)
                    .map_err(|refusal| anyhow!("repeat {command}: {refusal}"))
            }
            ("register", None) => {
                self.advance_to(line.tick)?;
                let made = self.world.register_again(&line.args);
                let made = made.map_err(|refusal| anyhow!("repeat {command}: {refusal}"))?;
                if made != player {
                    bail!("repeat {command}: it created a different player than the first time");
                }
                Ok(())
            }
            ("login", None) => {
                self.advance_to(line.tick)?;
                self.world.begin_visit(player);
                Ok(())
            }
            ("logout", None) => {
                self.advance_to(line.tick)?;
                self.world.end_visit(player);
                Ok(())
            }
            (_, Some(CommandKind::Look | CommandKind::Reference) | None) => {
                bail!("`{command}` is not a recorded command")
            }
        }
    }

    /// Queues a mutation for the tick in which it was carried out.
    fn queue_mutation(
        &mut self,
        player: PlayerId,
        command: String,
        line: JournalLine,
    ) -> anyhow::Result<()> {
        self.advance_to(line.tick - 1)?;
        let order = GameOrder {
            player,
            command,
            arguments: line.args,
            call: line.call,
        };
        self.expected.push_back((player, line.code));
        let queued = self.world.schedule(order, line.tick);
        queued
            .map(drop)
            .map_err(|refusal| anyhow!("repeat it: {refusal}"))
    }

    /// Lets ticks pass up to this one.
    fn advance_to(&mut self, tick: u64) -> anyhow::Result<()> {
        while self.world.now() < tick {
            for executed in self.world.tick().records {
                self.check_outcome(&executed)?;
            }
        }
        Ok(())
    }

    fn check_outcome(&mut self, executed: &JournalRecord) -> anyhow::Result<()> {
        let expected = self.expected.pop_front();
        let player = executed.order.player;
        let failed = executed.failed.map(str::to_owned);
        if expected == Some((player, failed.clone())) {
            return Ok(());
        }
        bail!(
            "repeat {} of {player}: it ended with {failed:?}, the journal has {expected:?}",
            executed.order.command
        )
    }

    /// Carries out the mutations that were queued last.
    fn finish(mut self) -> anyhow::Result<()> {
        if self.expected.is_empty() {
            return Ok(());
        }
        let next = self.world.now() + 1;
        self.advance_to(next)
    }
}
