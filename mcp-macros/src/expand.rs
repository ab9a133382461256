//! From the macro's input to tokens, or to errors at the path literal.

use std::path::{Path, PathBuf};

use mcp_codegen::Options;
use mcp_codegen::offline::{Expansion, expand as generate};
use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::Error;

use crate::input::Input;

pub(crate) fn expand(input: &Input) -> syn::Result<TokenStream> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let package = package.ok_or_else(|| at(input, "CARGO_MANIFEST_DIR is not set: mcp_import! needs cargo"))?;
    let config = input.config.value();
    if Path::new(&config).is_absolute() {
        return Err(at(input, "the path of servers.toml is relative to the folder of the package"));
    }
    let mut options = Options::new(config);
    options.runtime = input.runtime.as_ref().map(|path| path.to_token_stream().to_string());
    let expansion = generate(&package, &options).map_err(|error| at(input, error))?;
    if let Some(errors) = problems(input, &expansion) {
        return Err(errors);
    }
    let (modules, watch) = (&expansion.tokens, watch(&package, &expansion));
    Ok(match &input.module {
        None => quote!(#modules #watch),
        Some((visibility, name)) => quote!(#visibility mod #name { #modules #watch }),
    })
}

/// All problems as errors of their own; a listing that waits is none.
fn problems(input: &Input, expansion: &Expansion) -> Option<Error> {
    let fatal = expansion.problems.iter().filter(|problem| problem.is_fatal());
    fatal.map(|problem| at(input, problem)).reduce(|mut errors, error| {
        errors.combine(error);
        errors
    })
}

/// Makes the compiler watch every file that was read. The modules embed those of admitted tools; a change of the others can change
/// what is admitted.
fn watch(package: &Path, expansion: &Expansion) -> TokenStream {
    let inside = expansion.watched.iter().filter_map(|file| file.strip_prefix(package).ok());
    let paths = inside.map(|file| {
        let parts = file.iter().map(|part| part.to_string_lossy());
        parts.fold(String::new(), |path, part| format!("{path}/{part}"))
    });
    quote!(#(const _: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), #paths));)*)
}

fn at(input: &Input, message: impl std::fmt::Display) -> Error {
    Error::new(input.config.span(), message)
}
