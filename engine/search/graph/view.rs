//! An edge as its parent's mover sees it: what backup, the final choice and the tree policy read.

use std::sync::atomic::Ordering::Relaxed;

use playout_games::Player;

use super::{
    node::{Edge, Node, within},
    store::Store,
};

/// Visits, value and bounds of an edge for its parent's mover.
pub struct EdgeView {
    pub visits: f32,
    pub value: f32,
    pub lower: f32,
    pub upper: f32,
}

/// Reads an edge and its child for `mover`; a child that has been reclaimed left its last value on the edge.
#[inline]
pub fn view(store: &Store, mover: Player, edge: &Edge) -> EdgeView {
    view_of(mover, edge, child_of(&store.nodes, edge))
}

#[inline]
pub fn child_of<'a>(nodes: &'a [Node], edge: &Edge) -> Option<&'a Node> {
    let child = edge.leads_to();
    if child == 0 { None } else { Some(&nodes[child as usize]) }
}

#[inline]
pub fn view_of(mover: Player, edge: &Edge, child: Option<&Node>) -> EdgeView {
    let visits = edge.visits.load(Relaxed) as f32;
    let Some(child) = child else {
        return EdgeView { visits, value: edge.extra.get(), lower: -1.0, upper: 1.0 };
    };
    let (lower, upper) = (child.lower.get(), child.upper.get());
    let value = within(child.value.get(), lower, upper);
    if child.sign_for(mover) < 0.0 {
        EdgeView { visits, value: -value, lower: -upper, upper: -lower }
    } else {
        EdgeView { visits, value, lower, upper }
    }
}
