//! Which place of one layout holds what a place of another holds.

use crate::triton::layout::gf2::Span;
use crate::triton::layout::linear::{LinearLayout, Place};

/// For each bit of a place in the layout `to`: the place in `from` that holds the same (`invertAndCompose`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correspondence {
    /// For each bit of the register's number.
    pub registers: Vec<Place>,
    /// For each bit of the lane's number.
    pub lanes: Vec<Place>,
    /// For each bit of the warp's number.
    pub warps: Vec<Place>,
    /// Bits of the register's number in `from`.
    from_registers: usize,
}

/// The place with one bit set: of the register's number, of the lane's, or else of the warp's.
fn own_place(part: usize, bit: usize) -> Place {
    let mut place = Place::default();
    *[&mut place.register, &mut place.lane, &mut place.warp][part] = 1 << bit;
    place
}

impl Correspondence {
    /// Where `to` finds its elements in `from`. Registers, lanes or warps that mean the same in both stay as they are;
    /// others are found at the lowest place that holds them.
    pub fn new(from: &LinearLayout, to: &LinearLayout) -> Self {
        let same = [
            from.registers == to.registers,
            from.lanes == to.lanes,
            from.warps == to.warps,
        ];
        let without = |bases: &[u32], same: bool| match same {
            true => vec![0; bases.len()],
            false => bases.to_vec(),
        };
        let searched = LinearLayout {
            shape: from.shape.clone(),
            registers: without(&from.registers, same[0]),
            lanes: without(&from.lanes, same[1]),
            warps: without(&from.warps, same[2]),
        };
        let span = Span::of(searched.bases());
        let find = |element: u32| {
            let found = span.solve(element).map(|bits| searched.place_of_bits(bits));
            found.or_else(|| from.place(element)).unwrap_or_default()
        };
        let part = |bases: &[u32], part: usize| {
            let places = bases.iter().enumerate();
            let places = places.map(|(bit, &basis)| match same[part] {
                true => own_place(part, bit),
                false => find(basis),
            });
            places.collect()
        };
        Correspondence {
            registers: part(&to.registers, 0),
            lanes: part(&to.lanes, 1),
            warps: part(&to.warps, 2),
            from_registers: from.registers.len(),
        }
    }

    /// Whether every warp finds what it needs in itself, and only by its own number.
    pub fn stays_in_warp(&self) -> bool {
        let rest = self.registers.iter().chain(&self.lanes);
        let own = |(bit, place): (usize, &Place)| {
            *place
                == Place {
                    warp: 1 << bit,
                    ..Place::default()
                }
        };
        rest.clone().all(|place| place.warp == 0) && self.warps.iter().enumerate().all(own)
    }

    /// Whether moreover every lane does.
    pub fn stays_in_lane(&self) -> bool {
        let own = |(bit, place): (usize, &Place)| {
            *place
                == Place {
                    lane: 1 << bit,
                    ..Place::default()
                }
        };
        self.stays_in_warp()
            && self.registers.iter().all(|place| place.lane == 0)
            && self.lanes.iter().enumerate().all(own)
    }

    /// Whether moreover every register does.
    pub fn is_identity(&self) -> bool {
        let own = |(bit, place): (usize, &Place)| place.register == 1 << bit;
        self.stays_in_lane()
            && self.registers.len() == self.from_registers
            && self.registers.iter().enumerate().all(own)
    }

    /// The register of `from` with the value for each register of `to`, where all stays in its lane.
    pub fn register_sources(&self) -> Vec<u32> {
        let source = |register: u32| {
            let set = self
                .registers
                .iter()
                .enumerate()
                .filter(|(bit, _)| register >> bit & 1 == 1);
            set.fold(0, |source, (_, place)| source ^ place.register)
        };
        (0..1 << self.registers.len()).map(source).collect()
    }
}
