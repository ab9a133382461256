//! The macros that say how a generated type is spelled in JSON. Each line of generated code that invokes one names the members and, where
//! it is not the member's own, the name on the wire.
//!
//! Macros and not attributes: these are declarations of a line that the compiler expands at once, without a procedural macro. What they
//! expand to calls one function a member, because every token of it is compiled for every type of every tool; and it is `inline`, so that
//! machine code is made for the tools that a program uses and not for all.

/// The members of an object: those that must be there, those that may be left out, and the map of the others.
#[doc(hidden)]
#[macro_export]
macro_rules! object {
    ($name:ident { $($required:ident $(= $required_wire:literal)?),* }
        $(optional { $($optional:ident $(= $optional_wire:literal)?),* })? $(+ $rest:ident)?
    ) => {
        impl $crate::json::Json for $name {
            #[allow(unused_mut, reason = "an object may have no members")]
            #[inline]
            fn encode(&self) -> $crate::Value {
                let mut members = $crate::json::Encoder::default();
                $(members.required($crate::wire_name!($required $($required_wire)?), &self.$required);)*
                $($(members.optional($crate::wire_name!($optional $($optional_wire)?), &self.$optional);)*)?
                $(members.rest(&self.$rest);)?
                members.finish()
            }
            #[allow(unused_mut, unused_variables, reason = "an object may have no members")]
            #[inline]
            fn decode(value: &$crate::Value) -> Result<Self, $crate::json::Mismatch> {
                let mut members = $crate::json::Decoder::new(value)?;
                Ok(Self {
                    $($required: $crate::ok!(members.required($crate::wire_name!($required $($required_wire)?))),)*
                    $($($optional: $crate::ok!(members.optional($crate::wire_name!($optional $($optional_wire)?))),)*)?
                    $($rest: $crate::ok!(members.rest()),)?
                })
            }
        }
        $crate::by_json!($name);
    };
}

/// Strings by variant, and the variant of every other string.
#[doc(hidden)]
#[macro_export]
macro_rules! strings {
    ($name:ident { $($variant:ident = $wire:literal),* } $(else $unlisted:ident)?) => {
        impl $crate::json::Json for $name {
            #[inline]
            fn encode(&self) -> $crate::Value {
                $crate::Value::from(match self {
                    $(Self::$variant => $wire,)*
                    $(Self::$unlisted(other) => other.as_str(),)?
                })
            }
            #[inline]
            fn decode(value: &$crate::Value) -> Result<Self, $crate::json::Mismatch> {
                match value.as_str() {
                    $(Some($wire) => Ok(Self::$variant),)*
                    $(Some(other) => Ok(Self::$unlisted(other.to_owned())),)?
                    _ => Err($crate::json::Mismatch::new("one of the declared strings", value)),
                }
            }
        }
        $crate::by_json!($name);
    };
}

/// Values of different JSON types.
#[doc(hidden)]
#[macro_export]
macro_rules! alternatives {
    ($name:ident { $($variant:ident),* }) => {
        impl $crate::json::Json for $name {
            #[inline]
            fn encode(&self) -> $crate::Value {
                match self {
                    $(Self::$variant(value) => $crate::json::Json::encode(value),)*
                }
            }
            #[inline]
            fn decode(value: &$crate::Value) -> Result<Self, $crate::json::Mismatch> {
                $(if let Ok(value) = $crate::json::Json::decode(value) {
                    return Ok(Self::$variant(value));
                })*
                Err($crate::json::Mismatch::new("one of the declared types", value))
            }
        }
        $crate::by_json!($name);
    };
}

/// Objects that a tag tells apart, and the variant of every other object.
#[doc(hidden)]
#[macro_export]
macro_rules! tagged {
    ($name:ident by $tag:literal { $($variant:ident $(($content:ident))? = $wire:literal),* } $(else $unlisted:ident)?) => {
        impl $crate::json::Json for $name {
            #[inline]
            fn encode(&self) -> $crate::Value {
                match self {
                    $(Self::$variant $(($content))? =>
                        $crate::json::tagged($tag, $wire, $crate::content!($($content)?)),)*
                    $(Self::$unlisted(other) => other.clone(),)?
                }
            }
            #[inline]
            fn decode(value: &$crate::Value) -> Result<Self, $crate::json::Mismatch> {
                let decoded = $crate::json::content($tag, value).and_then(|(tag, content)| match tag {
                    $($wire => Ok(Self::$variant $(($crate::decoded!($content, content)))?),)*
                    _ => Err($crate::json::Mismatch::new("one of the declared objects", value)),
                });
                $(let decoded = decoded.or_else(|_| Ok(Self::$unlisted(value.clone())));)?
                decoded
            }
        }
        $crate::by_json!($name);
    };
}

/// The name on the wire: the given one, or the member's own.
#[doc(hidden)]
#[macro_export]
macro_rules! wire_name {
    ($member:ident) => {
        stringify!($member)
    };
    ($member:ident $wire:literal) => {
        $wire
    };
}

/// The content of an alternative, encoded.
#[doc(hidden)]
#[macro_export]
macro_rules! content {
    () => {
        None
    };
    ($content:ident) => {
        Some($crate::json::Json::encode($content))
    };
}

/// The content of an alternative, decoded.
#[doc(hidden)]
#[macro_export]
macro_rules! decoded {
    ($name:ident, $content:ident) => {
        $crate::json::Json::decode(&$content)?
    };
}

/// The `?` operator without its conversion: half as much to compile, once for every member of every type.
#[doc(hidden)]
#[macro_export]
macro_rules! ok {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(mismatch) => return Err(mismatch),
        }
    };
}

/// Serde's traits, by way of a value.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! by_json {
    ($name:ident) => {
        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::json::serialize(self, serializer)
            }
        }
        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::json::deserialize(deserializer)
            }
        }
    };
}

/// Without the feature: two implementations less for each of a server's types, a fifth of what they take to compile.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! by_json {
    ($name:ident) => {};
}
