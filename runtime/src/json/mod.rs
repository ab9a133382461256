//! How generated types become JSON and are read from it.
//!
//! One trait over whole values instead of serde's derived visitors: a tool's types are many and each is used at a few calls, so what they
//! cost the compiler matters more than a copy of a string at run time (a derived `Deserialize` was most of the build time of generated
//! code). It also says where a value does not fit, as a pointer, and reads numbers as JSON means them: `3.0` is an integer.
//!
//! A generated type stands in a serde type of your own by `#[serde(with = "mcp_runtime::json")]`; with the feature `serde` it implements
//! serde's two traits itself.
//!
//! ```
//! # #[derive(Debug, PartialEq)] pub struct Point { x: i64, y: i64 }
//! # mcp_runtime::json::object!(Point { x, y });
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct Marker {
//!     #[serde(with = "mcp_runtime::json")]
//!     at: Point, // a generated type
//! }
//! let marker: Marker = serde_json::from_str(r#"{"at": {"x": 1, "y": 2.0}}"#).unwrap();
//! assert_eq!(marker.at, Point { x: 1, y: 2 });
//! assert_eq!(serde_json::to_string(&marker).unwrap(), r#"{"at":{"x":1,"y":2}}"#);
//! ```

mod containers;
mod macros;
mod members;
mod mismatch;
mod optional;
mod scalars;
mod tagged;
mod through_serde;

pub use members::{Decoder, Encoder};
pub use mismatch::Mismatch;
pub use optional::Optional;
pub use tagged::{content, tagged};
pub use through_serde::{deserialize, serialize};

pub use crate::{alternatives, object, strings, tagged};

use serde_json::Value;

/// A type that stands for JSON of one schema. Generated types implement it by the macros beside it.
///
/// ```
/// use mcp_runtime::json::Json;
/// assert_eq!(i64::decode(&serde_json::json!(3.0)).unwrap(), 3);
/// let error = Vec::<String>::decode(&serde_json::json!(["a", 1])).unwrap_err();
/// assert_eq!(error.to_string(), "/1: expected a string, found a number");
/// ```
pub trait Json: Sized {
    /// Whether `null` is a value of this type, and so not the same as a member that is left out.
    const NULL: bool = false;

    /// The value as JSON. A number that JSON cannot hold (`NaN`, infinity) becomes `null`, which the schema then refuses.
    fn encode(&self) -> Value;

    /// Reads a value. Members that the type does not declare are passed over.
    ///
    /// # Errors
    ///
    /// Where the value does not fit, and what stood there instead.
    fn decode(value: &Value) -> Result<Self, Mismatch>;
}
