use super::tests::{game, play};
use super::{ConnectFour, Position};
use crate::{Action, Game, Rng, Style, Trace};

const STYLES: [Style; 2] = [Style::Uniform, Style::Knowledge];
const SIZES: [(u32, u32); 7] = [(7, 6), (4, 4), (9, 6), (8, 7), (1, 1), (9, 1), (1, 9)];

fn legal(game: &ConnectFour, p: &Position) -> Vec<Action> {
    let mut actions = Vec::new();
    game.actions(p, &mut actions);
    actions
}

fn after(game: &ConnectFour, p: &Position, a: Action) -> Position {
    let mut next = *p;
    game.play(&mut next, a);
    next
}

/// The columns in which the player to move wins at once.
fn winning(game: &ConnectFour, p: &Position) -> Vec<Action> {
    let win = game.player(p).sign();
    legal(game, p).into_iter().filter(|&a| game.result(&after(game, p, a)) == Some(win)).collect()
}

/// The moves that playouts with knowledge may play, by the rules alone.
fn sensible(game: &ConnectFour, p: &Position) -> Vec<Action> {
    let wins = winning(game, p);
    if !wins.is_empty() {
        return wins;
    }
    let mut passed = *p;
    game.set_player(&mut passed, game.player(p).other());
    let blocks = winning(game, &passed);
    if !blocks.is_empty() {
        return blocks;
    }
    let (all, mut safe) = (legal(game, p), legal(game, p));
    safe.retain(|&a| winning(game, &after(game, p, a)).is_empty());
    if safe.is_empty() { all } else { safe }
}

fn preferences(game: &ConnectFour, p: &Position) -> Vec<f32> {
    let mut out = vec![7.0];
    assert!(game.preferences(p, &legal(game, p), &mut out));
    assert!(out.len() == legal(game, p).len() && out.iter().all(|x| x.is_finite()));
    out
}

fn favourite(game: &ConnectFour, p: &Position) -> String {
    let preferences = preferences(game, p);
    let best = (0..preferences.len()).max_by(|&a, &b| preferences[a].total_cmp(&preferences[b])).unwrap();
    game.action_text(p, legal(game, p)[best])
}

#[test]
fn traces_replay_to_their_results_and_knowledge_plays_what_is_sensible() {
    let mut rng = Rng::with_seed(1);
    let mut buffer = Vec::new();
    for (columns, rows) in SIZES {
        let game = game(columns, rows);
        for style in STYLES {
            for _ in 0..50 {
                let (mut p, mut trace) = (game.initial(), Trace::new());
                let result = game.playout(&mut p.clone(), style, &mut rng, Some(&mut trace));
                for played in trace {
                    let single = game.playout_action(&p, style, &mut rng, &mut buffer);
                    let choices = if style == Style::Knowledge { sensible(&game, &p) } else { legal(&game, &p) };
                    assert!(choices.contains(&played.action) && choices.contains(&single));
                    assert_eq!(played.second, p.second);
                    game.play(&mut p, played.action);
                }
                assert_eq!(game.result(&p), Some(result));
            }
        }
    }
}

#[test]
fn every_choice_is_equally_likely() {
    let (game, mut rng, mut buffer) = (game(7, 6), Rng::with_seed(2), Vec::new());
    let full = play(&game, "aaaaaagbbcd");
    for (p, style) in [(full, Style::Uniform), (full, Style::Knowledge), (game.initial(), Style::Knowledge)] {
        let choices = if style == Style::Knowledge { sensible(&game, &p) } else { legal(&game, &p) };
        let mut counts = [0_u32; 7];
        for _ in 0..7000 {
            counts[game.playout_action(&p, style, &mut rng, &mut buffer) as usize] += 1;
        }
        let expected = 7000 / choices.len() as u32;
        for &a in &choices {
            assert!(counts[a as usize].abs_diff(expected) < 200, "{counts:?}");
        }
    }
}

#[test]
fn a_seed_gives_one_playout() {
    let game = game(7, 6);
    for style in STYLES {
        let run = |trace: Option<&mut Trace>| {
            let mut rng = Rng::with_seed(5);
            (game.playout(&mut game.initial(), style, &mut rng, trace), rng.u64(..))
        };
        let (mut one, mut two) = (Trace::new(), Trace::new());
        assert_eq!(run(Some(&mut one)), run(Some(&mut two)));
        assert_eq!(one, two);
        assert_eq!(run(None), run(Some(&mut two)));
    }
}

#[test]
fn judgement_is_the_same_in_the_mirror() {
    let mut rng = Rng::with_seed(3);
    for (columns, rows) in SIZES {
        let game = game(columns, rows);
        for _ in 0..30 {
            let (mut p, mut mirrored) = (game.initial(), game.initial());
            while game.result(&p).is_none() {
                let mut other = preferences(&game, &mirrored);
                other.reverse();
                assert_eq!(preferences(&game, &p), other);
                let value = game.evaluate(&mut p).unwrap();
                assert!((-1.0..=1.0).contains(&value));
                assert_eq!(Some(value), game.evaluate(&mut mirrored));
                let actions = legal(&game, &p);
                let a = actions[rng.usize(..actions.len())];
                game.play(&mut p, a);
                game.play(&mut mirrored, game.to_frame(1, a));
            }
        }
    }
}

#[test]
fn wins_come_before_blocks_before_forks_and_the_centre_opens() {
    let game = game(7, 6);
    assert_eq!(favourite(&game, &game.initial()), "d");
    for columns in ["ababab", "ababa", "gabacac", "gcgdga", "gcgdgaa", "aabbcc", "aabbc"] {
        let p = play(&game, columns);
        let favourite = game.parse_action(&p, &favourite(&game, &p)).unwrap();
        assert!(sensible(&game, &p).contains(&favourite), "{columns}");
    }
    // X threatens to have three in the bottom row with both ends open.
    let p = play(&game, "cgd");
    assert!(["b", "e"].contains(&favourite(&game, &p).as_str()), "{:?}", preferences(&game, &p));
}

#[test]
fn immediate_wins_and_double_threats_decide() {
    let game = game(7, 6);
    assert!(game.evaluate(&mut play(&game, "ababab")).unwrap() > 0.98);
    // X has b to f but for the ends in the bottom row: O cannot stop both.
    assert!(game.evaluate(&mut play(&game, "cgdge")).unwrap() < -0.98);
    assert!(game.evaluate(&mut game.initial()).unwrap() > 0.0);
}
