//! Builds the context from the settings: opens the store, the cache and the knowledge base.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use arc_swap::ArcSwap;
use lafiya_facilities::import::combined;
use lafiya_facilities::{Register, RegisterFile, Types};
use lafiya_knowledge::KnowledgeBase;
use lafiya_knowledge::schema::Content;
use lafiya_service::keys::KeyHasher;
use lafiya_service::{Context, Library, RunningAssessments, SystemClock};
use lafiya_storage::cache::{Cache, MemoryCache, RedisCache};
use lafiya_storage::store::{self, Store, StoreSettings};
use rand::RngExt;

use crate::settings::Settings;

/// The name of the key hash secret in the store.
const KEY_HASH_SECRET: &str = "key_hash_secret";

/// Builds the context of the service.
pub(crate) async fn context(settings: &Settings) -> anyhow::Result<Context> {
    // Boxed, because otherwise the library would be part of the future and copied whenever it
    // moves.
    Box::pin(async {
        let library = Library::new(knowledge_base(settings)?);
        let facilities = register(&settings.data_dir, library.facility_types())?;
        Box::pin(with_library(settings, library, facilities)).await
    })
    .await
}

/// Builds the context of an admin command: without the knowledge base, which takes longest to load.
pub(crate) async fn admin_context(settings: &Settings) -> anyhow::Result<Context> {
    Box::pin(async {
        let library = Library::new(KnowledgeBase::from_content(Content::default()));
        let no_facilities = Register::new(Vec::new(), library.facility_types());
        Box::pin(with_library(settings, library, no_facilities)).await
    })
    .await
}

async fn with_library(
    settings: &Settings,
    library: Library,
    facilities: Register,
) -> anyhow::Result<Context> {
    let store = open_store(settings).await?;
    let hasher = key_hasher(settings, store.as_ref()).await?;
    let cache: Arc<dyn Cache> = match settings.redis_url() {
        None => Arc::new(MemoryCache::new()),
        Some(url) => Arc::new(
            RedisCache::new(url, &settings.redis_prefix).context("redis_url is not valid")?,
        ),
    };
    Ok(Context {
        store,
        cache,
        own_cache: MemoryCache::new(),
        cache_is_shared: settings.redis_url().is_some(),
        knowledge: ArcSwap::from_pointee(library),
        facilities: ArcSwap::from_pointee(facilities),
        home_country: settings.home_country().unwrap_or_default().to_uppercase(),
        clock: Arc::new(SystemClock),
        hasher,
        api_key_cache: Default::default(),
        known_usage: Default::default(),
        phrase_tables: Default::default(),
        health: Default::default(),
        webhook_targets: settings.webhook_targets(),
        limits: settings.limits(),
        running_assessments: RunningAssessments::default(),
        advisor: settings.advisor()?,
        started: Instant::now(),
    })
}

/// Builds the facility register: the facilities imported into the data directory, followed by the
/// embedded default.
pub(crate) fn register(data_dir: &Path, types: Types) -> anyhow::Result<Register> {
    let default = Register::embedded(types.clone());
    match RegisterFile::in_dir(data_dir).read()? {
        None => Ok(default),
        Some(imported) => {
            let all = combined(imported, default.facilities(), &types);
            Ok(Register::new(all, types))
        }
    }
}

async fn open_store(settings: &Settings) -> anyhow::Result<Arc<dyn Store>> {
    let store_settings = StoreSettings {
        connections_max: settings.database_connections_max,
        data_keys: settings.data_keys()?,
        ..StoreSettings::new(settings.store_url()?)
    };
    store::connect(&store_settings)
        .await
        .context("the database cannot be opened")
}

/// Checks that every document in the store can be decrypted with the configured data keys.
pub(crate) async fn settle_data_keys(context: &Context) -> anyhow::Result<()> {
    let missing = context.store.settle_data_keys(context.clock.now()).await?;
    if missing.is_empty() {
        return Ok(());
    }
    anyhow::bail!(
        "documents here are sealed with a data key that is not set (its id is {}); \
         add it to LAFIYA_DATA_KEY, after the key that seals from now on",
        missing.join(", ")
    )
}

async fn key_hasher(settings: &Settings, store: &dyn Store) -> anyhow::Result<KeyHasher> {
    if let Some(secret) = settings.key_hash_secret() {
        return Ok(KeyHasher::new(secret));
    }
    let mut fresh = [0_u8; 32];
    // Used only if the store has no secret yet: see `secret`.
    rand::rng().fill(&mut fresh);
    let secret = store
        .secret(KEY_HASH_SECRET, &fresh)
        .await
        .context("the key secret cannot be read")?;
    Ok(KeyHasher::new(&secret))
}

/// Loads the embedded knowledge base, or the directory that replaces it. Fails if it is invalid.
pub(crate) fn knowledge_base(settings: &Settings) -> anyhow::Result<KnowledgeBase> {
    match settings.knowledge_dir() {
        None => lafiya_content::load().context("the embedded knowledge base cannot be read"),
        Some(dir) => KnowledgeBase::from_dir(dir)
            .with_context(|| format!("the knowledge base in {} is refused", dir.display())),
    }
}
