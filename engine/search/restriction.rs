//! Moves that a search keeps out of its first plies: KataGo's `avoid` and `allow`.
//!
//! Positions at restricted plies have nodes of their own. Their keys depend on the restriction and the ply, and they are
//! not merged with their images, because a restriction names points of the board as the user sees it. So they have edges
//! for permitted moves only, what is proven of them holds in the restricted game alone, and no other search meets them.
//! From the first free ply on the graph is the common one.

use std::collections::HashSet;

use playout_games::{Action, Game, Player, zobrist};

use crate::{config::Config, graph::keys::child_key};

/// Moves that a player may not play, or the only ones that he may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestrictionRule {
    pub player: Player,
    /// In the game's notation. Whatever else is legal is avoided if `only`.
    pub moves: HashSet<String>,
    pub only: bool,
    /// In force at positions fewer plies below the root. Rolls are no plies.
    pub plies: u32,
}

/// The rules of a search together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restriction {
    rules: Vec<RestrictionRule>,
    salt: u64,
}

impl Restriction {
    /// None if no rule is ever in force.
    pub fn new(mut rules: Vec<RestrictionRule>) -> Option<Restriction> {
        rules.retain(|rule| rule.plies > 0 && rule.player != Player::Chance);
        let salt = rules.iter().fold(1, |salt, rule| zobrist::key(salt, fingerprint(rule)));
        (!rules.is_empty()).then_some(Restriction { rules, salt })
    }

    /// Whether a rule is in force at positions `ply` plies below the root.
    pub fn reaches(&self, ply: u32) -> bool {
        self.rules.iter().any(|rule| ply < rule.plies)
    }

    /// Leaves those of the legal `actions` at `position`, `ply` plies below the root, that may be played there: none that
    /// a rule names and, of a player with rules that name the `only` moves, none that they do not.
    pub fn retain<G: Game>(&self, game: &G, position: &G::Position, ply: u32, actions: &mut Vec<Action>) {
        let player = game.player(position);
        let rules: Vec<&RestrictionRule> =
            self.rules.iter().filter(|rule| rule.player == player && ply < rule.plies).collect();
        let narrowed = rules.iter().any(|rule| rule.only);
        if rules.is_empty() {
            return;
        }
        actions.retain(|&action| {
            let text = game.action_text(position, action);
            let named = |only| rules.iter().any(|rule| rule.only == only && rule.moves.contains(&text));
            !named(false) && (!narrowed || named(true))
        });
    }

    fn key<G: Game>(&self, game: &G, config: &Config, position: &G::Position, parent: (u64, Action), ply: u32) -> u64 {
        let (parent, action) = parent;
        let key = if config.transpositions {
            game.frame_key(position, 0)
        } else {
            zobrist::key(parent, u64::from(action) + 1)
        };
        zobrist::key(key ^ self.salt, u64::from(ply))
    }
}

/// The same for equal rules in every process.
fn fingerprint(rule: &RestrictionRule) -> u64 {
    let texts = rule.moves.iter().map(|text| text.bytes().fold(0, |sum, byte| zobrist::key(sum, u64::from(byte))));
    let head = u64::from(rule.plies) << 2 | u64::from(rule.only) << 1 | u64::from(rule.player == Player::Second);
    zobrist::key(texts.fold(0, u64::wrapping_add), head)
}

/// `child_key` for a position `ply` plies below a root with this restriction.
pub fn key_below<G: Game>(
    (game, config, restriction): (&G, &Config, Option<&Restriction>),
    position: &G::Position,
    (parent, action): (u64, Action),
    ply: u32,
) -> (u64, u8) {
    match restriction.filter(|restriction| restriction.reaches(ply)) {
        Some(restriction) => (restriction.key(game, config, position, (parent, action), ply), 0),
        None => child_key(game, config, position, parent, action),
    }
}
