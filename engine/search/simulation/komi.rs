//! Dynamic komi (Baudiš 2011): where a game is won or lost by far, playouts are counted with a komi that makes it open.

use crate::{
    config::Config,
    graph::{node::Index, store::Store},
    policy::decided,
};

/// The lead of the first player's beyond which he wins a playout; 0 where the game is open, or the option is off. The root's
/// value falls as it grows and stops its growth.
pub fn needed_lead(config: &Config, store: &Store, root: Index) -> f32 {
    if config.dynamic_komi <= 0.0 {
        return 0.0;
    }
    decided(store, root, config.dynamic_komi_from).map_or(0.0, |(share, lead)| config.dynamic_komi * share * lead)
}

/// Result, for the first player, of a playout that ends with this lead.
pub fn result(lead: f32, needed: f32) -> f32 {
    if lead > needed {
        1.0
    } else if lead < needed {
        -1.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::points::tests::store;

    #[test]
    fn the_needed_lead_grows_as_the_game_is_decided() {
        let config = Config { dynamic_komi: 0.5, dynamic_komi_from: 0.6, ..Config::default() };
        let needed = |visits, value, lead| needed_lead(&config, &store(visits, value, lead), 1);
        assert_eq!([0.0, 0.6, -0.6].map(|value| needed(100, value, 20.0)), [0.0; 3]);
        assert!((needed(100, 0.8, 20.0) - 5.0).abs() < 1e-4);
        assert!((needed(100, -1.0, -40.0) + 20.0).abs() < 1e-4);
        assert_eq!(needed(8, 1.0, 20.0), 0.0);
        assert_eq!(needed_lead(&Config::default(), &store(100, 1.0, 20.0), 1), 0.0, "it is off by default");
    }

    #[test]
    fn a_playout_is_won_beyond_the_needed_lead() {
        assert_eq!([4.5, 5.0, 5.5, -30.0].map(|lead| result(lead, 5.0)), [-1.0, 0.0, 1.0, -1.0]);
    }
}
