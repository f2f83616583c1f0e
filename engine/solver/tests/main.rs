//! The solvers as their users see them, in one program: each program compiles them anew for each of its games.

mod agree;
mod common;
mod random_games;
mod threads;
