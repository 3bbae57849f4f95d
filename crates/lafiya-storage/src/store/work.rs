//! A unit of work: one verb with its arguments, to be run in a transaction now or in a group.
//!
//! A group is several units of work in one transaction, so that many waiting callers share the
//! price of one commit. Where one of them fails, the group is run again with a savepoint for each, so
//! that it is undone alone. Nobody is answered before the commit is durable.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::StoreError;
use super::connection::{Connection, Promise};
use super::error::Failure;

/// A verb as a function of a connection and its arguments.
pub(super) type Verb<A, T, E> = for<'c> fn(&'c mut Connection, &'c A) -> Promise<'c, Result<T, E>>;

/// Units of work taken into one transaction at most.
pub(super) const GROUP_MAX: usize = 64;

/// Units of work that may wait for one worker at most; beyond that callers wait, then give up.
pub(super) const QUEUE_MAX: usize = 1_024;

/// Runs a verb in a transaction of its own: committed if it succeeds, undone if it fails.
pub(super) async fn run_alone<A, T, E: Failure>(
    connection: &mut Connection,
    arguments: &A,
    verb: Verb<A, T, E>,
) -> Result<T, E> {
    connection.begin().await?;
    let outcome = verb(connection, arguments).await;
    match outcome {
        Ok(value) => {
            connection.commit().await?;
            Ok(value)
        }
        Err(error) => {
            // Whether undoing works or not, the caller learns why the verb failed: a connection
            // that cannot roll back is closed, which undoes it as well.
            if let Err(undo) = connection.roll_back().await {
                tracing::debug!(error = %undo, "a transaction was undone by closing its connection");
            }
            Err(error)
        }
    }
}

/// Runs several units of work in one transaction. Their answers are held back until
/// [`Work::answer`]. An error means that nothing of the whole group has been kept.
pub(super) async fn run_group(
    connection: &mut Connection,
    group: &mut [Box<dyn Work>],
) -> Result<(), StoreError> {
    connection.begin().await?;
    if all_succeed(connection, group).await {
        return connection.commit().await;
    }
    // One failed, and takes the others with it: again, each so that it can be undone alone. Where
    // there is nothing left to roll back, or no database, beginning tells.
    connection.roll_back().await.ok();
    connection.begin().await?;
    for work in group.iter_mut() {
        connection.set_savepoint().await?;
        let mut ended = work.run(connection).await;
        if matches!(&ended, Ended::Failed(Some(cause)) if cause.is_worth_repeating()) {
            connection.roll_back_to_savepoint().await?;
            ended = work.run(connection).await;
        }
        if let Ended::Failed(cause) = ended {
            let undone = connection.roll_back_to_savepoint().await;
            // A disk that fails makes SQLite undo the whole transaction, savepoints and all: then
            // what failed says more than the savepoint that is gone.
            undone.map_err(|undo| cause.unwrap_or(undo))?;
        }
        connection.release_savepoint().await?;
    }
    connection.commit().await
}

/// Runs one after the other up to the first that fails.
async fn all_succeed(connection: &mut Connection, group: &mut [Box<dyn Work>]) -> bool {
    for work in group {
        if let Ended::Failed(_) = work.run(connection).await {
            return false;
        }
    }
    true
}

/// How a unit of work ended, as far as its group must know.
pub(super) enum Ended {
    Done,
    /// With what the store said, if it was the store that failed.
    Failed(Option<StoreError>),
}

/// A unit of work whose types the group need not know.
pub(super) trait Work: Send {
    /// Whether its caller has stopped waiting: then it is better not begun.
    fn is_abandoned(&self) -> bool;

    /// Groups run in this order, so that two of them never wait for each other in a circle.
    fn order(&self) -> u128;

    fn run<'a>(&'a mut self, connection: &'a mut Connection) -> Promise<'a, Ended>;

    /// Tells the caller what came of it, given what came of its group.
    fn answer(self: Box<Self>, group: Result<(), StoreError>);
}

struct Job<A, T, E> {
    order: u128,
    arguments: A,
    verb: Verb<A, T, E>,
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

    fn run<'a>(&'a mut self, connection: &'a mut Connection) -> Promise<'a, Ended> {
        Box::pin(async move {
            let outcome = (self.verb)(connection, &self.arguments).await;
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
            // Even a refusal may have rested on what the group had done before it.
            Err(error) => Err(error.into()),
        };
        // A caller who left gets no answer; what was committed stays true.
        self.caller.send(answer).ok();
    }
}

/// The door to a worker.
#[derive(Clone)]
pub(super) struct Queue {
    sender: mpsc::Sender<Box<dyn Work>>,
    patience: Duration,
}

impl Queue {
    pub(super) fn new(patience: Duration) -> (Self, mpsc::Receiver<Box<dyn Work>>) {
        let (sender, receiver) = mpsc::channel(QUEUE_MAX);
        (Self { sender, patience }, receiver)
    }

    /// Hands a verb to the worker and waits for its durable outcome.
    pub(super) async fn perform<A, T, E>(
        &self,
        order: u128,
        arguments: A,
        verb: Verb<A, T, E>,
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
            verb,
            outcome: None,
            caller,
        };
        match timeout(self.patience, self.sender.send(Box::new(job))).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Err(StoreError::unavailable("the store is closed").into()),
            Err(_) => return Err(StoreError::unavailable("too much work is waiting").into()),
        }
        answer
            .await
            .unwrap_or_else(|_| Err(StoreError::unavailable("the worker stopped").into()))
    }
}

/// The next group: waits for one unit of work, then takes whatever else is already waiting.
/// Empty when the queue is closed and drained.
pub(super) async fn next_group(receiver: &mut mpsc::Receiver<Box<dyn Work>>) -> Vec<Box<dyn Work>> {
    let mut group = Vec::new();
    while group.is_empty() {
        if receiver.recv_many(&mut group, GROUP_MAX).await == 0 {
            break;
        }
        group.retain(|work| !work.is_abandoned());
    }
    group.sort_by_key(|work| work.order());
    group
}

/// Tells every caller of a group what came of it.
pub(super) fn answer_all(group: Vec<Box<dyn Work>>, outcome: &Result<(), StoreError>) {
    for work in group {
        work.answer(outcome.clone());
    }
}
