//! Systems: what a result tells of systems, of the lanes between them and of their points.

/// What a result tells of one system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemFacts {
    pub id: String,
    pub name: Option<String>,
    /// Where it is in the galaxy.
    pub position: Option<(f64, f64)>,
    /// Its lanes. They are all of its lanes if [`SystemFacts::is_whole`].
    pub lanes: Vec<LaneFacts>,
    /// Whether the result tells all its lanes.
    pub is_whole: bool,
    /// Its points of interest; `None` if the result does not list them.
    pub points: Option<Vec<PointFacts>>,
}

/// A lane to another system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaneFacts {
    /// The id of the other system.
    pub to: String,
    /// The length, in the units of the positions.
    pub length: Option<f64>,
}

/// A point of interest of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointFacts {
    /// Its id, where it is told beside the name.
    pub id: Option<String>,
    pub name: String,
    /// What it is, such as `asteroid_belt`.
    pub kind: Option<String>,
    /// The id of the base there, where it is told.
    pub base: Option<String>,
    /// Whether a base is there.
    pub has_base: bool,
}
