//! The texture unit: texels as values, coordinates to texels and weights, and the instructions that ask for them.
//!
//! What NVIDIA documents (CUDA C++ Programming Guide, "Texture Fetching") leaves open, an H200 has shown: weights have
//! eight bits behind the point, those of two directions are rounded so that all add up to one, and 8- and 16-bit
//! integers are weighed as integers.

mod texel;
mod coordinate;
mod weights;
mod sample;
mod instruction;
