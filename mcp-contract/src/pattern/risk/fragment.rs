//! The parts that a position automaton is put together from.
//!
//! A part knows which positions can come first and last in it, and in how many ways it can be empty. Counts saturate at two: only "one way
//! or more than one" matters. A guard says which word boundaries have to hold on the way.

/// The boundaries that must hold between two characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Guard(u8);

impl Guard {
    pub(super) const NONE: Self = Self(0);
    pub(super) const BOUNDARY: Self = Self(1);
    pub(super) const NO_BOUNDARY: Self = Self(2);

    fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it holds between characters of which these are word characters.
    pub(super) fn holds(self, before: bool, after: bool) -> bool {
        let boundary = before != after;
        !(self.0 & 1 != 0 && !boundary || self.0 & 2 != 0 && boundary)
    }
}

/// A position, the guard on the way to it, and in how many ways it is reached.
pub(super) type Entry = (u32, Guard, u8);

/// A part of an automaton.
#[derive(Clone, Debug, Default)]
pub(super) struct Fragment {
    /// In how many ways it is empty, by the guard that then holds.
    pub(super) empty: [u8; 4],
    pub(super) first: Vec<Entry>,
    pub(super) last: Vec<Entry>,
}

impl Fragment {
    /// The part that is empty, under a guard.
    pub(super) fn empty(guard: Guard) -> Self {
        let mut empty = [0; 4];
        empty[usize::from(guard.0)] = 1;
        Self { empty, ..Self::default() }
    }

    /// The part of one position.
    pub(super) fn position(position: u32) -> Self {
        let entries = vec![(position, Guard::NONE, 1)];
        Self { empty: [0; 4], first: entries.clone(), last: entries }
    }

    pub(super) fn is_nullable(&self) -> bool {
        self.empty.iter().any(|count| *count > 0)
    }

    /// Either part.
    pub(super) fn or(mut self, other: Self) -> Self {
        self.empty.iter_mut().zip(other.empty).for_each(|(count, more)| *count = (*count + more).min(2));
        self.first.extend(other.first);
        self.last.extend(other.last);
        self
    }

    /// One part and then the other; the edges between them are the caller's.
    pub(super) fn then(self, next: &Self) -> Self {
        let first = self.first.into_iter().chain(through(&self.empty, &next.first)).collect();
        let last = next.last.iter().copied().chain(through(&next.empty, &self.last)).collect();
        let mut empty = [0_u8; 4];
        for (index, count) in self.empty.into_iter().enumerate().filter(|(_, count)| *count > 0) {
            for (other, more) in next.empty.into_iter().enumerate().filter(|(_, more)| *more > 0) {
                let both = index | other;
                empty[both] = (empty[both] + count * more).min(2);
            }
        }
        Self { empty, first, last }
    }

    /// The part, or nothing; an empty iteration is no iteration.
    pub(super) fn optional(self) -> Self {
        Self { empty: Self::empty(Guard::NONE).empty, ..self }
    }

    /// The part several times, at least once: an empty first iteration is one, a later one is not.
    pub(super) fn repeated(mut self) -> Self {
        if self.is_nullable() {
            self.first.iter_mut().for_each(|(_, _, count)| *count = 2);
        }
        self
    }
}

/// Entries that are reached through something empty.
fn through<'a>(empty: &'a [u8; 4], entries: &'a [Entry]) -> impl Iterator<Item = Entry> + 'a {
    (0..4_u8).zip(empty).filter(|(_, count)| **count > 0).flat_map(move |(guard, count)| {
        entries.iter().map(move |(position, other, ways)| (*position, Guard(guard).with(*other), (count * ways).min(2)))
    })
}
