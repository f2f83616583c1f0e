//! The tree of a search, whose leaves a judge elsewhere judges one after another.

use playout_games::{Action, Game, NetShape, Player, Views, own_logit};

use super::{
    Manner,
    choice::{Arm, inner_choice},
};
use crate::outcomes::Outcomes;

/// Number of a node that is not there.
const NONE: u32 = u32::MAX;

/// A position of the tree.
struct Node<P> {
    position: P,
    mover: Player,
    /// Place of the first arm, and number of arms.
    first: usize,
    arms: usize,
    /// The value for the mover: the judge's, or that of a game that is over.
    value: f32,
    over: bool,
}

impl<P: Clone> Node<P> {
    fn new(position: &P) -> Node<P> {
        Node { position: position.clone(), mover: Player::First, first: 0, arms: 0, value: 0.0, over: false }
    }
}

/// A tree. Its root is node 0.
pub struct Tree<G: Game> {
    /// Those of the present search, before those of earlier ones, whose room is used again.
    nodes: Vec<Node<G::Position>>,
    len: usize,
    arms: Vec<Arm>,
    actions: Vec<Action>,
    /// Node after each action.
    children: Vec<u32>,
    /// Nodes from the root to the leaf under way, and the places of the arms between them.
    line: Vec<(u32, usize)>,
    /// The leaf that is to be judged, and the game's own logit of a win there for the judged player.
    leaf: u32,
    own: Option<(Player, f32)>,
    buffer: Vec<f32>,
    slots: Vec<u32>,
    views: Views,
}

/// A judge's opinion of a position: logits of the outcomes, for the judged player, and of the policy's slots.
pub struct Opinion<'a> {
    pub outcomes: &'a [f32],
    pub policy: &'a [f32],
}

impl<G: Game> Tree<G> {
    pub fn new() -> Tree<G> {
        Tree {
            nodes: Vec::new(),
            len: 0,
            arms: Vec::new(),
            actions: Vec::new(),
            children: Vec::new(),
            line: Vec::new(),
            leaf: NONE,
            own: None,
            buffer: Vec::new(),
            slots: Vec::new(),
            views: Views::default(),
        }
    }

    /// Starts at a position in which the game goes on, which is to be judged.
    pub fn start(&mut self, game: &G, root: &G::Position) {
        self.arms.clear();
        self.actions.clear();
        self.children.clear();
        self.line.clear();
        match self.nodes.first_mut() {
            Some(node) => node.position.clone_from(root),
            None => self.nodes.push(Node::new(root)),
        }
        (self.len, self.leaf) = (1, 0);
        self.settle(game, 0);
    }

    /// Adds a copy of a node's position, and returns its number.
    fn add(&mut self, parent: u32) -> u32 {
        let (used, spare) = self.nodes.split_at_mut(self.len);
        let parent = &used[parent as usize].position;
        match spare.first_mut() {
            Some(node) => node.position.clone_from(parent),
            None => {
                let node = Node::new(parent);
                self.nodes.push(node);
            }
        }
        self.len += 1;
        self.len as u32 - 1
    }

    /// Finds what the rules say of a node.
    fn settle(&mut self, game: &G, number: u32) {
        let node = &mut self.nodes[number as usize];
        let result = game.result(&node.position);
        node.mover = game.player(&node.position);
        node.value = result.map_or(0.0, |result| result * node.mover.sign());
        (node.first, node.arms, node.over) = (self.arms.len(), 0, result.is_some());
    }

    /// Arms of the root.
    pub fn root(&self) -> &[Arm] {
        &self.arms[..self.nodes[0].arms]
    }

    /// Actions of the root.
    pub fn root_actions(&self) -> &[Action] {
        &self.actions[..self.nodes[0].arms]
    }

    /// The judge's value of the root, for its mover.
    pub fn root_value(&self) -> f32 {
        self.nodes[0].value
    }

    /// Goes down from the root by the arm `arm`; true at a leaf that is to be judged, and else the visit is done.
    pub fn descend(&mut self, game: &G, arm: usize, manner: &Manner) -> bool {
        let (mut node, mut place) = (0, arm);
        self.line.clear();
        loop {
            self.line.push((node, place));
            let child = self.children[place];
            if child == NONE {
                let added = self.add(node);
                game.play(&mut self.nodes[added as usize].position, self.actions[place]);
                self.settle(game, added);
                self.children[place] = added;
                self.leaf = added;
                if !self.nodes[added as usize].over {
                    return true;
                }
                self.count(added);
                return false;
            }
            let Node { first, arms, value, over, .. } = self.nodes[child as usize];
            if over {
                self.count(child);
                return false;
            }
            node = child;
            place = first + inner_choice(&self.arms[first..first + arms], value, manner, &mut self.buffer);
        }
    }

    /// Counts a visit of the node at the end of the line.
    fn count(&mut self, end: u32) {
        let Node { mover, value, .. } = self.nodes[end as usize];
        for &(node, place) in &self.line {
            let arm = &mut self.arms[place];
            arm.visits += 1;
            arm.sum += value * mover.sign() * self.nodes[node as usize].mover.sign();
        }
    }

    /// Writes the inputs of the leaf, which are all 0 before, and gives it its actions.
    ///
    /// # Errors
    ///
    /// One line if nets do not judge it.
    pub fn ask(&mut self, game: &G, shape: &NetShape, inputs: &mut [f32]) -> Result<(), String> {
        let Tree { nodes, arms, actions, children, buffer, views, .. } = self;
        let node = &mut nodes[self.leaf as usize];
        if node.mover == Player::Chance {
            return Err("a game with dice has no such self-play".to_owned());
        }
        let judged = views.read(game, &node.position, shape.views).ok_or("nets do not judge each position")?;
        views.own().iter().for_each(|input| inputs[input.index as usize] = input.value);
        self.own = Some((judged.player, own_logit(game, &node.position, shape, judged.player).unwrap_or(0.0)));
        let mut legal = Vec::new();
        game.actions(&node.position, &mut legal);
        if !(shape.over_own && game.preferences(&node.position, &legal, buffer)) {
            buffer.clear();
            buffer.resize(legal.len(), 0.0);
        }
        node.first = arms.len();
        node.arms = legal.len();
        arms.extend(buffer.iter().map(|&logit| Arm { logit, visits: 0, sum: 0.0 }));
        children.resize(arms.len(), NONE);
        actions.append(&mut legal);
        Ok(())
    }

    /// Takes the judge's opinion of the leaf, and counts the visit.
    pub fn tell(&mut self, game: &G, shape: &NetShape, outcomes: &Outcomes, opinion: &Opinion) {
        let Some((judged, own)) = self.own.take() else { return };
        let Node { first, arms, mover, position, value, .. } = &mut self.nodes[self.leaf as usize];
        let (first, arms, mover) = (*first, *arms, *mover);
        let own = shape.results.iter().map(|result| own * result);
        let mut chances: Vec<f32> = own.zip(opinion.outcomes).map(|(own, logit)| own + logit).collect();
        playout_games::draw::softmax(&mut chances, 1.0);
        *value = outcomes.value(&chances) * judged.sign() * mover.sign();
        for (arm, &action) in self.arms[first..first + arms].iter_mut().zip(&self.actions[first..]) {
            self.slots.clear();
            game.slots(position, action, &mut self.slots);
            arm.logit += self.slots.iter().map(|&slot| opinion.policy[slot as usize]).sum::<f32>();
        }
        self.count(self.leaf);
    }
}
