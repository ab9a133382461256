//! The way of a call: gates, arguments, approval, then the wire, as often as that is safe.

mod answer;
mod arguments;
mod attempt;
mod attempts;
mod classify;
mod gates;
mod way;

pub(crate) use answer::Answer;
pub(crate) use gates::visible;
