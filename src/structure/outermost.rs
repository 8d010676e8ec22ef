//! Of many things the outermost, as many as are wanted.

use std::collections::BinaryHeap;

/// The outermost of the things that it was given; of those on one level the
/// first. Never holds more than are wanted.
#[derive(Debug)]
pub(super) struct Outermost<T> {
    most: usize,
    /// The one to give up next is on top.
    kept: BinaryHeap<Kept<T>>,
}

#[derive(Debug)]
struct Kept<T> {
    level: usize,
    start: usize,
    thing: T,
}

impl<T> Outermost<T> {
    pub(super) fn new(most: usize) -> Outermost<T> {
        Outermost { most, kept: BinaryHeap::new() }
    }

    /// Adds a thing that begins at `start`, within `level` brackets.
    /// Logarithmic in how many are wanted.
    pub(super) fn push(&mut self, level: usize, start: usize, thing: T) {
        if self.kept.len() == self.most {
            match self.kept.peek() {
                Some(last) if (level, start) < (last.level, last.start) => self.kept.pop(),
                _ => return,
            };
        }
        self.kept.push(Kept { level, start, thing });
    }

    /// Whether nothing that is added on `level` or deeper, behind all that was
    /// added, would be kept.
    pub(super) fn is_full(&self, level: usize) -> bool {
        self.kept.len() == self.most && self.kept.peek().is_none_or(|last| last.level <= level)
    }

    /// What was kept, and on which level, in the order in which they begin; of
    /// those that begin together the outer first.
    pub(super) fn in_order(self) -> impl Iterator<Item = (usize, T)> {
        let mut kept = self.kept.into_vec();
        kept.sort_unstable_by_key(|kept| (kept.start, kept.level));
        kept.into_iter().map(|kept| (kept.level, kept.thing))
    }
}

impl<T> Ord for Kept<T> {
    fn cmp(&self, other: &Kept<T>) -> std::cmp::Ordering {
        (self.level, self.start).cmp(&(other.level, other.start))
    }
}

impl<T> PartialOrd for Kept<T> {
    fn partial_cmp(&self, other: &Kept<T>) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Kept<T> {
    fn eq(&self, other: &Kept<T>) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Kept<T> {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_outermost_are_those_that_sorting_finds(
            mut things in proptest::collection::vec((0_usize..5, 0_usize..100), 0..60),
            most in 0_usize..20,
        ) {
            let mut outermost = Outermost::new(most);
            for (index, (level, start)) in things.iter().enumerate() {
                outermost.push(*level, *start, index);
            }
            let mut found: Vec<_> = outermost.in_order().map(|(level, index)| (level, things[index].1)).collect();
            things.sort_unstable();
            things.truncate(most);
            found.sort_unstable();
            prop_assert_eq!(found, things);
        }
    }
}
