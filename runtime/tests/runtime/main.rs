//! The runtime against servers that misbehave on purpose.

mod actions;
mod connection;
mod contract;
mod events;
mod faults;
mod gates;
mod http;
mod names;
mod process;
mod refresh;
mod results;
mod retry;
mod selection;
mod sendable;
mod specs;
