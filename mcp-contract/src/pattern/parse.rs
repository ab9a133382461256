//! The grammar of ECMA-262 patterns, strict (`u` flag) or by Annex B.
//!
//! A recursive descent whose depth is bounded by [`MAX_NESTING`]. It accepts exactly what the chosen grammar accepts,
//! so that a pattern of another dialect (`(?i)`, `\A`, `(?P<x>…)`, possessive counts) is refused instead of being read
//! with another meaning.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::str::Chars;

use regex_syntax::hir::ClassUnicode;

use super::ast::{Node, Repeat};
use super::{Flags, MAX_LENGTH, Reading, class};

/// How deeply groups may nest.
const MAX_NESTING: usize = 200;

/// Why a pattern is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// It is no ECMA-262 pattern.
    #[error("not an ECMA-262 pattern: {message} (at character {position})")]
    Syntax {
        /// What is wrong.
        message: &'static str,
        /// Where, in characters from 1.
        position: usize,
    },
    /// It looks ahead or behind elsewhere than directly after a leading `^`.
    #[error("look-around cannot be run in linear time, except directly after a leading `^`")]
    LookAround,
    /// It refers back to a group.
    #[error("a back-reference cannot be run in linear time")]
    BackReference,
    /// It is longer than [`MAX_LENGTH`].
    #[error("{bytes} bytes long, the limit is {MAX_LENGTH}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Its automaton would be too large.
    #[error("its repetitions make an automaton that is too large")]
    TooLarge,
}

/// Parses a whole pattern by one grammar; what the flags say of the grammar has been decided.
pub(super) fn parse(source: &str, reading: Reading, flags: Flags) -> Result<Node, PatternError> {
    let mut parser = Parser {
        rest: source.chars().peekable(),
        position: 0,
        reading,
        flags,
        groups: groups(source),
        names: BTreeSet::new(),
        nesting: 0,
    };
    let node = parser.disjunction()?;
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(parser.error("unmatched `)`")),
    }
}

/// The capturing groups of a pattern.
#[derive(Clone, Copy, Default)]
pub(super) struct Groups {
    pub(super) count: u32,
    pub(super) named: bool,
}

/// Counts the capturing groups: `\1` is a back-reference only where there is a group for it.
fn groups(source: &str) -> Groups {
    let mut groups = Groups::default();
    let mut in_class = false;
    let mut rest = source.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\\' => drop(rest.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => {
                let mut ahead = rest.clone();
                let named =
                    ahead.next() == Some('?') && ahead.next() == Some('<') && !matches!(ahead.next(), Some('=' | '!'));
                groups.named |= named;
                groups.count += u32::from(named || rest.peek() != Some(&'?'));
            }
            _ => {}
        }
    }
    groups
}

pub(super) struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
    position: usize,
    pub(super) reading: Reading,
    flags: Flags,
    pub(super) groups: Groups,
    names: BTreeSet<String>,
    nesting: usize,
}

impl Parser<'_> {
    pub(super) fn peek(&mut self) -> Option<char> {
        self.rest.peek().copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.rest.next();
        self.position += usize::from(next.is_some());
        next
    }

    pub(super) fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.next();
        }
        found
    }

    /// Takes what `read` reads, or nothing where it gives `None`.
    pub(super) fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let (rest, position) = (self.rest.clone(), self.position);
        let value = read(self);
        if value.is_none() {
            (self.rest, self.position) = (rest, position);
        }
        value
    }

    pub(super) fn error(&self, message: &'static str) -> PatternError {
        PatternError::Syntax { message, position: self.position + 1 }
    }

    pub(super) fn strict(&self) -> bool {
        self.reading == Reading::Unicode
    }

    fn disjunction(&mut self) -> Result<Node, PatternError> {
        let mut alternatives = vec![self.alternative()?];
        while self.eat('|') {
            alternatives.push(self.alternative()?);
        }
        Ok(if alternatives.len() == 1 { alternatives.remove(0) } else { Node::Alternate(alternatives) })
    }

    fn alternative(&mut self) -> Result<Node, PatternError> {
        let mut terms = Vec::new();
        while !matches!(self.peek(), None | Some('|' | ')')) {
            terms.push(self.term()?);
        }
        Ok(match terms.len() {
            0 => Node::Empty,
            1 => terms.remove(0),
            _ => Node::Concat(terms),
        })
    }

    fn term(&mut self) -> Result<Node, PatternError> {
        let at = self.error("nothing to repeat");
        let assertion = self.is_assertion();
        let atom = match self.next() {
            Some('^') => Node::Start,
            Some('$') => Node::End,
            Some('(') => self.group()?,
            Some('[') => Node::Class(self.bracket_class()?),
            Some('.') if self.flags.dot_all => Node::Class(class::any()),
            Some('.') => Node::Class(class::negated(class::line_end())),
            Some('\\') => match self.atom_escape()? {
                Node::Class(set) => Node::Class(self.folded(set)),
                other => other,
            },
            Some('*' | '+' | '?') => return Err(at),
            Some('{') if self.strict() || self.is_quantifier_after_brace() => return Err(at),
            Some('}' | ']') if self.strict() => return Err(self.error("a lone bracket must be escaped")),
            Some(literal) => Node::Class(self.folded(class::single(literal))),
            None => unreachable!("the caller saw a character"),
        };
        match self.quantifier()? {
            Some(_) if assertion => Err(at),
            Some((min, max)) => {
                let lazy = self.eat('?');
                Ok(Node::Repeat(Repeat { node: Box::new(atom), min, max, lazy }))
            }
            None => Ok(atom),
        }
    }

    /// Whether an assertion comes next, which cannot be repeated. (Annex B lets a look-ahead be; nothing that can be run does.)
    fn is_assertion(&mut self) -> bool {
        let mut ahead = self.rest.clone();
        match ahead.next() {
            Some('^' | '$') => true,
            Some('\\') => matches!(ahead.next(), Some('b' | 'B')),
            Some('(') => {
                ahead.next() == Some('?')
                    && match ahead.next() {
                        Some('=' | '!') => true,
                        Some('<') => matches!(ahead.next(), Some('=' | '!')),
                        _ => false,
                    }
            }
            _ => false,
        }
    }

    fn group(&mut self) -> Result<Node, PatternError> {
        if self.eat('?') {
            match self.next() {
                Some(':') => {}
                Some(kind @ ('=' | '!')) => return self.look(false, kind == '!'),
                Some('<') if matches!(self.peek(), Some('=' | '!')) => {
                    let negated = self.next() == Some('!');
                    return self.look(true, negated);
                }
                Some('<') => self.group_name()?,
                _ => return Err(self.error("unknown kind of group")),
            }
        }
        self.group_body()
    }

    fn look(&mut self, behind: bool, negated: bool) -> Result<Node, PatternError> {
        Ok(Node::Look { behind, negated, node: Box::new(self.group_body()?) })
    }

    /// What stands in a group, and its closing parenthesis.
    fn group_body(&mut self) -> Result<Node, PatternError> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.error("groups nest too deeply"));
        }
        let node = self.disjunction()?;
        self.nesting -= 1;
        if self.eat(')') { Ok(node) } else { Err(self.error("a group is never closed")) }
    }

    fn group_name(&mut self) -> Result<(), PatternError> {
        let mut name = String::new();
        loop {
            match self.next() {
                Some('>') if !name.is_empty() => break,
                Some(c) if c == '$' || c == '_' || c.is_alphabetic() => name.push(c),
                Some(c) if c.is_alphanumeric() && !name.is_empty() => name.push(c),
                _ => return Err(self.error("not a group's name")),
            }
        }
        // ES2025 allows one name in several alternatives; names have no bearing on what matches, so a second use is
        // taken everywhere.
        self.names.insert(name);
        Ok(())
    }

    fn is_quantifier_after_brace(&mut self) -> bool {
        let (rest, position) = (self.rest.clone(), self.position);
        let found = self.braces().is_some();
        (self.rest, self.position) = (rest, position);
        found
    }

    /// `*`, `+`, `?` or counts in braces.
    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>, PatternError> {
        Ok(Some(match self.peek() {
            Some('*') => (0, None, self.next()),
            Some('+') => (1, None, self.next()),
            Some('?') => (0, Some(1), self.next()),
            Some('{') => {
                let counts = self.attempt(|parser| {
                    parser.next();
                    parser.braces()
                });
                match counts {
                    Some((min, Some(max))) if max < min => return Err(self.error("counts out of order")),
                    Some((min, max)) => (min, max, None),
                    None if self.strict() => return Err(self.error("a lone brace must be escaped")),
                    None => return Ok(None),
                }
            }
            _ => return Ok(None),
        }))
        .map(|counts: Option<(u32, Option<u32>, Option<char>)>| counts.map(|(min, max, _)| (min, max)))
    }

    /// What stands between the braces of a count, and the closing one.
    fn braces(&mut self) -> Option<(u32, Option<u32>)> {
        let min = self.number()?;
        let max =
            if self.eat(',') { if self.peek() == Some('}') { None } else { Some(self.number()?) } } else { Some(min) };
        self.eat('}').then_some((min, max))
    }

    /// A decimal number; too large a one saturates, and the automaton it asks for is refused later.
    fn number(&mut self) -> Option<u32> {
        let mut value = None::<u32>;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.next();
            value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(digit));
        }
        value
    }

    fn bracket_class(&mut self) -> Result<ClassUnicode, PatternError> {
        let negated = self.eat('^');
        let mut set = ClassUnicode::empty();
        loop {
            if self.eat(']') {
                break;
            }
            let low = self.class_atom()?;
            let mut ahead = self.rest.clone();
            let is_range = ahead.next() == Some('-') && !matches!(ahead.next(), None | Some(']'));
            if !is_range {
                set.union(&low);
                continue;
            }
            self.next();
            let high = self.class_atom()?;
            match (only(&low), only(&high)) {
                (Some(low), Some(high)) if low <= high => set.union(&class::ranges(&[(low, high)])),
                (Some(_), Some(_)) => return Err(self.error("a range out of order")),
                _ if self.strict() => return Err(self.error("a range between classes")),
                _ => {
                    set.union(&low);
                    set.union(&class::single('-'));
                    set.union(&high);
                }
            }
        }
        let set = self.folded(set);
        Ok(if negated { class::negated(set) } else { set })
    }

    /// The set with the other spellings of its letters, where case does not matter.
    fn folded(&self, mut set: ClassUnicode) -> ClassUnicode {
        if self.flags.ignore_case {
            // Only fails without Unicode's tables, which are compiled in.
            let _ = set.try_case_fold_simple();
        }
        set
    }

    fn class_atom(&mut self) -> Result<ClassUnicode, PatternError> {
        match self.next() {
            None => Err(self.error("a class is never closed")),
            Some('\\') => self.class_escape(),
            Some(literal) => Ok(class::single(literal)),
        }
    }
}

/// The character of a set of one.
fn only(class: &ClassUnicode) -> Option<char> {
    match class.ranges() {
        [range] if range.start() == range.end() => Some(range.start()),
        _ => None,
    }
}
