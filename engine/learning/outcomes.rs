//! Chances of the outcomes of a game, as nets give them.

/// The outcomes of a game by their results for the judged player (`NetShape::results`).
#[derive(Clone, Debug)]
pub struct Outcomes {
    results: Vec<f32>,
    /// The number of each outcome as the opponent sees it.
    turned: Vec<usize>,
}

impl Outcomes {
    /// # Panics
    ///
    /// If an outcome has no counterpart.
    pub fn new(results: &[f32]) -> Outcomes {
        let same = |wanted: f32| move |&i: &usize| results[i] == wanted;
        let turned = (0..results.len()).map(|i| {
            let rank = (0..i).filter(same(results[i])).count();
            (0..results.len()).filter(same(-results[i])).nth(rank).expect("each result has an opposite")
        });
        Outcomes { turned: turned.collect(), results: results.to_vec() }
    }

    pub fn len(&self) -> usize {
        self.results.len()
    }

    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// The expected result.
    pub fn value(&self, chances: &[f32]) -> f32 {
        self.results.iter().zip(chances).map(|(result, chance)| result * chance).sum()
    }

    /// Makes the chances of one player those of the other.
    pub fn turn(&self, chances: &mut [f32]) {
        for i in 0..chances.len() {
            if i < self.turned[i] {
                chances.swap(i, self.turned[i]);
            }
        }
    }

    /// Writes the chances of a known value: of the outcome that has it, else of the two next to it.
    pub fn known(&self, value: f32, chances: &mut [f32]) {
        chances.fill(0.0);
        let nearest = |above: bool| {
            let gap = |i: usize| if above { self.results[i] - value } else { value - self.results[i] };
            (0..self.len()).filter(|&i| gap(i) >= 0.0).min_by(|&i, &j| gap(i).total_cmp(&gap(j)))
        };
        match (nearest(false), nearest(true)) {
            (Some(low), Some(high)) if self.results[low] < self.results[high] => {
                let part = (value - self.results[low]) / (self.results[high] - self.results[low]);
                chances[low] = 1.0 - part;
                chances[high] = part;
            }
            (Some(one), _) | (None, Some(one)) => chances[one] = 1.0,
            (None, None) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_turn_and_come_from_values() {
        let points = Outcomes::new(&[1.0 / 3.0, 2.0 / 3.0, 1.0, -1.0 / 3.0, -2.0 / 3.0, -1.0]);
        let mut chances = [0.4, 0.1, 0.0, 0.3, 0.15, 0.05];
        let value = points.value(&chances);
        points.turn(&mut chances);
        assert_eq!(chances, [0.3, 0.15, 0.05, 0.4, 0.1, 0.0]);
        assert!((points.value(&chances) + value).abs() < 1e-6);
        points.known(-1.0, &mut chances);
        assert_eq!(chances, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        points.known(1.0 / 6.0, &mut chances);
        assert!((chances[0] - 0.75).abs() < 1e-6 && (chances[3] - 0.25).abs() < 1e-6, "{chances:?}");
    }

    #[test]
    fn outcomes_of_one_result_turn_into_their_like() {
        let plain = Outcomes::new(&[1.0, 1.0, 1.0, -1.0, -1.0, -1.0]);
        let mut chances = [0.6, 0.1, 0.05, 0.2, 0.04, 0.01];
        plain.turn(&mut chances);
        assert_eq!(chances, [0.2, 0.04, 0.01, 0.6, 0.1, 0.05]);
        plain.known(-1.0, &mut chances);
        assert_eq!(chances, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        let draws = Outcomes::new(&[1.0, 0.0, -1.0]);
        let mut chances = [0.5, 0.3, 0.2];
        draws.turn(&mut chances);
        assert_eq!(chances, [0.2, 0.3, 0.5]);
        draws.known(0.0, &mut chances);
        assert_eq!(chances, [0.0, 1.0, 0.0]);
    }
}
