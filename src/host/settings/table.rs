//! The table of a section's keys. Reading, defaults, the template of `zoea init`, "did you mean"
//! and the overrides by environment variables are all generated from it.

use toml::de::DeTable;

use super::environment::Environment;
use super::findings::Findings;
use super::section::Section;

pub(super) trait ReadSection {
    /// Reads the section. `providers` are the names that keys may refer to.
    fn read_section(section: &mut Section<'_, '_>, providers: &[String]) -> Self;
}

/// The settings of an empty section.
pub(super) fn read_default<T: ReadSection>() -> T {
    let environment = Environment::default();
    let mut findings = Findings::new(&environment);
    T::read_section(&mut Section::root(&DeTable::new(), &mut findings), &[])
}

/// Reads the keys of a section, each into a variable of its name. A line of the table is
///
/// ```text
/// /// Its help in the template.
/// MODE NAME = SAMPLE [if CONDITION], RULE [=> "VARIABLE"];
/// ```
///
/// The modes are: `default`, the sample is the default; `optional`, the sample is an example and
/// the value an `Option`; `required`, like `optional`, but absence is a mistake, possibly under a
/// condition; `table`, the value is a table, which a function instead of a rule reads.
macro_rules! read_keys {
    (@default $section:expr, $key:expr, $rule:expr) => { $section.read_default($key, &$rule) };
    (@optional $section:expr, $key:expr, $rule:expr) => { $section.read_optional($key, &$rule) };
    (@required $section:expr, $key:expr, $rule:expr $(, $condition:expr)?) => {
        $section.read_required(true $(&& $condition)?, $key, &$rule)
    };
    (@table $section:expr, $key:expr, $read:expr) => { $section.read_table($key, $read) };
    ($section:expr; $(
        $(#[doc = $help:literal])*
        $mode:ident $key:ident = $sample:tt $(if $condition:expr)?, $rule:expr
        $(=> $variable:literal)?;
    )*) => { $(
        let $key = {
            let key = $crate::key::Key {
                name: stringify!($key),
                help: &[$($help),*],
                sample: stringify!($sample),
                variable: [$(Some($variable),)? None][0],
            };
            $crate::table::read_keys!(@$mode $section, key, $rule $(, $condition)?)
        };
    )* };
}

/// Defines the settings of a section by a table as [`read_keys`] reads it, in which each key also
/// has a type. The help of a key is its documentation. A text at the end of the line documents a
/// key without help. `also` adds fields that are not keys. `check` names a function that checks
/// whether the keys fit together.
macro_rules! section {
    (
        $(#[doc = $about:literal])*
        pub struct $Name:ident { $(
            $(#[doc = $help:literal])*
            $mode:ident $key:ident: $Type:ty = $sample:tt, $rule:expr
            $(=> $variable:literal)? $(, $doc:literal)?;
        )* }
        $(also { $($(#[doc = $more:literal])* $field:ident: $Field:ty = $value:expr;)* })?
        $(check $check:path)?
    ) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $Name {
            $($(#[doc = $help])* $(#[doc = $doc])? pub $key: $Type,)*
            $($($(#[doc = $more])* pub $field: $Field,)*)?
        }

        impl $crate::table::ReadSection for $Name {
            fn read_section(
                section: &mut $crate::section::Section<'_, '_>,
                _: &[String],
            ) -> Self {
                $crate::table::read_keys! { section;
                    $($(#[doc = $help])* $mode $key = $sample, $rule $(=> $variable)?;)*
                }
                let settings = Self { $($key,)* $($($field: $value,)*)? };
                $($check(&settings, section);)?
                settings
            }
        }

        impl Default for $Name {
            fn default() -> Self {
                $crate::table::read_default()
            }
        }
    };
}

pub(super) use {read_keys, section};
