//! Generated types in serde's hands, with the runtime's feature `serde`: the same JSON as on the wire.

use serde_json::json;

use crate::generated::everything::{GetStructuredContentLocation, GetStructuredContentOutput};
use crate::generated::memory::{AddObservations, AddObservationsObservationsItem};

#[test]
fn generated_types_implement_serdes_traits() {
    let args = AddObservations::new(vec![AddObservationsObservationsItem::new("Ada", vec!["counts".to_owned()])]);
    let expected = json!({"observations": [{"entityName": "Ada", "contents": ["counts"]}]});
    assert_eq!(serde_json::to_value(&args).unwrap(), expected);
    assert_eq!(serde_json::from_value::<AddObservations>(expected).unwrap(), args);
    assert_eq!(serde_json::to_string(&GetStructuredContentLocation::NewYork).unwrap(), r#""New York""#);
}

#[test]
fn what_does_not_fit_is_named() {
    let text = r#"{"conditions": "rain", "humidity": "high", "temperature": 7}"#;
    let error = serde_json::from_str::<GetStructuredContentOutput>(text).unwrap_err();
    assert_eq!(error.to_string(), "/humidity: expected a number, found a string");
}
