//! Enumerations whose values have names: one list says which there are, so that none can be forgotten in another.

/// An enum with `ALL` of its variants, the `name` of each, all `names`, and the one `from_name`.
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* pub enum $Kind:ident { $($(#[$doc:meta])* $Variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $Kind {
            $($(#[$doc])* $Variant,)*
        }

        impl $Kind {
            /// Every one, in order.
            pub const ALL: &[$Kind] = &[$($Kind::$Variant),*];

            /// What users and lessons call it.
            pub fn name(self) -> &'static str {
                match self {
                    $($Kind::$Variant => $name,)*
                }
            }

            /// All names, for messages.
            pub fn names() -> impl Iterator<Item = &'static str> {
                Self::ALL.iter().map(|kind| kind.name())
            }

            /// The one called `name`.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.name() == name)
            }
        }
    };
}
