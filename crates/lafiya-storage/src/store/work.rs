//! A unit of work: an operation with its arguments, run in its own transaction or in a group.
//!
//! A group is several units of work in one transaction (group commit), so that many callers share
//! the cost of one commit. If one of them fails, the group is run again with a savepoint for each
//! unit, so that only the failed one is rolled back. No caller gets a result before the commit is
//! durable.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::StoreError;
use super::connection::{BoxFuture, Connection};
use super::error::Failure;

/// An operation, as a function of a connection and its arguments.
pub(super) type Operation<A, T, E> =
    for<'c> fn(&'c mut Connection, &'c A) -> BoxFuture<'c, Result<T, E>>;

/// Maximum number of units of work in one transaction.
pub(super) const GROUP_MAX: usize = 64;

/// Maximum number of units of work in the queue of a worker; beyond that callers wait for space
/// until a timeout.
pub(super) const QUEUE_MAX: usize = 1_024;

/// Runs an operation in its own transaction: committed on success, rolled back on failure.
pub(super) async fn run_alone<A, T, E: Failure>(
    connection: &mut Connection,
    arguments: &A,
    operation: Operation<A, T, E>,
) -> Result<T, E> {
    connection.begin().await?;
    let outcome = operation(connection, arguments).await;
    match outcome {
        Ok(value) => {
            connection.commit().await?;
            Ok(value)
        }
        Err(error) => {
            // The caller gets the operation's own error even if the rollback fails: then the
            // connection is closed, which rolls back as well.
            if let Err(undo) = connection.roll_back().await {
                tracing::debug!(error = %undo, "a transaction was undone by closing its connection");
            }
            Err(error)
        }
    }
}

/// Runs several units of work in one transaction. Their results are held back until
/// [`Work::answer`]. An error means that nothing of the whole group was written.
pub(super) async fn run_group(
    connection: &mut Connection,
    group: &mut [Box<dyn Work>],
) -> Result<(), StoreError> {
    connection.begin().await?;
    // Without savepoints first, because nearly all groups succeed and each savepoint costs two
    // statements.
    if all_succeed(connection, group).await {
        return connection.commit().await;
    }
    // One unit failed: run all of them again, each with a savepoint so that it can be rolled back
    // alone. The rollback's own error is ignored, because `begin` fails too if there is no usable
    // connection.
    connection.roll_back().await.ok();
    connection.begin().await?;
    for work in group.iter_mut() {
        connection.set_savepoint().await?;
        let mut ended = work.run(connection).await;
        // Once more within this transaction: the lock that it lost to is probably free by now.
        if matches!(&ended, Ended::Failed(Some(cause)) if cause.is_worth_repeating()) {
            connection.roll_back_to_savepoint().await?;
            ended = work.run(connection).await;
        }
        if let Ended::Failed(cause) = ended {
            let undone = connection.roll_back_to_savepoint().await;
            // On a disk error SQLite rolls back the whole transaction including its savepoints.
            // Then the original error is more useful than the missing savepoint.
            undone.map_err(|undo| cause.unwrap_or(undo))?;
        }
        connection.release_savepoint().await?;
    }
    connection.commit().await
}

/// Runs the units in order until one fails.
async fn all_succeed(connection: &mut Connection, group: &mut [Box<dyn Work>]) -> bool {
    for work in group {
        if let Ended::Failed(_) = work.run(connection).await {
            return false;
        }
    }
    true
}

/// The result of a unit of work, as far as its group needs it.
pub(super) enum Ended {
    Done,
    /// With the store's error, if the store caused the failure.
    Failed(Option<StoreError>),
}

/// A type-erased unit of work.
pub(super) trait Work: Send {
    /// Whether its caller has stopped waiting, so that it need not be run.
    fn is_abandoned(&self) -> bool;

    /// The sort key of a group. Groups run in this order, so that two of them cannot deadlock.
    fn order(&self) -> u128;

    fn run<'a>(&'a mut self, connection: &'a mut Connection) -> BoxFuture<'a, Ended>;

    /// Sends the result to the caller, given the result of the group.
    fn answer(self: Box<Self>, group: Result<(), StoreError>);
}

struct Job<A, T, E> {
    order: u128,
    arguments: A,
    operation: Operation<A, T, E>,
    outcome: Option<Result<T, E>>,
    caller: oneshot::Sender<Result<T, E>>,
}

impl<A, T, E> Work for Job<A, T, E>
where
    A: Send + Sync + 'static,
    T: Send + 'static,
    E: Failure,
{
    fn is_abandoned(&self) -> bool {
        self.caller.is_closed()
    }

    fn order(&self) -> u128 {
        self.order
    }

    fn run<'a>(&'a mut self, connection: &'a mut Connection) -> BoxFuture<'a, Ended> {
        Box::pin(async move {
            let outcome = (self.operation)(connection, &self.arguments).await;
            let ended = match &outcome {
                Ok(_) => Ended::Done,
                Err(error) => Ended::Failed(error.store_error().cloned()),
            };
            self.outcome = Some(outcome);
            ended
        })
    }

    fn answer(self: Box<Self>, group: Result<(), StoreError>) {
        let not_run = || Err(StoreError::unavailable("the work was not run").into());
        let answer = match group {
            Ok(()) => self.outcome.unwrap_or_else(not_run),
            // If the group failed, even a refusal is void, because it may have depended on earlier
            // work of the group.
            Err(error) => Err(error.into()),
        };
        // A caller that has left gets no result; what was committed stays committed.
        self.caller.send(answer).ok();
    }
}

/// The sender of a worker's queue.
#[derive(Clone)]
pub(super) struct Queue {
    sender: mpsc::Sender<Box<dyn Work>>,
    acquire_timeout: Duration,
}

impl Queue {
    pub(super) fn new(acquire_timeout: Duration) -> (Self, mpsc::Receiver<Box<dyn Work>>) {
        let (sender, receiver) = mpsc::channel(QUEUE_MAX);
        (
            Self {
                sender,
                acquire_timeout,
            },
            receiver,
        )
    }

    /// Sends an operation to the worker and waits for its durable result.
    pub(super) async fn perform<A, T, E>(
        &self,
        order: u128,
        arguments: A,
        operation: Operation<A, T, E>,
    ) -> Result<T, E>
    where
        A: Send + Sync + 'static,
        T: Send + 'static,
        E: Failure,
    {
        let (caller, answer) = oneshot::channel();
        let job = Job {
            order,
            arguments,
            operation,
            outcome: None,
            caller,
        };
        match timeout(self.acquire_timeout, self.sender.send(Box::new(job))).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Err(StoreError::unavailable("the store is closed").into()),
            Err(_) => return Err(StoreError::unavailable("too much work is waiting").into()),
        }
        answer
            .await
            .unwrap_or_else(|_| Err(StoreError::unavailable("the worker stopped").into()))
    }
}

/// Returns the next group: waits for one unit of work, then takes all others that are waiting.
/// Empty if the queue is closed and drained.
pub(super) async fn next_group(receiver: &mut mpsc::Receiver<Box<dyn Work>>) -> Vec<Box<dyn Work>> {
    let mut group = Vec::new();
    while group.is_empty() {
        if receiver.recv_many(&mut group, GROUP_MAX).await == 0 {
            break;
        }
        // Under overload callers give up; their work must not delay those who still wait.
        group.retain(|work| !work.is_abandoned());
    }
    // A stable sort, so that the work of one tenant stays in the order of its arrival.
    group.sort_by_key(|work| work.order());
    group
}

/// Sends the results of a group to its callers.
pub(super) fn answer_all(group: Vec<Box<dyn Work>>, outcome: &Result<(), StoreError>) {
    for work in group {
        // Only here, after the commit, does any caller learn a result.
        work.answer(outcome.clone());
    }
}
