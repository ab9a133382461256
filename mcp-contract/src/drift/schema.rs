//! What a change of a schema means for callers.

use serde_json::Value;

use super::change::{Change, ChangeKind};
use super::difference::{Sort, differences, words_without_counterpart};
use super::grade::Grade;
use crate::compat::{Aside, Gap, Inclusion, Kind, inclusion, proof};
use crate::json::{Json, Pointer};
use crate::schema::{CompiledSchema, Dialect, Document};

/// Which of the two schemas of a tool it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// What callers send: the new schema must take what the old one took.
    Arguments,
    /// What callers get: the old schema must take what the new one promises.
    Results,
}

impl Role {
    pub(super) fn member(self) -> &'static str {
        match self {
            Self::Arguments => "inputSchema",
            Self::Results => "outputSchema",
        }
    }
}

/// The changes between two schemas of a tool.
pub(super) fn changes(role: Role, old: &Json, new: &Json) -> Vec<Change> {
    let compiled = (CompiledSchema::compile(old), CompiledSchema::compile(new));
    let whole = Pointer::root().key(role.member());
    let change = |grade, meaning: String| Change {
        grade,
        kind: ChangeKind::Schema,
        pointer: whole.clone(),
        before: Some(old.clone()),
        after: Some(new.clone()),
        meaning,
        witness: None,
    };
    match compiled {
        (Ok(old), Ok(new)) => Compared { role, old: &old, new: &new, whole }.changes(),
        (Ok(_), Err(error)) if role == Role::Arguments => {
            vec![change(Grade::Breaking, format!("the new schema is refused: {error}"))]
        }
        (Ok(_), Err(error)) => {
            vec![change(Grade::Breaking, format!("the new schema is refused, results are untyped: {error}"))]
        }
        (Err(_), Ok(_)) => vec![change(Grade::Compatible, "the old schema was refused, the new one is not".to_owned())],
        (Err(_), Err(error)) => {
            vec![change(Grade::Metadata, format!("both schemas are refused, so that nothing is compared: {error}"))]
        }
    }
}

struct Compared<'a> {
    role: Role,
    old: &'a CompiledSchema,
    new: &'a CompiledSchema,
    whole: Pointer,
}

/// A place in the old schema and one in the new one.
struct Places<'p> {
    old: &'p Pointer,
    new: &'p Pointer,
}

impl Compared<'_> {
    fn changes(&self) -> Vec<Change> {
        let (producer, acceptor) = match self.role {
            Role::Arguments => (self.old, self.new),
            Role::Results => (self.new, self.old),
        };
        let mut changes = Vec::new();
        self.of(&inclusion(producer, acceptor), true, &mut changes);
        self.of(&proof(acceptor.document(), producer.document()), false, &mut changes);
        for difference in differences(self.old.document().root(), self.new.document().root()) {
            let asserted = self.new.document().dialect() < Dialect::Draft201909;
            let (grade, kind, meaning) = match difference.sort {
                Sort::Format if asserted => continue,
                Sort::Format => (
                    Grade::Metadata,
                    ChangeKind::Metadata,
                    "another format; the dialect does not assert formats, the server may".to_owned(),
                ),
                Sort::Text => (Grade::Text, ChangeKind::Text, String::new()),
                Sort::Default => (
                    Grade::Compatible,
                    ChangeKind::Default,
                    "another default: the server behaves differently where the argument is left out".to_owned(),
                ),
                Sort::Metadata => (Grade::Metadata, ChangeKind::Metadata, String::new()),
            };
            let json = |value: Option<&Value>| value.map(Json::from);
            changes.push(Change {
                grade,
                kind,
                pointer: self.whole.join(&difference.at),
                before: json(difference.before),
                after: json(difference.after),
                meaning,
                witness: None,
            });
        }
        self.moved_words(&mut changes);
        changes
    }

    /// Words that stand in no place of the other schema, and in nothing that is told of as new or gone.
    fn moved_words(&self, changes: &mut Vec<Change>) {
        let (old, new) = (self.old.document().root(), self.new.document().root());
        let sides = [(words_without_counterpart(old, new), true), (words_without_counterpart(new, old), false)];
        for (words, gone) in sides {
            for (at, text) in words {
                let pointer = self.whole.join(&at);
                let within = |change: &Change| {
                    let told = change.pointer.as_str();
                    pointer.as_str() == told
                        || pointer.as_str().strip_prefix(told).is_some_and(|rest| rest.starts_with('/'))
                };
                if changes.iter().any(within) {
                    continue;
                }
                let text = Some(Json::from(text));
                let (before, after) = if gone { (text, None) } else { (None, text) };
                let kind = ChangeKind::Text;
                let meaning = String::new();
                changes.push(Change { grade: Grade::Text, kind, pointer, before, after, meaning, witness: None });
            }
        }
    }

    /// The changes of one direction: against callers, or for them.
    fn of(&self, inclusion: &Inclusion, against: bool, changes: &mut Vec<Change>) {
        // Whose promises are compared: the old schema's for arguments seen against callers, and so on.
        let old_promises = (self.role == Role::Arguments) == against;
        for gap in &inclusion.gaps {
            changes.push(self.gap(gap, against, old_promises));
        }
        for aside in &inclusion.asides {
            changes.push(self.aside(aside, against, old_promises));
        }
    }

    fn gap(&self, gap: &Gap, against: bool, old_promises: bool) -> Change {
        let places = places(&gap.producer, &gap.acceptor, old_promises);
        let kind = if against && gap.witness.is_none() { ChangeKind::Unknown } else { kind(gap.kind, old_promises) };
        let grade = if against { Grade::Breaking } else { Grade::Compatible };
        let meaning = if against { self.meaning(gap) } else { String::new() };
        // A member is told of where it is declared; anything else where the new schema says it.
        let declared_by_old = gap.kind == Kind::Member && old_promises;
        let change = self.change(grade, kind, &places, declared_by_old, meaning);
        Change { witness: gap.witness.clone(), ..change }
    }

    fn meaning(&self, gap: &Gap) -> String {
        let subject = match (self.role, gap.kind) {
            (_, Kind::Member) if self.role == Role::Arguments => "the argument is refused by the new schema",
            (Role::Arguments, Kind::Closed) => {
                "members that nobody named are refused now, and the object asked for them: none is accepted any more"
            }
            (Role::Arguments, Kind::Required) => "an argument must be given that need not have been",
            (Role::Arguments, _) => "the new schema takes less",
            (Role::Results, _) => "results may be what the old schema excludes",
        };
        if gap.witness.is_some() {
            return subject.to_owned();
        }
        format!("{subject}, as far as can be seen: it is neither proved nor shown by an instance")
    }

    fn aside(&self, aside: &Aside, against: bool, old_promises: bool) -> Change {
        match aside {
            Aside::Undeclared { producer, acceptor } => {
                let places = places(producer, acceptor, old_promises);
                let silent = against && self.role == Role::Arguments;
                let promised = self.role == Role::Results && old_promises && is_required(self.old.document(), producer);
                let grade = if silent || promised { Grade::Breaking } else { Grade::Compatible };
                let kind = if old_promises { ChangeKind::MemberGone } else { ChangeKind::MemberAdded };
                let meaning = match (silent, old_promises) {
                    (true, _) => {
                        "the argument is gone from an object that takes any: it is accepted and ignored, so no instance shows it"
                    }
                    (_, true) if promised => "the member was always there, and is not promised any more",
                    (_, true) => "the member is not promised any more",
                    _ => "",
                };
                self.change(grade, kind, &places, old_promises, meaning.to_owned())
            }
            Aside::Closed { producer, acceptor } => {
                let places = places(producer, acceptor, old_promises);
                let (kind, meaning) = if old_promises {
                    (
                        ChangeKind::Closed,
                        "only what is declared is taken; the object was open only because nothing closed it",
                    )
                } else {
                    (ChangeKind::Opened, "members that nobody declared are not refused any more")
                };
                self.change(Grade::Compatible, kind, &places, !old_promises, meaning.to_owned())
            }
        }
    }

    /// A change at two places; it is told of at the old one where that is the one that says it.
    fn change(
        &self,
        grade: Grade,
        kind: ChangeKind,
        places: &Places<'_>,
        told_by_old: bool,
        meaning: String,
    ) -> Change {
        let at = |document: &Document, place: &Pointer| document.at(place).cloned();
        let (before, after) = (at(self.old.document(), places.old), at(self.new.document(), places.new));
        let says = |document: &Document, place: &Pointer| *place != Pointer::root() && document.at(place).is_some();
        let pointer = match told_by_old {
            true => places.old,
            false if says(self.new.document(), places.new) => places.new,
            false if says(self.old.document(), places.old) => places.old,
            false => places.new,
        };
        let dialects = (self.old.document().dialect(), self.new.document().dialect());
        // The same words in another dialect.
        let as_before = self.old.document().at(pointer) == self.new.document().at(pointer);
        let pointer =
            if as_before && dialects.0 != dialects.1 { Pointer::root().key("$schema") } else { pointer.clone() };
        let same_place = |document: &Document| document.at(&pointer).map(Json::from);
        let gone_or_new = matches!(kind, ChangeKind::MemberGone | ChangeKind::MemberAdded);
        let (before, after) = if gone_or_new || pointer.as_str() == "/$schema" {
            (same_place(self.old.document()), same_place(self.new.document()))
        } else {
            // Where one of them does not have the keyword, it has nothing to show.
            let keyword = |place: &Pointer| place.as_str().rsplit('/').next().unwrap_or_default().to_owned();
            let told = keyword(&pointer);
            let has = |place: &Pointer| !crate::compat::is_constraint(&told) || keyword(place) == told;
            (
                before.filter(|_| has(places.old)).as_ref().map(Json::from),
                after.filter(|_| has(places.new)).as_ref().map(Json::from),
            )
        };
        Change { grade, kind, pointer: self.whole.join(&pointer), before, after, meaning, witness: None }
    }
}

fn places<'p>(producer: &'p Pointer, acceptor: &'p Pointer, old_promises: bool) -> Places<'p> {
    if old_promises { Places { old: producer, new: acceptor } } else { Places { old: acceptor, new: producer } }
}

fn kind(kind: Kind, old_promises: bool) -> ChangeKind {
    match kind {
        Kind::Type => ChangeKind::Type,
        Kind::Values => ChangeKind::Values,
        Kind::Range | Kind::Length | Kind::Pattern | Kind::Format | Kind::Members | Kind::Items => ChangeKind::Bounds,
        Kind::Required => ChangeKind::Required,
        Kind::Member if old_promises => ChangeKind::MemberGone,
        Kind::Member => ChangeKind::MemberAdded,
        Kind::Closed if old_promises => ChangeKind::Closed,
        Kind::Closed => ChangeKind::Opened,
        Kind::Alternatives | Kind::Condition => ChangeKind::Alternatives,
        Kind::Extent => ChangeKind::Unknown,
    }
}

/// Whether the object around a declared member asks for it.
fn is_required(document: &Document, member: &Pointer) -> bool {
    let Some((properties, name)) = member.as_str().rsplit_once('/') else { return false };
    let Some(object) = properties.strip_suffix("/properties") else { return false };
    let name = name.replace("~1", "/").replace("~0", "~");
    let required = document.at(&Pointer::from_spelling(object)).and_then(|object| object.get("required")?.as_array());
    required.is_some_and(|required| required.iter().any(|word| word.as_str() == Some(&name)))
}

/// A schema that is new or gone.
pub(super) fn whole(role: Role, old: Option<&Json>, new: Option<&Json>) -> Option<Change> {
    let pointer = Pointer::root().key(role.member());
    let change = |grade, meaning: &str, witness| Change {
        grade,
        kind: ChangeKind::Schema,
        pointer: pointer.clone(),
        before: old.cloned(),
        after: new.cloned(),
        meaning: meaning.to_owned(),
        witness,
    };
    match (role, old, new) {
        (_, None, None) | (_, Some(_), Some(_)) => None,
        (Role::Arguments, Some(_), None) => {
            Some(change(Grade::Breaking, "what arguments the tool takes is not said any more", None))
        }
        (Role::Arguments, None, Some(_)) => {
            Some(change(Grade::Compatible, "the tool says what arguments it takes", None))
        }
        (Role::Results, None, Some(_)) => Some(change(Grade::Compatible, "the tool says what results it gives", None)),
        (Role::Results, Some(old), None) => {
            let tries = [serde_json::json!({}), serde_json::json!({"further": 1}), serde_json::json!({"result": null})];
            let compiled = CompiledSchema::compile(old).ok()?;
            let witness = tries.into_iter().find(|value| !compiled.is_valid(value));
            let grade = if witness.is_some() { Grade::Breaking } else { Grade::Compatible };
            Some(change(grade, "what results the tool gives is not promised any more", witness))
        }
    }
}
