//! Measures the search for the nearest five facilities with the spatial index and by brute force,
//! for registers of several sizes. `cargo run --release -p lafiya-facilities --example
//! bench_nearest`; results are in docs/operating/performance-figures.md.

use std::hint::black_box;
use std::time::Instant;

use lafiya_facilities::{Facility, Register, Types};
use lafiya_knowledge::KnowledgeBase;
use lafiya_knowledge::schema::Content;
use lafiya_model::{Coordinate, FacilityLevel};

const NEAREST: usize = 5;
const SIZES: [usize; 3] = [25_000, 50_000, 100_000];
/// The number of times each size is measured. The sizes alternate, so that a slowdown of the
/// machine affects all of them.
const TURNS: usize = 20;
/// The rounds per turn, and the searches per round. A round is short enough to run without
/// interruption, so the minimum is the actual cost, independent of other load.
const BY_TREE: (usize, usize) = (100, 50);
const BY_FORCE: (usize, usize) = (20, 1);

fn main() {
    println!(
        "{:>10} {:>14} {:>14} {:>12}",
        "facilities", "tree, µs", "force, µs", "build, ms"
    );
    let mut registers: Vec<Measured> = SIZES.into_iter().map(Measured::new).collect();
    for _ in 0..TURNS {
        for timed in &mut registers {
            timed.search_by_tree();
        }
    }
    // Measured last, because brute force evicts everything else from the caches.
    for timed in &mut registers {
        timed.search_by_force();
    }
    for timed in registers {
        let size = timed.register.len();
        println!(
            "{size:>10} {:>14.2} {:>14.0} {:>12.1}",
            timed.by_tree, timed.by_force, timed.built_ms
        );
    }
}

/// A register, and the minimum times measured with it so far.
struct Measured {
    register: Register,
    points: Points,
    by_tree: f64,
    by_force: f64,
    built_ms: f64,
}

impl Measured {
    fn new(size: usize) -> Self {
        let mut points = Points(7);
        let facilities = (0..size)
            .map(|number| facility(number, points.next()))
            .collect();
        let types = Types::of(&KnowledgeBase::from_content(Content::default()));
        let started = Instant::now();
        let register = Register::new(facilities, types);
        Self {
            register,
            points,
            by_tree: f64::INFINITY,
            by_force: f64::INFINITY,
            built_ms: started.elapsed().as_secs_f64() * 1e3,
        }
    }

    fn search_by_tree(&mut self) {
        let nearest = |from| self.register.nearest(from, FacilityLevel::ALL);
        let search = |from| nearest(from).take(NEAREST).count();
        let took = micros(BY_TREE, &mut self.points, search);
        self.by_tree = self.by_tree.min(took);
    }

    fn search_by_force(&mut self) {
        let nearest = |from| self.register.nearest_by_force(from, FacilityLevel::ALL);
        let took = micros(BY_FORCE, &mut self.points, |from| nearest(from).len());
        self.by_force = self.by_force.min(took);
    }
}

/// Returns the microseconds per search in the fastest round.
fn micros(
    (rounds, searches): (usize, usize),
    points: &mut Points,
    mut work: impl FnMut(Coordinate) -> usize,
) -> f64 {
    let round = |_| {
        let started = Instant::now();
        for _ in 0..searches {
            black_box(work(points.next()));
        }
        started.elapsed().as_secs_f64() * 1e6 / searches as f64
    };
    (0..rounds).map(round).fold(f64::INFINITY, f64::min)
}

/// Generates points of the continent, the same in every run.
struct Points(u64);

impl Points {
    fn share(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }

    fn next(&mut self) -> Coordinate {
        Coordinate {
            latitude: self.share() * 70.0 - 35.0,
            longitude: self.share() * 68.0 - 18.0,
        }
    }
}

fn facility(number: usize, position: Coordinate) -> Facility {
    Facility {
        id: number.to_string(),
        name: format!("Facility {number}"),
        kind: "clinic".to_owned(),
        address: String::new(),
        country: String::new(),
        position,
        approximate: false,
        phone: None,
        rating: None,
        services: Vec::new(),
        source: "bench".to_owned(),
    }
}
