//! Bounds on the size of a schema, checked without recursion before any recursive code sees it.
//!
//! Each limit stands for something that was measured to overflow the stack of a validator, to take seconds, or never to
//! end. Real schemas stay far below all of them.

use super::compile::SchemaError;
use crate::json::{Json, Pointer};

/// The limits; there is one set, and it is not configurable, so that build time and run time cannot differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "a table of constants")]
pub struct Limits;

impl Limits {
    /// How deeply a schema may nest, in JSON levels.
    pub const DEPTH: usize = 64;
    /// How many JSON values a schema may hold.
    pub const NODES: usize = 50_000;
    /// How many bytes its keys and strings may take together.
    pub const BYTES: usize = 1 << 20;
    /// How long one key may be, in bytes.
    pub const KEY: usize = 1024;
    /// How many elements one array may hold, `enum` foremost.
    pub const ELEMENTS: usize = 10_000;
    /// How many members one object may hold.
    pub const MEMBERS: usize = 10_000;
    /// How many schemas may judge one value, references followed.
    pub const EXPANSION: u64 = 10_000;
    /// How many schemas may judge the values on one way from the root to a leaf of an instance.
    pub const EVALUATIONS: u64 = 200_000;
    /// How many references and compositions may follow one another without going deeper into the value.
    pub const CHAIN: u64 = 64;
}

/// A container on the way down, and the place reached in it.
enum Frame<'a> {
    Array(std::iter::Enumerate<std::slice::Iter<'a, Json>>, usize),
    Object(std::slice::Iter<'a, (String, Json)>, &'a str),
}

/// Checks size and depth. It needs no more than the tree, so it runs before the schema becomes a `Value`.
pub(super) fn check_size(schema: &Json) -> Result<(), SchemaError> {
    let mut stack: Vec<Frame<'_>> = Vec::new();
    let (mut nodes, mut bytes) = (0, 0);
    let mut next = Some(schema);
    while let Some(value) = next {
        nodes += 1;
        bytes += value.as_str().map_or(0, str::len);
        if let Some((what, limit)) = exceeded(value, nodes, bytes, stack.len()) {
            return Err(SchemaError::TooLarge { pointer: here(&stack), what, limit });
        }
        match value {
            Json::Array(elements) => stack.push(Frame::Array(elements.iter().enumerate(), 0)),
            Json::Object(members) => stack.push(Frame::Object(members.iter(), "")),
            _ => {}
        }
        next = advance(&mut stack, &mut bytes)?;
    }
    Ok(())
}

fn exceeded(value: &Json, nodes: usize, bytes: usize, depth: usize) -> Option<(&'static str, usize)> {
    match value {
        _ if depth > Limits::DEPTH => Some(("levels of nesting", Limits::DEPTH)),
        _ if nodes > Limits::NODES => Some(("values in one schema", Limits::NODES)),
        _ if bytes > Limits::BYTES => Some(("bytes in one schema", Limits::BYTES)),
        Json::Array(elements) if elements.len() > Limits::ELEMENTS => Some(("elements in one array", Limits::ELEMENTS)),
        Json::Object(members) if members.len() > Limits::MEMBERS => Some(("members in one object", Limits::MEMBERS)),
        _ => None,
    }
}

/// The next value in document order.
fn advance<'a>(stack: &mut Vec<Frame<'a>>, bytes: &mut usize) -> Result<Option<&'a Json>, SchemaError> {
    loop {
        match stack.last_mut() {
            None => return Ok(None),
            Some(Frame::Array(rest, at)) => {
                if let Some((index, element)) = rest.next() {
                    *at = index;
                    return Ok(Some(element));
                }
            }
            Some(Frame::Object(rest, at)) => {
                if let Some((key, member)) = rest.next() {
                    *bytes += key.len();
                    if key.len() > Limits::KEY {
                        stack.pop();
                        let (what, limit) = ("bytes in a key", Limits::KEY);
                        return Err(SchemaError::TooLarge { pointer: here(stack), what, limit });
                    }
                    *at = key;
                    return Ok(Some(member));
                }
            }
        }
        stack.pop();
    }
}

/// The pointer to the value that is looked at; built only where something is wrong, because keys can be long.
fn here(stack: &[Frame<'_>]) -> Pointer {
    stack.iter().fold(Pointer::root(), |pointer, frame| match frame {
        Frame::Array(_, index) => pointer.index(*index),
        Frame::Object(_, key) => pointer.key(key),
    })
}
