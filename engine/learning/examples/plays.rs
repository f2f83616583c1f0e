//! Answers each line "ID dice" by the ID after the play that the net likes best, or of the list of all with values.
use playout_games::backgammon::Backgammon;
use playout_games::*;
use playout_learning::*;
use std::io::{BufRead, Write};

fn main() {
    let mut game = Backgammon::new(&Params::default()).unwrap();
    game.set_tables(Some(&TablePaths { paths: vec!["books/data/backgammon.bearoff".into()], most_pieces: 0 })).unwrap();
    let shape = game.net_shape().unwrap();
    let nets = playout_nets::file::load(std::path::Path::new(&std::env::args().nth(1).unwrap()), "backgammon", &shape)
        .unwrap();
    let mut judge = self_play::Judge::new(&game, &nets, &shape);
    let (mut found, mut text) = (Vec::new(), String::new());
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        if line.is_empty() {
            out.flush().unwrap();
            continue;
        }
        let (id, dice) = line.split_once(' ').unwrap();
        let p = game.parse_position(&format!("{id} 0 {dice}")).unwrap();
        judge.values(&p, &mut found);
        let mut q = p;
        game.play(&mut q, self_play::best(&found));
        if game.result(&q).is_some() {
            writeln!(out, "over").unwrap();
            continue;
        }
        game.play(&mut q, 21);
        text.clear();
        game.book_text(&q, 0, &mut text);
        writeln!(out, "{}", text.split(' ').next().unwrap()).unwrap();
    }
}
