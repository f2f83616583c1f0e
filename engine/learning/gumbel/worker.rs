//! A thread of its own for a pool, so that games go on while others are judged.

use std::{
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

use playout_games::Game;

use super::Pool;
use crate::records::GameRecord;

/// The inputs of positions that wait for a judgement, and the games that came to their end on the way to them.
pub struct Asked {
    pub inputs: Vec<f32>,
    pub over: Vec<GameRecord>,
}

/// A judge's opinions of the positions, one after another; the inputs are used again.
pub struct Told {
    pub outcomes: Vec<f32>,
    pub policies: Vec<f32>,
    pub inputs: Vec<f32>,
}

/// The near end of a thread that plays. It ends when this is dropped.
pub struct Worker {
    told: Sender<Told>,
    asked: Receiver<Result<Asked, String>>,
}

impl Worker {
    /// Begins to play.
    pub fn new<G: Game>(mut pool: Pool<G>) -> Worker {
        let (told, opinions) = channel::<Told>();
        let (questions, asked) = channel();
        thread::spawn(move || {
            let mut inputs = vec![0.0; pool.len() * pool.shape().inputs];
            loop {
                let question = pool.ask(&mut inputs).map(|()| Asked { inputs, over: pool.take() });
                let failed = question.is_err();
                if questions.send(question).is_err() || failed {
                    return;
                }
                let Ok(told) = opinions.recv() else { return };
                pool.tell(&told.outcomes, &told.policies);
                inputs = told.inputs;
            }
        });
        Worker { told, asked }
    }

    /// Waits for the next question.
    ///
    /// # Errors
    ///
    /// One line if a position cannot be judged, or the thread has ended.
    pub fn ask(&mut self) -> Result<Asked, String> {
        self.asked.recv().unwrap_or_else(|_| Err("self-play has ended".to_owned()))
    }

    /// Answers the last question, after which the games go on.
    pub fn tell(&self, told: Told) {
        // Whether the thread has ended, the next question says.
        let _ = self.told.send(told);
    }
}
