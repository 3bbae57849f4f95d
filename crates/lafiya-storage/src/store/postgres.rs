//! PostgreSQL: a connection pool, and a few workers that record assessments in groups.
//!
//! Any number of replicas may use one database: row locks and conditional updates, never in-process
//! state, prevent duplicates. All work of one tenant goes to the same worker, because it would wait
//! for the tenant's lock on any other.

use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::Executor as _;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection::Connection;
use super::error::Failure;
use super::work::{Operation, Queue, Work, answer_all, next_group, run_alone, run_group};
use super::{StoreError, StoreSettings, migrations};

/// Number of workers. It is high so that few tenants share one, because tenants on one worker wait
/// for each other's commits. An idle queue holds no connection.
const WORKERS: u128 = 16;

/// A pool of connections to PostgreSQL.
pub(super) struct Postgres {
    pool: PgPool,
    transaction_timeout: Duration,
    queues: Vec<Queue>,
    closing: CancellationToken,
    workers: TaskTracker,
}

impl Postgres {
    pub(super) async fn connect(url: &str, settings: &StoreSettings) -> Result<Self, StoreError> {
        let options = url
            .parse::<PgConnectOptions>()
            .map_err(StoreError::from_sqlx)?
            .application_name("lafiya")
            .disable_statement_logging();
        let pool = PgPoolOptions::new()
            .max_connections(settings.connections_max.max(1))
            .acquire_timeout(settings.acquire_timeout)
            .after_connect(|connection, _| {
                // A replica that disappears during a transaction must not keep its locks.
                Box::pin(async move {
                    let session_settings = "set lock_timeout = '5s'; \
                                    set idle_in_transaction_session_timeout = '15s'";
                    connection.execute(session_settings).await.map(drop)
                })
            })
            .connect_with(options)
            .await
            .map_err(StoreError::from_sqlx)?;
        migrations::postgres()
            .run(&pool)
            .await
            .map_err(StoreError::from_migration)?;

        let closing = CancellationToken::new();
        let workers = TaskTracker::new();
        let queues = (0..WORKERS)
            .map(|_| {
                let (queue, receiver) = Queue::new(settings.acquire_timeout);
                workers.spawn(write_groups(
                    pool.clone(),
                    settings.transaction_timeout,
                    receiver,
                    closing.clone(),
                ));
                queue
            })
            .collect();
        workers.close();
        Ok(Self {
            pool,
            transaction_timeout: settings.transaction_timeout,
            queues,
            closing,
            workers,
        })
    }

    pub(super) async fn read<A, T, E: Failure>(
        &self,
        arguments: A,
        operation: Operation<A, T, E>,
    ) -> Result<T, E> {
        let mut connection = self.acquire().await?;
        match timeout(
            self.transaction_timeout,
            operation(&mut connection, &arguments),
        )
        .await
        {
            Ok(outcome) => outcome,
            Err(_) => Err(give_up(&mut connection).into()),
        }
    }

    /// Runs an operation in its own transaction, and retries it once if it failed because of
    /// concurrent work.
    pub(super) async fn write<A, T, E: Failure>(
        &self,
        arguments: A,
        operation: Operation<A, T, E>,
    ) -> Result<T, E> {
        match self.write_once(&arguments, operation).await {
            Err(error) if error.is_worth_repeating() => {
                self.write_once(&arguments, operation).await
            }
            outcome => outcome,
        }
    }

    /// Runs an operation in a group with others. `order` selects the worker and the place in the
    /// group: operations that take the same locks must have the same order.
    pub(super) async fn write_grouped<A, T, E>(
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
        let queue = &self.queues[(order % WORKERS) as usize];
        queue.perform(order, arguments, operation).await
    }

    pub(super) async fn close(&self) {
        self.closing.cancel();
        self.workers.wait().await;
        self.pool.close().await;
    }

    async fn write_once<A, T, E: Failure>(
        &self,
        arguments: &A,
        operation: Operation<A, T, E>,
    ) -> Result<T, E> {
        let mut connection = self.acquire().await?;
        let work = run_alone(&mut connection, arguments, operation);
        match timeout(self.transaction_timeout, work).await {
            Ok(outcome) => outcome,
            Err(_) => Err(give_up(&mut connection).into()),
        }
    }

    async fn acquire(&self) -> Result<Connection, StoreError> {
        let connection = self.pool.acquire().await;
        Ok(connection.map_err(StoreError::from_sqlx)?.into())
    }
}

async fn write_groups(
    pool: PgPool,
    transaction_timeout: Duration,
    mut receiver: mpsc::Receiver<Box<dyn Work>>,
    closing: CancellationToken,
) {
    loop {
        let group = tokio::select! {
            group = next_group(&mut receiver) => group,
            () = closing.cancelled(), if !receiver.is_closed() => {
                // Work that was accepted is completed; no more is accepted.
                receiver.close();
                continue;
            }
        };
        if group.is_empty() {
            return;
        }
        // Runs in its own task, so that a panic loses this group and not the worker.
        let work = write_group(pool.clone(), transaction_timeout, group);
        if let Err(error) = tokio::spawn(work).await {
            tracing::error!(%error, "a group of writes was lost");
        }
    }
}

async fn write_group(pool: PgPool, transaction_timeout: Duration, mut group: Vec<Box<dyn Work>>) {
    let outcome = match pool.acquire().await {
        Ok(connection) => {
            let mut connection = Connection::from(connection);
            let work = run_group(&mut connection, &mut group);
            match timeout(transaction_timeout, work).await {
                Ok(outcome) => outcome,
                // The state of the transaction is unknown, so the connection is closed, not
                // returned to the pool.
                Err(_) => Err(give_up(&mut connection)),
            }
        }
        Err(error) => Err(StoreError::from_sqlx(error)),
    };
    answer_all(group, &outcome);
}

fn give_up(connection: &mut Connection) -> StoreError {
    connection.give_up();
    StoreError::unavailable("the database did not answer in time")
}
