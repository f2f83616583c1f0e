//! The choice of the method that solves a game.

use std::{any::Any, sync::atomic::AtomicBool, thread};

use playout_games::{Game, Player, connect_four::ConnectFour, go::Go, hex::Hex};
use playout_search::Control;

use crate::{
    alpha_beta::{self, AlphaBeta},
    connect_four,
    expectimax::Expectimax,
    hex,
    memory::Memory,
    proof_number::{self, Prover},
    proof_table::ProofTable,
    request::{Method, Request},
    solution::{Refusal, Solution},
    table::BoundTable,
    watch::{Progress, Watch},
};

/// Bytes of stack for the thread that searches: lines may be `alpha_beta::LONGEST` plies long.
const STACK: usize = 256 << 20;

/// Solves `position`. Blocks, on a thread of its own with a large stack. `memory` goes from one position of a game to
/// the next and saves work there.
///
/// # Errors
///
/// A `Refusal` if no exact value is defined, or the method cannot find it.
pub fn solve<G: Game>(
    game: &G,
    position: &G::Position,
    request: Request,
    control: &Control,
    progress: &Progress,
    memory: &mut Memory,
) -> Result<Solution, Refusal> {
    if let Some(result) = game.result(position) {
        let value = game.player(position).sign() * result;
        return Ok(Solution { lower: value, upper: value, plies: Some(0), ..Solution::unknown("rules") });
    }
    thread::scope(|scope| {
        let work = || game.simulation(|| dispatch(game, position, request, control, progress, memory));
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.expect("a thread can be started").join().expect("a solver does not panic")
    })
}

fn dispatch<G: Game>(
    game: &G,
    position: &G::Position,
    request: Request,
    control: &Control,
    progress: &Progress,
    memory: &mut Memory,
) -> Result<Solution, Refusal> {
    let Request { method, all_moves, hash_bytes, .. } = request;
    let halt = AtomicBool::new(false);
    let watch = || Watch::new(control, progress, &halt);
    let any: (&dyn Any, &dyn Any) = (game, position);
    if method == Method::Auto
        && let Some(game) = any.0.downcast_ref::<ConnectFour>()
        && let Some(position) = any.1.downcast_ref()
    {
        return Ok(connect_four::solve(game, position, request, (control, progress), &mut memory.scores));
    }
    // On larger boards of Go equal keys do not mean equal futures.
    let trusted = any.0.downcast_ref::<Go>().is_none_or(Go::key_holds_history);
    let as_hex = any.0.downcast_ref::<Hex>();
    if method == Method::ProofNumber || method == Method::Auto && as_hex.is_some() {
        if !trusted {
            return Err(Refusal::History);
        }
        if let Some(game) = as_hex
            && let Some(position) = any.1.downcast_ref()
        {
            return Ok(hex::solve(game, position, request, watch(), memory));
        }
        let table = memory.table(hash_bytes, ProofTable::new);
        return proof_number::solve(&mut Prover::new(game, table, watch()), position, all_moves);
    }
    if game.player(position) != Player::Chance {
        let table = trusted.then(|| memory.table(hash_bytes, BoundTable::new));
        let solved = alpha_beta::solve(&mut AlphaBeta::new(game, table, watch()), position, all_moves);
        if !matches!(solved, Err(Refusal::Chance)) {
            return solved;
        }
    }
    let table = trusted.then(|| &mut memory.table(hash_bytes, MeanTable::new).0);
    Expectimax::new(game, table, watch()).solve(position, all_moves)
}

/// The table of expectimax, whose scores mean something else than those of alpha-beta.
struct MeanTable(BoundTable);

impl MeanTable {
    fn new(bytes: usize) -> MeanTable {
        MeanTable(BoundTable::new(bytes))
    }
}
