//! The search as its users see it, in one program: each program compiles the search anew for each of its games.

mod common;
mod exact;
mod formulae;
mod graph;
mod hints;
mod macros;
mod meta;
mod minimax;
mod nets;
mod patterns;
mod policies;
mod proofs;
mod restriction;
mod sampled_actions;
mod threads;
