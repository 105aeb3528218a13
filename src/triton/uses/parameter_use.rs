//! What a parameter is used as, without where that was seen.

/// What a parameter is used as; several may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParameterUse {
    /// What it points to is loaded, stored or changed.
    pub is_pointer: bool,
    /// What is loaded from it is part of an index, or its bits are.
    pub holds_integers: bool,
    /// What is loaded from it is a factor of a matrix product.
    pub is_factor: bool,
    /// It is part of an index or a bound.
    pub is_integer: bool,
    /// Indices end at it: the bound of a mask or a loop, or the side of a tensor.
    pub is_bound: bool,
    /// A loop that is written out has as many copies.
    pub is_unrolled: bool,
    /// It is the side of a tile.
    pub is_tile_side: bool,
    /// An index is multiplied by it.
    pub is_stride: bool,
    /// A condition is it alone.
    pub is_flag: bool,
    /// It names the type of elements.
    pub is_type: bool,
}

impl ParameterUse {
    /// What either is used as.
    pub fn or(self, other: Self) -> Self {
        ParameterUse {
            is_pointer: self.is_pointer || other.is_pointer,
            holds_integers: self.holds_integers || other.holds_integers,
            is_factor: self.is_factor || other.is_factor,
            is_integer: self.is_integer || other.is_integer,
            is_bound: self.is_bound || other.is_bound,
            is_unrolled: self.is_unrolled || other.is_unrolled,
            is_tile_side: self.is_tile_side || other.is_tile_side,
            is_stride: self.is_stride || other.is_stride,
            is_flag: self.is_flag || other.is_flag,
            is_type: self.is_type || other.is_type,
        }
    }
}
