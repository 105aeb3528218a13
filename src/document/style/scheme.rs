//! The sets of colours that a reader can choose, by name.

use simulator::named;

named! {
    /// A set of colours, chosen by name. What each role's colour is, the views know. A key goes through them in order;
    /// the names are those of the command line and of `TUTOR_THEME`.
    #[derive(Default)]
    pub enum Scheme {
        /// The terminal's own ground, with tones that suit it.
        #[default]
        Auto = "auto",
        /// Light text on a dark ground.
        Dark = "dark",
        /// Dark text on a light ground.
        Light = "light",
        /// White on black, every tone far from it.
        Contrast = "contrast",
        /// Tones that people with any kind of colour vision tell apart.
        ColourBlind = "colour-blind",
    }
}

impl Scheme {
    /// The one called `name`.
    ///
    /// # Errors
    /// A line that says which names there are.
    pub fn named(name: &str) -> Result<Self, String> {
        Self::from_name(name).ok_or_else(|| {
            let names = Self::names().collect::<Vec<_>>().join(", ");
            format!("there is no theme `{name}`; there are {names}")
        })
    }

    /// The one after this.
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|&scheme| scheme == self);
        Self::ALL[at.map_or(0, |at| (at + 1) % Self::ALL.len())]
    }
}

/// The ground that a terminal draws text on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ground {
    /// The terminal does not say.
    #[default]
    Unknown,
    /// Text is lighter.
    Dark,
    /// Text is darker.
    Light,
}

impl Ground {
    /// What `COLORFGBG` says: text and ground, as numbers of the 16 colours, perhaps with something between.
    pub(super) fn from_variable(value: &str) -> Self {
        match value.rsplit(';').next().map(str::parse) {
            // 0 to 6 are the dark colours, 7 is light grey, 8 dark grey: only from 9 on all are bright.
            Some(Ok(0_u8..=6 | 8)) => Ground::Dark,
            Some(Ok(7 | 9..=15)) => Ground::Light,
            _ => Ground::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_is_found_by_its_name_and_reached_by_a_key() {
        let mut scheme = Scheme::default();
        for _ in Scheme::ALL {
            assert_eq!(Scheme::named(scheme.name()), Ok(scheme));
            scheme = scheme.next();
        }
        assert_eq!(scheme, Scheme::Auto);
        let error = Scheme::named("drak").expect_err("there is none");
        assert!(error.contains("dark, light, contrast"), "{error}");
    }
}
