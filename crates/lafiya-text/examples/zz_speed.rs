use lafiya_text::*;
fn main() {
    let base = lafiya_content::load().unwrap();
    let t = std::time::Instant::now();
    let p = Parser::build(&base);
    println!("parser build {:?}", t.elapsed());
    let t = std::time::Instant::now();
    let s = Search::build(&base);
    println!("search build {:?}", t.elapsed());
    let text = std::fs::read_to_string("evaluation/african.dev.jsonl").unwrap();
    let mut all = String::new();
    for l in text.lines() {
        let v: serde_json::Value = serde_json::from_str(l).unwrap();
        all.push_str(v["text"].as_str().unwrap());
        all.push(' ');
    }
    let two: String = all.chars().take(2000).collect();
    for _ in 0..20 {
        p.parse(&base, &two, &ParseContext::default());
    }
    let t = std::time::Instant::now();
    for _ in 0..200 {
        std::hint::black_box(p.parse(&base, &two, &ParseContext::default()));
    }
    println!("parse 2000 {:?}", t.elapsed() / 200);
    let o = SearchOptions {
        max_results: 8,
        ..Default::default()
    };
    let qs = [
        "hedache",
        "abdominal pain",
        "pain in right lower belly",
        "feaver and chils",
        "malaria",
        "vomting blood",
        "x",
        "shortnes of breth",
    ];
    for q in qs {
        let t = std::time::Instant::now();
        for _ in 0..100 {
            std::hint::black_box(s.find(&base, q, &o));
        }
        println!("{q}: {:?}", t.elapsed() / 100);
    }
    println!("terms {}", base.search_terms().len());
}
