//! The members of an object, written and read one by one. What a generated struct does with its members is a call each.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::containers::member_at;
use super::{Json, Mismatch, Optional};

/// An object that is being written.
#[derive(Debug, Default)]
pub struct Encoder(Map<String, Value>);

impl Encoder {
    /// Writes a member.
    pub fn required<T: Json>(&mut self, member: &str, value: &T) {
        self.0.insert(member.to_owned(), value.encode());
    }

    /// Writes a member unless it is left out.
    pub fn optional<T: Optional>(&mut self, member: &str, value: &T) {
        if let Some(value) = value.value() {
            self.0.insert(member.to_owned(), value);
        }
    }

    /// Writes further members; one that is declared keeps its declared value.
    pub fn rest<T: Json>(&mut self, rest: &BTreeMap<String, T>) {
        for (member, value) in rest {
            self.0.entry(member.as_str()).or_insert_with(|| value.encode());
        }
    }

    /// The object.
    #[must_use]
    pub fn finish(self) -> Value {
        Value::Object(self.0)
    }
}

/// An object that is being read.
#[derive(Debug)]
pub struct Decoder<'a> {
    members: &'a Map<String, Value>,
    declared: Vec<&'static str>,
}

impl<'a> Decoder<'a> {
    /// Reads an object.
    ///
    /// # Errors
    ///
    /// The value is no object.
    pub fn new(value: &'a Value) -> Result<Self, Mismatch> {
        let members = value.as_object().ok_or_else(|| Mismatch::new("an object", value))?;
        Ok(Self { members, declared: Vec::new() })
    }

    /// Reads a member.
    ///
    /// # Errors
    ///
    /// It is not there, or its value does not fit.
    pub fn required<T: Json>(&mut self, member: &'static str) -> Result<T, Mismatch> {
        self.declared.push(member);
        member_at(member, self.members.get(member).ok_or_else(|| Mismatch::missing(member))?)
    }

    /// Reads a member that may be left out.
    ///
    /// # Errors
    ///
    /// Its value does not fit.
    pub fn optional<T: Optional>(&mut self, member: &'static str) -> Result<T, Mismatch> {
        self.declared.push(member);
        match self.members.get(member) {
            Some(value) => T::present(value).map_err(|mismatch| mismatch.in_member(member)),
            None => Ok(T::absent()),
        }
    }

    /// Reads the members that were not read yet.
    ///
    /// # Errors
    ///
    /// A value does not fit.
    pub fn rest<T: Json>(&self) -> Result<BTreeMap<String, T>, Mismatch> {
        let rest = self.members.iter().filter(|(member, _)| !self.declared.contains(&member.as_str()));
        rest.map(|(member, value)| Ok((member.clone(), member_at(member, value)?))).collect()
    }
}
