//! Conversion of the search's configuration from Python: `playout.engine.options.config.SearchConfig`, field by field.

use playout_search::{Config, Leaf, Order, Parallelism, Playouts, PolicyKind, Posterior, RootChoice, SharedVisits};
use pyo3::{exceptions::PyValueError, prelude::*};

#[derive(FromPyObject)]
pub struct Settings {
    tree_policy: String,
    exploration: f32,
    exploration_form: String,
    epsilon: f32,
    posterior: String,
    fpu: f32,
    puct_growth: f32,
    puct_base: f32,
    prior_temperature: f32,
    rave: bool,
    rave_equivalence: f32,
    grave: u32,
    progressive_bias: f32,
    value_initialisation: f32,
    static_leaf: bool,
    playouts: String,
    playout_temperature: f32,
    playout_cutoff: u32,
    cutoff_depth: u32,
    last_good_reply: bool,
    expansion_order: String,
    expansion_epsilon: f32,
    expand_visits: u32,
    widening: f32,
    widening_exponent: f32,
    root_choice: String,
    root_noise: f32,
    root_noise_alpha: f32,
    temperature: f32,
    flat_playouts: u32,
    search_depth: u32,
    threads: usize,
    hash_mib: usize,
    seed: u64,
    transpositions: bool,
    symmetries: bool,
    solver: bool,
    count_shared: bool,
    virtual_loss: f32,
    parallelism: String,
}

/// The value that `word` names.
fn choose<T: Copy>(field: &str, word: &str, choices: &[(&str, T)]) -> PyResult<T> {
    choices.iter().find(|(name, _)| *name == word).map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|&(name, _)| name).collect();
        PyValueError::new_err(format!("{field}: {word:?} is not one of {}", names.join(", ")))
    })
}

impl Settings {
    /// # Errors
    ///
    /// ValueError: a word that names no choice.
    pub fn config(&self) -> PyResult<Config> {
        let posteriors = [("beta", Posterior::Beta), ("gaussian", Posterior::Gaussian)];
        let playouts =
            [("uniform", Playouts::Uniform), ("knowledge", Playouts::Knowledge), ("boltzmann", Playouts::Boltzmann)];
        let orders = [("random", Order::Random), ("preference", Order::Preference)];
        let choices = [
            ("visits", RootChoice::Visits),
            ("value", RootChoice::Value),
            ("max_robust", RootChoice::MaxRobust),
            ("secure", RootChoice::Secure),
        ];
        let minimax = self.tree_policy == "minimax";
        let policies = [PolicyKind::ALL, &[("minimax", PolicyKind::Ucb1)]].concat();
        Ok(Config {
            policy: choose("tree_policy", &self.tree_policy, &policies)?,
            look_ahead: if minimax { self.search_depth } else { 0 },
            exploration: self.exploration,
            doubled_log: choose("exploration_form", &self.exploration_form, &[("ln", false), ("2ln", true)])?,
            epsilon: self.epsilon,
            posterior: choose("posterior", &self.posterior, &posteriors)?,
            first_play_urgency: self.fpu,
            puct_growth: self.puct_growth,
            puct_base: self.puct_base,
            prior_temperature: self.prior_temperature,
            rave: self.rave,
            rave_equivalence: self.rave_equivalence,
            grave: self.grave,
            progressive_bias: self.progressive_bias,
            value_initialisation: self.value_initialisation,
            leaf: if self.static_leaf { Leaf::Static } else { Leaf::Playout },
            playouts: choose("playouts", &self.playouts, &playouts)?,
            playout_temperature: self.playout_temperature,
            playout_cutoff: self.playout_cutoff,
            cutoff_depth: self.cutoff_depth,
            last_good_reply: self.last_good_reply,
            expansion_order: choose("expansion_order", &self.expansion_order, &orders)?,
            expansion_epsilon: self.expansion_epsilon,
            expand_visits: self.expand_visits,
            widening: self.widening,
            widening_exponent: self.widening_exponent,
            root_choice: choose("root_choice", &self.root_choice, &choices)?,
            root_noise: self.root_noise,
            root_noise_alpha: self.root_noise_alpha,
            temperature: self.temperature,
            flat_playouts: self.flat_playouts,
            threads: self.threads.max(1),
            hash_bytes: self.hash_mib << 20,
            seed: self.seed,
            transpositions: self.transpositions,
            symmetries: self.symmetries,
            solver: self.solver,
            shared_visits: if self.count_shared { SharedVisits::Count } else { SharedVisits::Descend },
            virtual_loss: self.virtual_loss,
            parallelism: choose(
                "parallelism",
                &self.parallelism,
                &[("tree", Parallelism::Tree), ("root", Parallelism::Root)],
            )?,
        })
    }
}
