//! Search: matches a typed query against every name, synonym, everyday phrase, id and code in the
//! knowledge base.
//!
//! Words are matched first (exact, same stem, same meaning, prefix, typo). Then phrases are scored
//! by the words they share with the query, weighted by how distinctive each word is. Search does
//! not interpret sentences; `parse` does.

mod misspelt;
mod near;
mod places;
mod score;
mod vocabulary;

use lafiya_knowledge::{ConceptRef, KnowledgeBase, TermKind};
use lafiya_model::{ConceptKind, Sex};
use smallvec::SmallVec;

use crate::canon::{Canon, Role};
use crate::hash::{FastMap, KeyMap, key};
use crate::{fold, words};
use near::{Entries, NEARBY_MAX, Nearby};
use places::Places;
use score::{Denials, Entry, Phrase, QUERY_WORDS_MAX, Query, SIMILARITY_MIN, Weighted};
use vocabulary::Vocabulary;

/// Options of a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchOptions<'a> {
    /// Excludes what this sex cannot have.
    pub sex: Option<Sex>,
    /// Only these kinds of concept.
    pub kinds: Option<&'a [ConceptKind]>,
    /// Maximum number of hits; 0 returns none.
    pub max_results: usize,
}

/// A concept that matches the phrase.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The concept.
    pub concept: ConceptRef,
    /// From 0 to 1; from 0.5 on, a person would accept the match. Hits are in descending order of
    /// similarity.
    pub similarity: f64,
    /// The name, phrase or code that matched best.
    pub matched: String,
}

/// The search index. Built once from a knowledge base, and only valid for that one.
#[derive(Clone, Debug)]
pub struct Search {
    canon: Canon,
    vocabulary: Vocabulary,
    entries: Vec<Entry>,
    /// The highest trust of any entry.
    trust_max: f64,
    /// The phrases of the entries, in the same order.
    phrases: Vec<Phrase>,
    /// Postings: for each vocabulary word, the entries that contain it.
    postings: Vec<Vec<u32>>,
    /// Entries by the key of the whole folded phrase, for exact matches.
    exact: KeyMap<Entries>,
    /// The phrases themselves, for matches within one or two edits.
    nearby: Nearby,
    /// The concepts of the entries, by number.
    concepts: Vec<ConceptRef>,
    /// Tests and measures that apply to only one sex.
    of_one_sex: FastMap<ConceptRef, Sex>,
}

/// State needed only while the index is built.
#[derive(Default)]
struct Entering {
    /// The number of each concept.
    numbers: FastMap<ConceptRef, u32>,
    /// Whole folded phrases with their entries.
    whole: FastMap<String, Entries>,
}

/// From this similarity on, the words of the query were understood, and the letter-by-letter
/// comparison of phrases is skipped.
const FOUND: f64 = 0.9;

impl Search {
    /// Builds the index of a knowledge base.
    pub fn build(base: &KnowledgeBase) -> Self {
        Self::build_over(base, |_| true)
    }

    /// Builds an index of only those names, phrases, ids and codes that `keep` accepts, to measure
    /// how the cost grows with their number.
    pub fn build_over(base: &KnowledgeBase, keep: impl Fn(&str) -> bool) -> Self {
        let canon = Canon::new(&words::same(), &words::fillers());
        let mut search = Self {
            canon,
            vocabulary: Vocabulary::default(),
            entries: Vec::new(),
            trust_max: 0.0,
            phrases: Vec::new(),
            postings: Vec::new(),
            exact: KeyMap::default(),
            nearby: Nearby::default(),
            concepts: Vec::new(),
            of_one_sex: of_one_sex(base),
        };
        let mut entering = Entering::default();
        let terms = base.search_terms();
        for term in terms.iter().filter(|term| keep(term.term)) {
            let trust =
                f64::from(term.confidence) * kind_weight(term.kind, term.language.is_some());
            search.enter(&mut entering, term.concept, term.term, trust);
        }
        for concept in all_concepts(base) {
            let id = base.id_of(concept);
            // Clients often leave out the prefix of an id.
            let slug = id.split_once('_').map(|(_, slug)| slug);
            let names = [id].into_iter().chain(slug).chain(codes(base, concept));
            for name in names.filter(|name| keep(name)) {
                search.enter(&mut entering, concept, name, 0.97);
            }
        }
        search
            .vocabulary
            .finish(&search.postings, search.entries.len());
        let exact = entering.whole.iter();
        search.exact = exact
            .map(|(phrase, at)| (key(phrase), at.clone()))
            .collect();
        search.nearby = Nearby::of(entering.whole.into_iter());
        for (entry, phrase) in search.entries.iter_mut().zip(&search.phrases) {
            entry.weigh(phrase, &search.vocabulary);
        }
        search
    }

    /// Returns the concepts that match a phrase, best first.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_text::{Search, SearchOptions};
    ///
    /// let base = lafiya_content::load()?;
    /// let search = Search::build(&base);
    /// let options = SearchOptions { max_results: 3, ..SearchOptions::default() };
    /// let hits = search.find(&base, "feever", &options);
    /// assert_eq!(base.id_of(hits[0].concept), "s_fever");
    /// # Ok::<(), lafiya_knowledge::LoadError>(())
    /// ```
    pub fn find(
        &self,
        base: &KnowledgeBase,
        phrase: &str,
        options: &SearchOptions<'_>,
    ) -> Vec<Hit> {
        let query = self.query(phrase);
        if query.words.is_empty() || options.max_results == 0 {
            return Vec::new();
        }
        let allowed = |concept: ConceptRef| {
            options
                .kinds
                .is_none_or(|kinds| kinds.contains(&concept.kind()))
                && options
                    .sex
                    .is_none_or(|sex| self.is_possible(base, concept, sex))
        };
        let mut best = Best::of(self.concepts.len());
        let mut keep = |at: u32, similarity: f64| {
            best.keep(self.entries[at as usize].number, at, similarity);
        };
        for &at in self.exact.get(&key(&query.whole)).into_iter().flatten() {
            keep(at, self.entries[at as usize].trust);
        }
        score::score(
            &query,
            (&self.entries, &self.phrases),
            self.trust_max,
            &self.postings,
            &self.vocabulary,
            &mut keep,
        );
        let allowed = |(number, _): &(u32, _)| allowed(self.concepts[*number as usize]);
        let found = best.iter().any(|(_, (similarity, _))| similarity >= FOUND);
        // Fuzzy phrase matches rank below this many better ones, so they need not be looked for.
        let better = best.iter().filter(allowed);
        let better = better.filter(|(_, (similarity, _))| *similarity > NEARBY_MAX);
        if !found && better.count() < options.max_results {
            self.nearby.find(&query.whole, |at, left| {
                let entry = &self.entries[at as usize];
                best.keep(entry.number, at, entry.trust * left);
            });
        }
        let found = best
            .iter()
            .filter(allowed)
            .map(|(_, hit)| hit)
            .filter(|(similarity, _)| *similarity >= SIMILARITY_MIN)
            .collect();
        self.ranked(found, options.max_results)
    }

    fn ranked(&self, mut ranked: Vec<(f64, u32)>, max_results: usize) -> Vec<Hit> {
        // Ties go to the shorter phrase, then to the order of the knowledge base, so that results
        // are deterministic.
        let before = |(a, m): &(f64, u32), (b, n): &(f64, u32)| {
            let length = |at: &u32| self.phrases[*at as usize].words.len();
            b.total_cmp(a)
                .then(length(m).cmp(&length(n)))
                .then(m.cmp(n))
        };
        // Only the best hits are sorted; there may be hundreds of others.
        if ranked.len() > max_results {
            ranked.select_nth_unstable_by(max_results, before);
            ranked.truncate(max_results);
        }
        ranked.sort_unstable_by(before);
        ranked
            .into_iter()
            .map(|(similarity, at)| {
                let entry = &self.entries[at as usize];
                Hit {
                    concept: self.concepts[entry.number as usize],
                    // Rounded, so that answers are the same on every machine.
                    similarity: (similarity * 10_000.0).round() / 10_000.0,
                    matched: self.phrases[at as usize].term.to_string(),
                }
            })
            .collect()
    }

    fn enter(&mut self, entering: &mut Entering, concept: ConceptRef, term: &str, trust: f64) {
        let folded = fold::words(term);
        if folded.is_empty() {
            return;
        }
        let number = *entering.numbers.entry(concept).or_insert_with(|| {
            self.concepts.push(concept);
            u32::try_from(self.concepts.len() - 1).unwrap_or(u32::MAX)
        });
        let at = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let whole = entering.whole.entry(folded.join(" "));
        whole.or_default().push(at);
        let mut words = SmallVec::new();
        let apart = self.canon.words(&folded);
        for unit in self.canon.units(&apart.iter().collect::<Vec<_>>()) {
            let written = folded[unit.first..unit.last].join(" ");
            let word = self.vocabulary.add(&written, unit.form, unit.role);
            // A word that a phrase repeats counts once.
            if !words.contains(&word) {
                words.push(word);
            }
        }
        // New words were added above.
        self.postings.resize(self.vocabulary.len(), Vec::new());
        for &word in &words {
            self.postings[word as usize].push(at);
        }
        self.trust_max = self.trust_max.max(trust);
        self.entries.push(Entry {
            number,
            own: 0.0,
            denials: Denials::default(),
            trust,
        });
        self.phrases.push(Phrase {
            term: term.into(),
            words,
        });
    }

    fn query(&self, phrase: &str) -> Query {
        let mut folded = fold::words(phrase);
        // Before the words are looked up, whose cost grows with their number.
        folded.truncate(QUERY_WORDS_MAX);
        let whole = folded.join(" ");
        let folded: Vec<String> = folded.iter().flat_map(|word| self.parted(word)).collect();
        // Again, because a word may have been split in two.
        let folded = &folded[..folded.len().min(QUERY_WORDS_MAX)];
        let apart = self.canon.words(folded);
        let units = self.canon.units(&apart.iter().collect::<Vec<_>>());
        let last = units.len().saturating_sub(1);
        let mut words = Vec::with_capacity(units.len());
        for (n, unit) in units.iter().enumerate() {
            let written = folded[unit.first..unit.last].join(" ");
            let joined = folded.get(unit.last).map(|next| format!("{written}{next}"));
            let fits = self.vocabulary.fits(&written, unit.form, n == last);
            words.push(Weighted {
                role: unit.role,
                form: unit.form.to_owned(),
                opposite: self.canon.opposite(unit.form).map(str::to_owned),
                joined: joined.and_then(|joined| self.vocabulary.exact(&joined)),
                weight: self
                    .vocabulary
                    .query_weight(&written, unit.form, unit.role, &fits),
                fits,
            });
        }
        // A query of fillers alone ("the") still searches for them.
        if !words.iter().all(|word| word.role == Role::Filler) {
            words.retain(|word| word.role != Role::Filler);
        }
        let denials = Denials::among(words.iter().map(|word| word.form.as_str()));
        Query {
            words,
            whole,
            denials,
        }
    }

    fn is_possible(&self, base: &KnowledgeBase, concept: ConceptRef, sex: Sex) -> bool {
        match concept {
            ConceptRef::Finding(ix) => base.finding(ix).sex.allows(sex),
            ConceptRef::Risk(ix) => base.risk(ix).sex.allows(sex),
            ConceptRef::Condition(ix) => base.condition(ix).sex.allows(sex),
            ConceptRef::Measure(_) | ConceptRef::Lab(_) => {
                let only = self.of_one_sex.get(&concept);
                sex == Sex::Other || only.is_none_or(|only| *only == sex)
            }
        }
    }

    /// Splits a word that is not in the index into two words that are.
    fn parted(&self, word: &str) -> Vec<String> {
        if self.vocabulary.exact(word).is_some() {
            return vec![word.to_owned()];
        }
        match self.vocabulary.parted(word) {
            Some(parts) => parts.map(str::to_owned).to_vec(),
            None => vec![word.to_owned()],
        }
    }
}

/// Initial capacity: most queries match no more concepts.
const LIKELY: usize = 128;

/// The best entry of each concept, with its similarity.
struct Best {
    /// The position of each matched concept in `met`.
    places: Places,
    /// The matched concepts in the order they were found, each with its similarity and its entry.
    met: Vec<(u32, (f64, u32))>,
}

impl Best {
    fn of(concepts: usize) -> Self {
        Self {
            places: Places::of(concepts, LIKELY),
            met: Vec::with_capacity(LIKELY),
        }
    }

    fn keep(&mut self, concept: u32, entry: u32, similarity: f64) {
        if similarity <= 0.0 {
            return;
        }
        let fresh = self.met.len();
        match self.met.get_mut(self.places.place_or(concept, fresh)) {
            Some((_, kept)) if similarity > kept.0 => *kept = (similarity, entry),
            Some(_) => {}
            None => self.met.push((concept, (similarity, entry))),
        }
    }

    fn iter(&self) -> impl Iterator<Item = (u32, (f64, u32))> + '_ {
        self.met.iter().copied()
    }
}

/// Ranks an exact name above an exact common name, and so on. The steps are too small to outweigh a
/// better match.
fn kind_weight(kind: TermKind, of_language: bool) -> f64 {
    match kind {
        TermKind::Name => 1.0,
        TermKind::CommonName => 0.995,
        TermKind::Synonym => 0.99,
        TermKind::Lay if of_language => 0.98,
        TermKind::Lay => 0.985,
    }
}

fn all_concepts(base: &KnowledgeBase) -> Vec<ConceptRef> {
    use lafiya_knowledge::MeasureIx;
    let measures = (0..base.measures().len()).map(|n| ConceptRef::Measure(MeasureIx::at(n)));
    base.finding_indices()
        .map(ConceptRef::Finding)
        .chain(measures)
        .chain(base.risk_indices().map(ConceptRef::Risk))
        .chain(base.lab_indices().map(ConceptRef::Lab))
        .chain(base.condition_indices().map(ConceptRef::Condition))
        .collect()
}

fn codes(base: &KnowledgeBase, concept: ConceptRef) -> Vec<&str> {
    let [icd10, snomed_ct, loinc] = match concept {
        ConceptRef::Finding(ix) => [
            None,
            base.finding(ix).text.snomed_ct.as_deref(),
            base.finding(ix).text.loinc.as_deref(),
        ],
        ConceptRef::Measure(ix) => [
            None,
            base.measure(ix).text.snomed_ct.as_deref(),
            base.measure(ix).text.loinc.as_deref(),
        ],
        ConceptRef::Risk(ix) => [None, base.risk(ix).text.snomed_ct.as_deref(), None],
        ConceptRef::Lab(ix) => [
            None,
            base.lab(ix).text.snomed_ct.as_deref(),
            base.lab(ix).text.loinc.as_deref(),
        ],
        ConceptRef::Condition(ix) => {
            let text = &base.condition(ix).text;
            [Some(text.icd10.as_str()), text.snomed_ct.as_deref(), None]
        }
    };
    [icd10, snomed_ct, loinc]
        .into_iter()
        .flatten()
        .filter(|code| !code.is_empty())
        .collect()
}

fn of_one_sex(base: &KnowledgeBase) -> FastMap<ConceptRef, Sex> {
    let sexes = words::sexes();
    let lists = [(sexes.female, Sex::Female), (sexes.male, Sex::Male)];
    let ids = lists
        .into_iter()
        .flat_map(|(ids, sex)| ids.into_iter().map(move |id| (id, sex)));
    ids.filter_map(|(id, sex)| Some((base.resolve(&id)?, sex)))
        .collect()
}
