use playout_games::{Game, Params, hex::Hex};
use playout_search::Control;
use playout_solver::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let params = Params([("size".to_owned(), args[1].clone())].into());
    let game = Hex::new(&params).unwrap();
    let size = game.size();
    let mut total = 0.0;
    let list: Vec<String> = if args.len() > 2 {
        args[2..].to_vec()
    } else {
        (0..(size * size).div_ceil(2)).map(|a| game.action_text(&game.initial(), a)).collect()
    };
    for name in list {
        let mut p = game.initial();
        let action = game.parse_action(&p, &name).unwrap();
        game.play(&mut p, action);
        let (control, progress) = (Control::default(), Progress::default());
        let start = cpu();
        let request =
            Request { method: Method::Auto, all_moves: false, lengths: false, hash_bytes: 256 << 20, threads: 1 };
        let found = solve(&game, &p, request, &control, &progress, &mut Memory::default()).unwrap();
        let spent = cpu() - start;
        total += spent;
        println!(
            "{name} {} {:.3} s, {} nodes",
            if found.lower > 0.0 { "w" } else { "B" },
            spent,
            progress.nodes.load(std::sync::atomic::Ordering::Relaxed)
        );
    }
    println!("total {total:.2}");
}
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}
