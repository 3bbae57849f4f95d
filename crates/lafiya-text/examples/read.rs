//! Parses sentences from standard input and prints the result. A line may start with the age and
//! sex of the patient (`26f:`); a line that starts with `?` is a search instead.
#![allow(clippy::print_stdout, reason = "this is what the example is for")]

use std::error::Error;

use lafiya_model::{Age, Sex};
use lafiya_text::{ParseContext, Parser, Search, SearchOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let base = lafiya_content::load()?;
    let (parser, search) = (Parser::build(&base), Search::build(&base));
    for line in std::io::stdin().lines() {
        let line = line?;
        println!("{line}");
        if let Some(phrase) = line.strip_prefix('?') {
            let options = SearchOptions {
                max_results: 5,
                ..SearchOptions::default()
            };
            for hit in search.find(&base, phrase, &options) {
                println!(
                    "  {:.3} {} ({})",
                    hit.similarity,
                    base.id_of(hit.concept),
                    hit.matched
                );
            }
            continue;
        }
        let (context, text) = patient(&line);
        let parsed = parser.parse(&base, text, &context);
        for mention in parsed.mentions.iter().chain(&parsed.tests) {
            println!(
                "  {} {} {:?} {:?} {:?} {:?} {}",
                base.id_of(mention.concept),
                mention.choice,
                mention.severity,
                mention.duration_days,
                mention.value,
                mention.orth,
                mention.confidence
            );
        }
    }
    Ok(())
}

/// The patient at the beginning of a line, and the rest of it.
fn patient(line: &str) -> (ParseContext, &str) {
    let known = || {
        let (patient, text) = line.split_once(':')?;
        let sexes = [("f", Sex::Female), ("m", Sex::Male)].into_iter();
        let (years, sex) =
            { sexes }.find_map(|(letter, sex)| Some((patient.strip_suffix(letter)?, sex)))?;
        let context = ParseContext {
            age: Some(Age::from_years(years.parse().ok()?)),
            sex: Some(sex),
            ..ParseContext::default()
        };
        Some((context, text))
    };
    known().unwrap_or((ParseContext::default(), line))
}
