//! A typed call under way.
//!
//! A future with a name instead of an `async fn`: it borrows nothing, so it can be spawned and kept as it is, and what is generic about it
//! is no more than the decoding at its end, so that a client of a hundred tools does not make the compiler write a hundred state
//! machines.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::call::Answer;
use crate::error::CallError;
use crate::reply::Reply;
use crate::tool::{CallResult, Tool, is_structured};

/// A call of the tool `T`. Nothing happens until it is polled. Dropping it cancels the call on the wire; whether the tool runs on is the
/// server's affair. What became of an action is told as an [`Event`](crate::Event) also then.
#[must_use = "a call does nothing unless it is awaited"]
pub struct Call<T: Tool> {
    answer: Pin<Box<dyn Future<Output = Result<Answer, CallError>> + Send>>,
    tool: PhantomData<fn() -> T>,
}

impl<T: Tool> Call<T> {
    /// The typed end of a call.
    pub(crate) fn new(answer: impl Future<Output = Result<Answer, CallError>> + Send + 'static) -> Self {
        Self { answer: Box::pin(answer), tool: PhantomData }
    }
}

impl<T: Tool> Future for Call<T> {
    type Output = CallResult<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = ready!(self.answer.as_mut().poll(context));
        Poll::Ready(answer.map(if is_structured::<T>() { Reply::structured_from } else { Reply::text_from }))
    }
}

impl<T: Tool> fmt::Debug for Call<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Call").field("tool", &T::LOCAL_NAME).finish_non_exhaustive()
    }
}
