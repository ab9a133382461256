//! The steps that a judgement may take. Steps and not time: the same pattern gets the same verdict on every machine.

/// A count of steps that ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    left: u64,
    used: u64,
}

/// There are no steps left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exhausted;

impl Budget {
    pub(super) fn new(steps: u64) -> Self {
        Self { left: steps, used: 0 }
    }

    /// Takes steps.
    pub(super) fn take(&mut self, steps: u64) -> Result<(), Exhausted> {
        self.used += steps;
        let left = self.left.checked_sub(steps);
        self.left = left.unwrap_or(0);
        left.map(|_| ()).ok_or(Exhausted)
    }

    pub(super) fn left(&self) -> u64 {
        self.left
    }

    pub(super) fn used(&self) -> u64 {
        self.used
    }
}
