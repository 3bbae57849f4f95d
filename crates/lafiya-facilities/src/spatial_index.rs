//! A spatial index that returns points from the nearest on: a packed R-tree. Neighbouring points
//! are adjacent in memory, ten per box, with ten boxes per box of the next layer. The upper layers
//! for a whole continent fit into the L1 cache, so the time of a search hardly depends on the
//! number of points.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lafiya_model::Coordinate;

use crate::distance::{chord_km, on_sphere};

/// The number of points per box, and of boxes per larger box. Values from 8 to 16 make little
/// difference.
const FAN: usize = 10;

/// A point on the unit sphere. Single precision gives an error of at most half a metre.
type Point = [f32; 3];

/// A spatial index of points with their values.
pub(crate) struct SpatialIndex<T> {
    points: Vec<Point>,
    /// The value at each point.
    things: Vec<T>,
    /// Layers of bounding boxes. Each box of the first layer covers `FAN` points, and each of the
    /// next covers `FAN` boxes of the one below. The last layer has at most `FAN` boxes.
    layers: Vec<Vec<Around>>,
}

/// A bounding box: the minimum and maximum of each axis.
#[derive(Clone, Copy)]
struct Around {
    low: Point,
    high: Point,
}

impl<T> SpatialIndex<T> {
    /// Builds the index from points and their values.
    pub(crate) fn of(places: impl Iterator<Item = (Coordinate, T)>) -> Self {
        let mut places: Vec<(Point, T)> = places.map(|(at, thing)| (point(at), thing)).collect();
        bring_together(&mut places);
        let (points, things): (Vec<Point>, Vec<T>) = places.into_iter().unzip();
        let mut layers: Vec<Vec<Around>> = Vec::new();
        let single: Vec<Around> = points.iter().copied().map(Around::point).collect();
        let mut below = &single;
        while below.len() > FAN {
            let layer = below.chunks(FAN).map(Around::all).collect();
            layers.push(layer);
            below = layers.last().unwrap_or(&single);
        }
        Self {
            points,
            things,
            layers,
        }
    }

    /// Returns all values, in no particular order.
    pub(crate) fn things(&self) -> &[T] {
        &self.things
    }

    /// Returns the values with their distances in kilometres, nearest first.
    pub(crate) fn nearest(&self, from: Coordinate) -> NearestFirst<'_, T> {
        let mut walk = NearestFirst {
            spatial_index: self,
            from: point(from),
            // Enough for most searches: a few boxes of each layer.
            ahead: BinaryHeap::with_capacity(8 * FAN),
        };
        walk.open(self.layers.len(), 0);
        walk
    }
}

fn point(position: Coordinate) -> Point {
    on_sphere(position).map(|number| number as f32)
}

/// Sorts points so that neighbours are adjacent: splits them at the middle of their widest axis,
/// aligned to the largest possible box size, and repeats this for each half.
fn bring_together<T>(places: &mut [(Point, T)]) {
    if places.len() <= FAN {
        return;
    }
    let around = places.iter().map(|(point, _)| Around::point(*point));
    let widest = around.reduce(Around::and).map_or(0, Around::widest_axis);
    let mut border = FAN;
    while border * FAN < places.len() {
        border *= FAN;
    }
    // At a multiple of the box size, so that all boxes but the last are full.
    let half = (places.len() / 2).next_multiple_of(border);
    places.select_nth_unstable_by(half, |(a, _), (b, _)| a[widest].total_cmp(&b[widest]));
    let (one, other) = places.split_at_mut(half);
    bring_together(one);
    bring_together(other);
}

impl Around {
    fn point(point: Point) -> Self {
        Self {
            low: point,
            high: point,
        }
    }

    fn all(some: &[Self]) -> Self {
        let all = some.iter().copied().reduce(Self::and);
        all.unwrap_or(Self::point([0.0; 3]))
    }

    fn and(self, other: Self) -> Self {
        Self {
            low: std::array::from_fn(|axis| self.low[axis].min(other.low[axis])),
            high: std::array::from_fn(|axis| self.high[axis].max(other.high[axis])),
        }
    }

    fn widest_axis(self) -> usize {
        let width = |axis: &usize| self.high[*axis] - self.low[*axis];
        let axes = (0..3).max_by(|a, b| width(a).total_cmp(&width(b)));
        axes.unwrap_or(0)
    }

    /// Returns the squared chord to the nearest point of the box.
    fn chord_2(&self, from: Point) -> f32 {
        let apart = |axis: usize| {
            let from = from[axis];
            // 0 inside the box: then the point may be as near as its contents.
            (self.low[axis] - from).max(from - self.high[axis]).max(0.0)
        };
        squares([apart(0), apart(1), apart(2)])
    }
}

fn squares([x, y, z]: Point) -> f32 {
    x * x + y * y + z * z
}

/// An iterator over values in order of distance from a point.
pub(crate) struct NearestFirst<'a, T> {
    spatial_index: &'a SpatialIndex<T>,
    from: Point,
    ahead: BinaryHeap<Reverse<Ahead>>,
}

/// A queued box or point, encoded in one number so that nearer entries are smaller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Ahead(u64);

impl Ahead {
    /// The bit patterns of positive floats have the same order as the numbers. The lower bits hold
    /// the number of layers in the box (0 for a point) and the position in its layer.
    fn new(chord_2: f32, layers: usize, place: usize) -> Self {
        Self(u64::from(chord_2.to_bits()) << 32 | (layers as u64) << 28 | place as u64)
    }

    fn chord_2(self) -> f32 {
        f32::from_bits((self.0 >> 32) as u32)
    }

    fn layers(self) -> usize {
        (self.0 >> 28) as usize & 0xf
    }

    fn place(self) -> usize {
        self.0 as usize & 0x0fff_ffff
    }
}

impl<T> NearestFirst<'_, T> {
    /// Queues the contents of a box, given the number of layers in it and its position.
    fn open(&mut self, layers: usize, place: usize) {
        let (from, spatial_index) = (self.from, self.spatial_index);
        let inside = |len: usize| place * FAN..len.min((place + 1) * FAN);
        if let Some(below) = layers.checked_sub(1) {
            let boxes = &spatial_index.layers[below];
            let inside = inside(boxes.len());
            let seen = boxes[inside.clone()].iter().zip(inside);
            let seen = seen.map(|(child, place)| Ahead::new(child.chord_2(from), layers, place));
            self.ahead.extend(seen.map(Reverse));
        } else {
            let inside = inside(spatial_index.points.len());
            let chord_2 = |to: &Point| squares(std::array::from_fn(|axis| to[axis] - from[axis]));
            let seen = spatial_index.points[inside.clone()].iter().zip(inside);
            let seen = seen.map(|(point, place)| Ahead::new(chord_2(point), 0, place));
            self.ahead.extend(seen.map(Reverse));
        }
    }
}

impl<'a, T> Iterator for NearestFirst<'a, T> {
    type Item = (&'a T, f64);

    fn next(&mut self) -> Option<(&'a T, f64)> {
        loop {
            let Reverse(next) = self.ahead.pop()?;
            if let Some(inside) = next.layers().checked_sub(1) {
                self.open(inside, next.place());
            } else {
                let km = chord_km(next.chord_2().into());
                return Some((&self.spatial_index.things[next.place()], km));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn order_of(places: &[Coordinate], from: Coordinate) -> Vec<f64> {
        let spatial_index = SpatialIndex::of(places.iter().copied().zip(0..));
        let walked: Vec<(&u32, f64)> = spatial_index.nearest(from).collect();
        let mut numbers: Vec<u32> = walked.iter().map(|(number, _)| **number).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..places.len() as u32), "each once");
        walked.into_iter().map(|(_, km)| km).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Many facilities share a point, because only their town is known.
        #[test]
        fn every_place_is_met_once_from_the_nearest_on(
            places in prop::collection::vec((-90..=90_i32, -180..=180_i32), 0..1200),
            latitude in -90.0..=90.0_f64,
            longitude in -180.0..=180.0_f64,
        ) {
            let place = |(latitude, longitude): (i32, i32)| {
                Coordinate::new(f64::from(latitude / 4 * 4), f64::from(longitude / 4 * 4)).unwrap()
            };
            let places: Vec<Coordinate> = places.into_iter().map(place).collect();
            let from = Coordinate::new(latitude, longitude).unwrap();
            let walked = order_of(&places, from);
            prop_assert!(walked.is_sorted());
            let mut all: Vec<f64> = places.iter().map(|place| crate::distance_km(from, *place)).collect();
            all.sort_by(f64::total_cmp);
            for (walked, km) in walked.iter().zip(all) {
                prop_assert!((walked - km).abs() < 5.0, "{walked} and {km}");
            }
        }
    }

    #[test]
    fn nothing_is_met_where_nothing_is() {
        assert!(order_of(&[], Coordinate::new(1.0, 2.0).unwrap()).is_empty());
    }
}
