//! Which colours the notebook is drawn in, from one time to the next.

use super::{Kept, Scheme};

/// The key under which the choice is kept.
pub(crate) const SCHEME_KEY: &str = "theme";

impl Scheme {
    /// The one that was chosen last; the first if a later version has others.
    pub fn of_last_time(kept: &Kept) -> Self {
        let name = kept.value(SCHEME_KEY).map(Self::from_name);
        name.and_then(Result::ok).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::app::state::{Action, App, Begin, Effect, Msg, Opening, sample_lesson};

    #[test]
    fn the_choice_holds_in_the_next_lesson_and_outlasts_the_program() {
        let mut app = App::new(Begin::default(), Kept::default(), None);
        app.open(Arc::new(sample_lesson()), Opening::Start);
        app.update(Msg::Action(Action::EndTour));
        let effects = app.update(Msg::Action(Action::NextScheme));
        assert!(matches!(effects[..], [Effect::Keep(_)]), "{effects:?}");
        assert_eq!(app.scheme(), Scheme::Dark);
        app.open(Arc::new(sample_lesson()), Opening::Start);
        let open = app.notebook.as_ref().expect("is open");
        assert_eq!(open.look.scheme, Scheme::Dark);
        assert_eq!(Scheme::of_last_time(&app.home.kept), Scheme::Dark);
    }
}
