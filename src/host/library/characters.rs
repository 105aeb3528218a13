//! `<ctype.h>`, in the C locale.

use crate::host::machine::Table;

macro_rules! tests {
    ($($name:literal $test:expr),* $(,)?) => {
        pub const TABLE: Table = &[
            $(($name, |_, call| {
                let test: fn(u8) -> bool = $test;
                Ok(u64::from(u8::try_from(call.i32(0)).is_ok_and(test)))
            }),)*
            ("toupper", |_, call| {
                let byte = u8::try_from(call.i32(0)).ok();
                Ok(byte.map_or(call.u64(0), |byte| u64::from(byte.to_ascii_uppercase())))
            }),
            ("tolower", |_, call| {
                let byte = u8::try_from(call.i32(0)).ok();
                Ok(byte.map_or(call.u64(0), |byte| u64::from(byte.to_ascii_lowercase())))
            }),
        ];
    };
}

tests! {
    "isalpha" |byte| byte.is_ascii_alphabetic(),
    "isdigit" |byte| byte.is_ascii_digit(),
    "isalnum" |byte| byte.is_ascii_alphanumeric(),
    // The vertical tab is a blank in C, and none in Rust.
    "isspace" |byte| byte.is_ascii_whitespace() || byte == 11,
    "isupper" |byte| byte.is_ascii_uppercase(),
    "islower" |byte| byte.is_ascii_lowercase(),
    "isxdigit" |byte| byte.is_ascii_hexdigit(),
    "ispunct" |byte| byte.is_ascii_punctuation(),
    "isprint" |byte| byte.is_ascii_graphic() || byte == b' ',
    "isgraph" |byte| byte.is_ascii_graphic(),
    "iscntrl" |byte| byte.is_ascii_control(),
    "isblank" |byte| byte == b' ' || byte == b'\t',
}
