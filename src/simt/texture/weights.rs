//! What each of the texels around a place weighs, in 256ths that add up to 256.

/// Half a step is rounded up.
fn up(product: u32) -> u32 {
    (product + 128) / 256
}

/// Half a step is rounded down.
fn down(product: u32) -> u32 {
    (product + 127) / 256
}

/// Of the texels (x, y) = (0, 0), (1, 0), (0, 1) and (1, 1).
pub fn of_square([x, y]: [u32; 2]) -> [u32; 4] {
    let both = up(x * y);
    // In this order, since a difference may be below zero only between.
    [256 + both - x - y, x - both, y - both, both]
}

/// Of eight texels: bit 0 of their index is x, bit 1 y, bit 2 z. First x and z share, then each share goes to both
/// in y. Where x and z share half a step, some weights of an H200 are one more or less.
pub fn of_cube([x, y, z]: [u32; 3]) -> [u32; 8] {
    let shares = of_square([x, z]);
    let mut weights = [0; 8];
    for (at, &share) in shares.iter().enumerate() {
        let (right, behind) = (at & 1, at >> 1);
        let above = match right {
            1 => up(share * y),
            _ => down(share * y),
        };
        weights[right + 4 * behind] = share - above;
        weights[right + 2 + 4 * behind] = above;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_to_one_and_are_those_of_an_h200() {
        for x in 0..256 {
            for y in 0..256 {
                assert_eq!(of_square([x, y]).iter().sum::<u32>(), 256);
                assert_eq!(of_cube([x, y, (x * 7 + y) % 256]).iter().sum::<u32>(), 256);
            }
        }
        // Where halves are rounded up: 32 × 148 / 256 is 18.5.
        assert_eq!(of_square([32, 148])[1..], [13, 129, 19]);
        assert_eq!(of_cube([8, 8, 8])[0], 233);
        assert_eq!(of_cube([155, 145, 1])[7], 1);
        assert_eq!(of_cube([218, 166, 87])[2], 16);
    }
}
