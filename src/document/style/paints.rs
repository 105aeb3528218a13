//! The colours of each scheme, in three depths. Tests hold their contrast to the ground they stand on.

use ratatui::style::Color;

use super::scheme::{Ground, Scheme};

/// One colour: 24 bits, one of xterm's 256, one of the terminal's own 16.
pub(crate) type Paint = (u32, u8, Color);

/// What a scheme is painted with.
#[derive(Debug)]
pub(crate) struct Paints {
    /// Ground and text; the terminal's own if none.
    pub sheet: Option<(Paint, Paint)>,
    pub blue: Paint,
    pub cyan: Paint,
    pub green: Paint,
    pub amber: Paint,
    pub red: Paint,
    pub violet: Paint,
    pub grey: Paint,
}

/// Middle tones, legible on any ground, for terminals that do not say what theirs is.
static ANY: Paints = Paints {
    sheet: None,
    blue: (0x4a_8f_d4, 68, Color::LightBlue),
    cyan: (0x2a_9d_a5, 31, Color::Cyan),
    green: (0x4c_a0_5a, 65, Color::Green),
    amber: (0xc0_85_1e, 136, Color::Yellow),
    red: (0xd9_54_5c, 167, Color::Red),
    violet: (0x9a_76_d1, 104, Color::Magenta),
    grey: (0x80_88_92, 102, Color::DarkGray),
};

const ON_DARK: Paints = Paints {
    sheet: None,
    blue: (0x7c_b8_ff, 111, Color::LightBlue),
    cyan: (0x56_c8_d0, 80, Color::LightCyan),
    green: (0x7f_d0_8a, 114, Color::LightGreen),
    amber: (0xf0_b4_56, 215, Color::LightYellow),
    red: (0xff_90_96, 210, Color::LightRed),
    violet: (0xc9_a8_ff, 183, Color::LightMagenta),
    grey: (0xa8_b0_bc, 145, Color::Gray),
};

// Yellow and bright tones of the 16 cannot be read on white: amber is magenta, violet is blue.
const ON_LIGHT: Paints = Paints {
    sheet: None,
    blue: (0x1a_56_b0, 25, Color::Blue),
    cyan: (0x0a_64_70, 23, Color::Blue),
    green: (0x1d_6b_2c, 22, Color::Green),
    amber: (0x8a_4b_00, 94, Color::Magenta),
    red: (0xb3_20_2a, 124, Color::Red),
    violet: (0x6a_3f_b0, 61, Color::Blue),
    grey: (0x57_5e_68, 59, Color::DarkGray),
};

static TERMINAL_DARK: Paints = ON_DARK;
static TERMINAL_LIGHT: Paints = ON_LIGHT;

static DARK: Paints = Paints {
    sheet: Some((
        (0x16_18_1d, 234, Color::Black),
        (0xe4_e7_ec, 254, Color::White),
    )),
    ..ON_DARK
};

static LIGHT: Paints = Paints {
    sheet: Some((
        (0xfb_fb_f9, 231, Color::White),
        (0x1c_1f_24, 234, Color::Black),
    )),
    ..ON_LIGHT
};

static CONTRAST: Paints = Paints {
    sheet: Some((
        (0x00_00_00, 16, Color::Black),
        (0xff_ff_ff, 231, Color::White),
    )),
    blue: (0x8e_cb_ff, 117, Color::LightCyan),
    cyan: (0x66_f0_ff, 87, Color::LightCyan),
    green: (0x7d_ff_8c, 120, Color::LightGreen),
    amber: (0xff_d8_4d, 221, Color::LightYellow),
    red: (0xff_9a_94, 210, Color::LightRed),
    violet: (0xe0_b8_ff, 183, Color::LightMagenta),
    grey: (0xcf_d4_da, 188, Color::Gray),
};

// After Okabe and Ito (<https://jfly.uni-koeln.de/color>), lightened where their tone is too dark for this
// ground: right is a bluish green and wrong an orange, and neither is told by hue alone.
static COLOUR_BLIND: Paints = Paints {
    sheet: Some((
        (0x16_18_1d, 234, Color::Black),
        (0xe4_e7_ec, 254, Color::White),
    )),
    blue: (0x56_b4_e9, 74, Color::LightBlue),
    cyan: (0x7f_d4_c1, 115, Color::LightCyan),
    green: (0x2b_c0_9a, 36, Color::Cyan),
    amber: (0xf0_e4_42, 221, Color::LightYellow),
    red: (0xff_8c_42, 209, Color::LightRed),
    violet: (0xe3_9a_c5, 176, Color::LightMagenta),
    grey: (0xa8_b0_bc, 145, Color::Gray),
};

/// The colours of `scheme` in a terminal with this ground.
pub(crate) fn paints(scheme: Scheme, ground: Ground) -> &'static Paints {
    match (scheme, ground) {
        (Scheme::Auto, Ground::Unknown) => &ANY,
        (Scheme::Auto, Ground::Dark) => &TERMINAL_DARK,
        (Scheme::Auto, Ground::Light) => &TERMINAL_LIGHT,
        (Scheme::Dark, _) => &DARK,
        (Scheme::Light, _) => &LIGHT,
        (Scheme::Contrast, _) => &CONTRAST,
        (Scheme::ColourBlind, _) => &COLOUR_BLIND,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Grounds that people have: black, and those of widespread themes.
    const DARK_GROUNDS: [u32; 5] = [0x00_00_00, 0x1e_1e_1e, 0x28_2c_34, 0x00_2b_36, 0x2e_34_40];
    const LIGHT_GROUNDS: [u32; 4] = [0xff_ff_ff, 0xfd_f6_e3, 0xef_f1_f5, 0xf0_f0_f0];

    /// Relative luminance (<https://www.w3.org/TR/WCAG22/#dfn-relative-luminance>).
    fn luminance(rgb: u32) -> f64 {
        let channel = |shift: u32| {
            let value = f64::from(rgb >> shift & 0xff) / 255.0;
            if value <= 0.040_45 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
    }

    fn contrast(a: u32, b: u32) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// What xterm paints for one of its 256 colours, those of the terminal's own 16 left out.
    fn xterm(index: u8) -> u32 {
        const LEVELS: [u32; 6] = [0, 95, 135, 175, 215, 255];
        let level = |divisor: u8| LEVELS[usize::from((index - 16) / divisor % 6)];
        match index {
            0..16 => panic!("{index} is the terminal's own"),
            16..232 => level(36) << 16 | level(6) << 8 | level(1),
            232.. => (8 + 10 * u32::from(index - 232)) * 0x01_01_01,
        }
    }

    fn tones(paints: &Paints) -> [Paint; 7] {
        let Paints {
            blue, cyan, green, ..
        } = *paints;
        let Paints {
            amber,
            red,
            violet,
            grey,
            ..
        } = *paints;
        [blue, cyan, green, amber, red, violet, grey]
    }

    /// Fails if a tone of `paints` has less contrast than `least` to one of the grounds.
    fn assert_legible(paints: &Paints, grounds: &[u32], least: f64) {
        for tone in tones(paints) {
            for &ground in grounds {
                for rgb in [tone.0, xterm(tone.1)] {
                    let ratio = contrast(rgb, ground);
                    assert!(ratio >= least, "{rgb:06x} on {ground:06x}: {ratio:.2}");
                }
            }
        }
    }

    #[test]
    fn contrast_is_that_of_the_web_guidelines() {
        assert!((contrast(0, 0xff_ff_ff) - 21.0).abs() < 1e-9);
        assert!((contrast(0x76_76_76, 0xff_ff_ff) - 4.54).abs() < 0.01);
        assert_eq!(xterm(111), 0x87_af_ff);
    }

    #[test]
    fn text_can_be_read_on_the_ground_that_the_terminal_says_it_has() {
        assert_legible(paints(Scheme::Auto, Ground::Dark), &DARK_GROUNDS, 4.5);
        assert_legible(paints(Scheme::Auto, Ground::Light), &LIGHT_GROUNDS, 4.5);
    }

    #[test]
    fn where_the_ground_is_not_known_text_can_be_made_out_on_any() {
        let any = paints(Scheme::Auto, Ground::Unknown);
        assert_legible(any, &[0x00_00_00, 0xff_ff_ff], 3.0);
    }

    #[test]
    fn schemes_with_a_ground_of_their_own_keep_their_distance_to_it() {
        for (scheme, least) in [
            (Scheme::Dark, 4.5),
            (Scheme::Light, 4.5),
            (Scheme::ColourBlind, 4.5),
            (Scheme::Contrast, 7.0),
        ] {
            let paints = paints(scheme, Ground::Unknown);
            let (ground, ink) = paints.sheet.expect("has a ground");
            assert_legible(paints, &[ground.0, xterm(ground.1)], least);
            assert!(contrast(ground.0, ink.0) >= 7.0);
            assert!(contrast(xterm(ground.1), xterm(ink.1)) >= 7.0);
        }
    }
}
