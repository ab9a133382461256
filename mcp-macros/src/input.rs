//! What stands between the parentheses of the macro.

use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitStr, Path, Token, Visibility};

/// `"servers.toml"` or `pub mod mcp = "servers.toml"`, and perhaps `, crate = path`.
pub(crate) struct Input {
    pub(crate) module: Option<(Visibility, Ident)>,
    pub(crate) config: LitStr,
    pub(crate) runtime: Option<Path>,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let module = if input.peek(LitStr) {
            None
        } else {
            let visibility = input.parse()?;
            input.parse::<Token![mod]>().map_err(|error| {
                syn::Error::new(error.span(), "expected the path of servers.toml, or `pub mod NAME = \"servers.toml\"`")
            })?;
            let name = input.parse()?;
            input.parse::<Token![=]>()?;
            Some((visibility, name))
        };
        let config = input.parse()?;
        let runtime = if input.peek(Token![,]) && input.peek2(Token![crate]) {
            input.parse::<Token![,]>()?;
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            Some(input.call(Path::parse_mod_style)?)
        } else {
            None
        };
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
        }
        if !input.is_empty() {
            return Err(input.error("expected nothing more, or `crate = path`"));
        }
        Ok(Self { module, config, runtime })
    }
}
