//! Escapes: the part of the grammar in which the strict reading and Annex B differ most.

use regex_syntax::hir::ClassUnicode;

use super::ast::Node;
use super::class;
use super::parse::{Parser, PatternError};

impl Parser<'_> {
    /// What follows a backslash outside a class.
    pub(super) fn atom_escape(&mut self) -> Result<Node, PatternError> {
        match self.peek() {
            Some('b') => {
                self.next();
                Ok(Node::WordBoundary { negated: false })
            }
            Some('B') => {
                self.next();
                Ok(Node::WordBoundary { negated: true })
            }
            // Where no group has a name, the older grammar takes `\k` for a letter.
            Some('k') if self.groups.named => Err(PatternError::BackReference),
            Some('k') if self.strict() => Err(self.error("`\\k` without a named group")),
            Some('1'..='9') => match self.attempt(Self::decimal) {
                Some(_) => Err(PatternError::BackReference),
                None if self.strict() => Err(self.error("a reference to a group that is not there")),
                None => self.character_escape(false).map(Node::Class),
            },
            _ => self.character_escape(false).map(Node::Class),
        }
    }

    /// What follows a backslash inside a class.
    pub(super) fn class_escape(&mut self) -> Result<ClassUnicode, PatternError> {
        match self.peek() {
            Some('b') => {
                self.next();
                Ok(class::single('\u{8}'))
            }
            Some('-') => {
                self.next();
                Ok(class::single('-'))
            }
            _ => self.character_escape(true),
        }
    }

    /// The number of a group that is there; anything else is read again from its first digit.
    fn decimal(&mut self) -> Option<u32> {
        let mut value = 0_u32;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.next();
            value = value.saturating_mul(10).saturating_add(digit);
        }
        (value <= self.groups.count).then_some(value)
    }

    fn character_escape(&mut self, in_class: bool) -> Result<ClassUnicode, PatternError> {
        if self.peek() == Some('c') {
            return self.control_escape(in_class);
        }
        let Some(character) = self.next() else { return Err(self.error("a lone backslash at the end")) };
        if let Some(class) = class::escape(character) {
            return Ok(class);
        }
        let single = match character {
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'p' | 'P' if self.strict() => return self.property_escape(character == 'P'),
            'x' => return self.hex_escape(),
            'u' => return self.unicode_escape(),
            '0' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => '\0',
            '0'..='7' if !self.strict() => return Ok(class::single(self.octal(character))),
            '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' => character,
            _ if self.strict() => return Err(self.error("an escape that ECMA-262 does not have")),
            other => other,
        };
        Ok(class::single(single))
    }

    fn property_escape(&mut self, negated: bool) -> Result<ClassUnicode, PatternError> {
        if !self.eat('{') {
            return Err(self.error("`\\p` needs braces"));
        }
        let mut expression = String::new();
        loop {
            match self.next() {
                Some('}') => break,
                Some(character) => expression.push(character),
                None => return Err(self.error("`\\p{` is never closed")),
            }
        }
        let Some(set) = class::property(&expression) else { return Err(self.error("an unknown Unicode property")) };
        Ok(if negated { class::negated(set) } else { set })
    }

    fn control_escape(&mut self, in_class: bool) -> Result<ClassUnicode, PatternError> {
        let strict = self.strict();
        let letter = self.attempt(|parser| {
            parser.next();
            let more = |c: char| !strict && in_class && (c.is_ascii_digit() || c == '_');
            parser.next().filter(|c| c.is_ascii_alphabetic() || more(*c))
        });
        match letter {
            Some(letter) => {
                let code = u8::try_from(letter).expect("ASCII fits a byte") % 32;
                Ok(class::single(char::from(code)))
            }
            None if strict => Err(self.error("`\\c` needs a letter")),
            // Annex B: the backslash stands for itself, and the `c` is read again as a letter.
            None => Ok(class::single('\\')),
        }
    }

    fn hex_escape(&mut self) -> Result<ClassUnicode, PatternError> {
        match self.attempt(|parser| parser.hex(2)) {
            Some(code) => self.scalar(code),
            None if self.strict() => Err(self.error("`\\x` needs two hex digits")),
            None => Ok(class::single('x')),
        }
    }

    fn unicode_escape(&mut self) -> Result<ClassUnicode, PatternError> {
        if self.strict() && self.eat('{') {
            let mut code = 0_u32;
            let mut digits = 0;
            while let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) {
                self.next();
                digits += 1;
                code = code.saturating_mul(16).saturating_add(digit);
            }
            if digits == 0 || !self.eat('}') {
                return Err(self.error("`\\u{` needs hex digits and a closing brace"));
            }
            return self.scalar(code);
        }
        let Some(code) = self.attempt(|parser| parser.hex(4)) else {
            return if self.strict() { Err(self.error("`\\u` needs four hex digits")) } else { Ok(class::single('u')) };
        };
        if !(0xd800..0xdc00).contains(&code) {
            return self.scalar(code);
        }
        let low = self.attempt(|parser| {
            let escaped = parser.eat('\\') && parser.eat('u');
            parser.hex(4).filter(|low| escaped && (0xdc00..0xe000).contains(low))
        });
        match low {
            Some(low) => self.scalar(0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00)),
            None => self.scalar(code),
        }
    }

    fn scalar(&self, code: u32) -> Result<ClassUnicode, PatternError> {
        match char::from_u32(code) {
            Some(character) => Ok(class::single(character)),
            None if code > 0x10_ffff => Err(self.error("a code point beyond Unicode")),
            None => Err(self.error("a lone surrogate, which no text can hold")),
        }
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        (0..digits).try_fold(0, |code, _| Some(code * 16 + self.next()?.to_digit(16)?))
    }

    /// Annex B's octal escapes, up to `\377`.
    fn octal(&mut self, first: char) -> char {
        let mut code = first.to_digit(8).expect("an octal digit");
        for _ in 0..2 {
            match self.peek().and_then(|c| c.to_digit(8)) {
                Some(digit) if code * 8 + digit <= 0o377 => {
                    self.next();
                    code = code * 8 + digit;
                }
                _ => break,
            }
        }
        char::from_u32(code).expect("at most 255")
    }
}
