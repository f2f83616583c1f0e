//! Threads search while others read: every tree policy, in one graph and in several, with reports that come as fast as they
//! can while memory is short, and a stop from outside. `nox -s sanitize` runs these tests with instruments.

use std::{
    sync::{
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc,
    },
    thread,
    time::Duration,
};

use playout_games::{
    Action, Game, Player, backgammon::Backgammon, connect_four::ConnectFour, go::Go, hex::Hex, tic_tac_toe::TicTacToe,
};
use playout_search::{
    Config, Control, Guide, Hint, Limits, Parallelism, Playouts, PolicyKind, Reason, Search, SearchReport, SharedVisits,
};

use crate::common::{
    game,
    script::{Script, Tree},
};

fn connect_four() -> ConnectFour {
    game(ConnectFour::new, &[])
}

/// Checks a report that was made while other threads were searching.
fn check<G: Game>(game: &G, start: &G::Position, report: &SearchReport) {
    assert!((-1.0..=1.0).contains(&report.value) && (0.0..=1.0).contains(&report.fill), "{report:?}");
    for found in &report.moves {
        assert!((-1.0..=1.0).contains(&found.value) && found.lower <= found.upper, "{found:?}");
        let mut position = start.clone();
        for text in &found.line {
            let action = game.parse_action(&position, text).expect("a legal move");
            game.play(&mut position, action);
        }
    }
}

/// Searches with a report at every look at the clock, and returns their number: none if others are done before the first.
fn search_and_report<G: Game>(search: &mut Search<G>, nodes: u64) -> u32 {
    let limits = Limits { nodes: Some(nodes), past_proof: true, ..Limits::default() };
    let mut reports = 0;
    let outcome = search.run(limits, &Control::default(), Duration::ZERO, 3, &mut |game, position, report| {
        check(game, position, &report);
        reports += 1;
    });
    assert_eq!((outcome.reason, outcome.report.simulations), (Reason::Nodes, nodes));
    check(search.game(), search.position(), &outcome.report);
    reports
}

/// The policies that run simulations, each with other parameters.
fn configs() -> impl Iterator<Item = Config> {
    let kinds = PolicyKind::ALL.iter().map(|&(_, kind)| kind).filter(|&kind| kind != PolicyKind::Minimax);
    kinds.enumerate().flat_map(|(number, tree_policy)| {
        [Parallelism::Tree, Parallelism::Root].map(|parallelism| Config {
            tree_policy,
            parallelism,
            threads: 3,
            seed: number as u64,
            hash_mib: if parallelism == Parallelism::Tree { 1 } else { 3 },
            virtual_loss: [1, 0, 3][number % 3],
            widening: if number % 4 == 1 { 2.0 } else { 0.0 },
            grave_visits: if tree_policy == PolicyKind::Rave { 20 } else { 0 },
            shared_visits: if number % 2 == 0 { SharedVisits::Descend } else { SharedVisits::Count },
            transpositions: number % 5 != 3,
            progressive_bias: if number % 3 == 2 { 1.0 } else { 0.0 },
            last_good_reply: number % 3 == 0,
            ..Config::default()
        })
    })
}

#[test]
fn every_policy_reports_while_it_searches_and_makes_room() {
    let (mut reclaims, mut reports) = (0, 0);
    for config in configs() {
        let mut search = Search::new(connect_four(), config);
        reports += search_and_report(&mut search, 15_000);
        reclaims += search.upkeep().reclaims;
        search.vary(1);
        search_and_report(&mut search, 1_000);
    }
    assert!(reclaims > 10 && reports > 10, "{reclaims} times room, {reports} reports");
}

#[test]
fn games_of_all_kinds_report_while_they_are_searched() {
    for config in configs() {
        search_and_report(&mut Search::new(TicTacToe, config.clone()), 2_000);
        search_and_report(&mut Search::new(game(Go::new, &[("size", "5")]), config.clone()), 400);
        search_and_report(&mut Search::new(game(Hex::new, &[("size", "5")]), config.clone()), 800);
        if config.tree_policy != PolicyKind::Rave {
            search_and_report(&mut Search::new(game(Backgammon::new, &[]), config), 200);
        }
    }
}

#[test]
fn threads_follow_the_guide_and_their_good_replies() {
    for (seed, playout_policy) in [Playouts::Uniform, Playouts::Knowledge, Playouts::Boltzmann].into_iter().enumerate()
    {
        let game = connect_four();
        let mut guide = Guide::default();
        for (action, banned) in [(3, false), (0, true)] {
            guide.add(&game, &game.initial(), Hint { action, weight: 1.0, visits: 20, value: 0.2, banned });
        }
        let config = Config {
            threads: 3,
            seed: seed as u64,
            hash_mib: 4,
            playout_policy,
            last_good_reply: true,
            ..Config::default()
        };
        let mut search = Search::new(game, config);
        search.set_guide(guide);
        search_and_report(&mut search, 3_000);
        search.restrict(&[2, 4]);
        search_and_report(&mut search, 1_000);
    }
}

#[test]
fn a_search_is_given_more_time_and_then_stopped_by_another_thread() {
    for config in configs() {
        let control = Control::default();
        let (sender, receiver) = mpsc::channel();
        let mut search = Search::new(connect_four(), config);
        let outcome = thread::scope(|scope| {
            scope.spawn(|| {
                let mut reports = receiver.into_iter();
                for _ in 0..5 {
                    reports.next().expect("the search goes on");
                    control.set_deadline(None, Some(Duration::from_secs(600)));
                }
                control.stop();
            });
            search.run(Limits::default(), &control, Duration::ZERO, 1, &mut |game, position, report| {
                check(game, position, &report);
                // The last ones have no reader.
                let _ = sender.send(());
            })
        });
        assert_eq!(outcome.reason, Reason::Stop);
    }
}

/// A game whose first look for moves takes its time, as that of a thread does that the system has suspended.
struct SlowStart(Script, AtomicBool);

impl Game for SlowStart {
    type Position = usize;

    fn initial(&self) -> usize {
        self.0.initial()
    }

    fn player(&self, p: &usize) -> Player {
        self.0.player(p)
    }

    fn result(&self, p: &usize) -> Option<f32> {
        self.0.result(p)
    }

    fn actions(&self, p: &usize, out: &mut Vec<Action>) {
        self.0.actions(p, out);
    }

    fn play(&self, p: &mut usize, a: Action) {
        self.0.play(p, a);
    }

    fn frame_key(&self, p: &usize, frame: u8) -> u64 {
        self.0.frame_key(p, frame)
    }

    fn preferences(&self, p: &usize, actions: &[Action], out: &mut Vec<f32>) -> bool {
        if !self.1.swap(true, Relaxed) {
            thread::sleep(Duration::from_millis(100));
        }
        self.0.preferences(p, actions, out)
    }

    fn action_text(&self, p: &usize, a: Action) -> String {
        self.0.action_text(p, a)
    }

    fn parse_position(&self, text: &str) -> Result<usize, String> {
        self.0.parse_position(text)
    }
}

#[test]
fn no_thread_spends_the_simulations_while_another_gives_the_root_its_moves() {
    let moves = || [-1.0, 0.0, 1.0].map(Tree::End);
    let replies = || Tree::turn(Player::Second, 0.0, moves());
    let tree = || Tree::turn(Player::First, 0.0, [replies(), replies(), replies()]);
    for parallelism in [Parallelism::Tree, Parallelism::Root] {
        let config =
            Config { threads: 3, parallelism, hash_mib: 3, tree_policy: PolicyKind::Puct, ..Config::default() };
        let mut search = Search::new(SlowStart(Script::new(tree()), AtomicBool::new(false)), config);
        let limits = Limits { nodes: Some(2_000), past_proof: true, ..Limits::default() };
        let outcome = search.run(limits, &Control::default(), Duration::ZERO, 3, &mut |_, _, _| {});
        let visits: u32 = outcome.report.moves.iter().map(|found| found.visits).sum();
        assert!(visits > 1_900, "{parallelism:?}: {visits} of 2,000 simulations went down a move");
    }
}
