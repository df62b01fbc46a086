//! Systems: what a result tells of systems, of the lanes between them and of their points.

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

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaneFacts {
    pub to: String,
    /// The length, in the units of the positions.
    pub length: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointFacts {
    /// Its id, where it is told beside the name.
    pub id: Option<String>,
    pub name: String,
    /// What it is, such as `asteroid_belt`.
    pub kind: Option<String>,
    pub base: Option<String>,
    pub has_base: bool,
}
