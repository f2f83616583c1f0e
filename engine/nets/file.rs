//! Files of weights: safetensors with `playout-net` 1 in their metadata.
//!
//! For each phase of the game the tensors `PHASE.first`, `PHASE.hidden.1` and so on, and one or both of `PHASE.outcome` and
//! `PHASE.policy`, each as `.weight` and `.bias` of F32. Weights are \[outputs, inputs\], but the first layer's, which are
//! \[inputs, outputs\]. A tower has `PHASE.tower.stem`, `PHASE.tower.block.1.1`, `PHASE.tower.block.1.2` and so on, whose weights
//! are \[9 inputs, outputs\], the nine cells of a convolution one after the other, row by row; `PHASE.tower.squeeze`, which nets
//! for boards of any size do not have, and `PHASE.tower.aim`. The net that corrects a look-ahead's evaluation has `correction.first`, whose weights are \[inputs,
//! outputs\], and `correction.last`. Metadata are texts: `format`, `version`, `game`, `inputs` (the name of the shape), `activation`,
//! `actions` (a line each) and, under names that begin with `provenance.`, where the weights come from.

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
};

use playout_games::NetShape;
use safetensors::{
    Dtype, SafeTensorError, SafeTensors,
    tensor::{Metadata, TensorView},
};

use crate::{
    lanes::LANES,
    layer::Layer,
    net::{Activation, Net},
    nets::Nets,
    tower::{TAPS, Tower},
};

const FORMAT: &str = "playout-net";
const VERSION: &str = "1";
const PROVENANCE: &str = "provenance.";
/// Most outputs of a layer, so that a wrong file takes no memory beyond its own size.
const WIDEST: usize = 1 << 20;

/// Reads the nets of `game` (its name with its parameters), which have this shape.
///
/// # Errors
///
/// One line that names the file and what is wrong with it.
pub fn load(path: &Path, game: &str, shape: &NetShape) -> Result<Nets, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    read(&bytes, game, shape).map_err(|what| format!("{}: {what}", path.display()))
}

/// As `load`, from the bytes of a file; the error does not name it.
///
/// # Errors
///
/// One line that says what is wrong.
pub fn read(bytes: &[u8], game: &str, shape: &NetShape) -> Result<Nets, String> {
    read_as(bytes, game, shape, false)
}

/// As `read`; the tower of a net of any size has no `squeeze`, and the shape has the slots beyond the cells alone.
fn read_as(bytes: &[u8], game: &str, shape: &NetShape, any_size: bool) -> Result<Nets, String> {
    let (header, tensors) = opened(bytes)?;
    let provenance =
        said(&header, &[("format", FORMAT), ("version", VERSION), ("game", game), ("inputs", &shape.name)])?;
    let text = |name: &str| header.metadata().as_ref().and_then(|all| all.get(name)).map_or("", String::as_str);
    let activation = Activation::of_name(text("activation"))
        .ok_or_else(|| format!("activation is {:?} instead of \"relu\" or \"screlu\"", text("activation")))?;
    let actions: Vec<String> = text("actions").lines().map(str::to_owned).collect();
    let slots = if actions.is_empty() { shape.slots } else { actions.len() };
    let reader = Reader { tensors: &tensors, any_size };
    let phases: Vec<Net> =
        shape.phases.iter().map(|phase| reader.net(phase, shape, activation, slots)).collect::<Result<_, _>>()?;
    let lengths = |net: &Net| [net.outcome.bias.len(), net.slots()];
    if phases.iter().any(|net| lengths(net) != lengths(&phases[0])) {
        return Err("some phases have outcomes or a policy, and some have none".to_owned());
    }
    if lengths(&phases[0]) == [0, 0] {
        return Err("it has neither outcomes nor a policy".to_owned());
    }
    let correction = reader.correction(shape)?;
    Ok(Nets { phases, actions, correction, provenance })
}

/// As `read`, for play: also nets of the inputs `NetShape::served_by`, which have a slot less, and those of
/// `NetShape::any_size`.
///
/// # Errors
///
/// One line that says what is wrong.
pub fn read_to_play(bytes: &[u8], game: &str, shape: &NetShape) -> Result<Nets, String> {
    let (header, _) = opened(bytes)?;
    said(&header, &[("format", FORMAT), ("version", VERSION), ("game", game)])?;
    let inputs = header.metadata().as_ref().and_then(|all| all.get("inputs"));
    let with = |name: &String, slots: usize| NetShape { name: name.clone(), slots, ..shape.clone() };
    let names: Vec<&String> = [&shape.name].into_iter().chain(&shape.served_by).chain(&shape.any_size).collect();
    if let Some(inputs) = inputs.filter(|inputs| !names.contains(inputs)) {
        let names: Vec<String> = names.into_iter().map(|name| format!("{name:?}")).collect();
        return Err(format!("inputs is {inputs:?} instead of {}", names.join(" or ")));
    }
    match (&shape.served_by, &shape.any_size, &shape.board) {
        (Some(name), ..) if inputs == Some(name) => read(bytes, game, &with(name, shape.slots - 1)),
        (served, Some(name), Some(board)) if inputs == Some(name) => {
            read_as(bytes, game, &with(name, shape.slots - board.cells() - usize::from(served.is_some())), true)
        }
        _ => read(bytes, game, shape),
    }
}

/// Whether these are the bytes of a file of nets, as far as its metadata say.
pub fn is_of_nets(bytes: &[u8]) -> bool {
    let said = |header: &Metadata| Some(header.metadata().as_ref()?.get("format")? == FORMAT);
    SafeTensors::read_metadata(bytes).is_ok_and(|(_, header)| said(&header).unwrap_or(false))
}

/// The metadata and the tensors of a file.
pub(crate) fn opened(bytes: &[u8]) -> Result<(Metadata, SafeTensors<'_>), String> {
    let broken = |error: SafeTensorError| match error {
        SafeTensorError::MetadataIncompleteBuffer => {
            format!("not a file of weights: its tensors do not fill its {} bytes; it may be cut short", bytes.len())
        }
        error => format!("not a file of weights: {error}"),
    };
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(broken)?;
    Ok((header, SafeTensors::deserialize(bytes).map_err(broken)?))
}

/// The metadata of a file with these texts under these names, and a provenance.
pub(crate) fn metadata(texts: &[(&str, &str)], provenance: &BTreeMap<String, String>) -> HashMap<String, String> {
    let own = texts.iter().map(|&(name, text)| (name.to_owned(), text.to_owned()));
    own.chain(provenance.iter().map(|(name, text)| (format!("{PROVENANCE}{name}"), text.clone()))).collect()
}

/// Checks that the metadata of a file have these texts under these names, and returns its provenance.
pub(crate) fn said(header: &Metadata, expected: &[(&str, &str)]) -> Result<BTreeMap<String, String>, String> {
    let metadata = header.metadata().clone().unwrap_or_default();
    for &(name, expected) in expected {
        let found = metadata.get(name).map_or("", String::as_str);
        if found != expected {
            return Err(format!("{name} is {found:?} instead of {expected:?}"));
        }
    }
    let of_provenance = |(name, text): (String, String)| Some((name.strip_prefix(PROVENANCE)?.to_owned(), text));
    Ok(metadata.into_iter().filter_map(of_provenance).collect())
}

/// The bytes of a file of weights.
pub fn write(nets: &Nets, game: &str, shape: &NetShape) -> Vec<u8> {
    let mut tensors = BTreeMap::new();
    for (phase, net) in shape.phases.iter().zip(&nets.phases) {
        let mut add = |name: &str, layer: &Layer, first: bool| {
            let outputs = layer.bias.len();
            if let Some(inputs) = layer.weights.len().checked_div(outputs) {
                let sides = if first { vec![inputs, outputs] } else { vec![outputs, inputs] };
                tensors.insert(format!("{phase}.{name}.weight"), (sides, bytes_of(&layer.weights)));
                tensors.insert(format!("{phase}.{name}.bias"), (vec![outputs], bytes_of(&layer.bias)));
            }
        };
        if let Some(tower) = &net.tower {
            for ((name, convolves), layer) in names(tower.blocks.len()).zip(tower.layers()) {
                add(&name, layer, convolves);
            }
        }
        add("first", &net.first, true);
        for (number, layer) in (1..).zip(&net.hidden) {
            add(&format!("hidden.{number}"), layer, false);
        }
        add("outcome", &net.outcome, false);
        add("policy", &net.policy, false);
    }
    if let Some([first, last]) = &nets.correction {
        let (width, stages) = (first.bias.len(), last.bias.len());
        for (name, layer, sides) in [("first", first, [shape.correction, width]), ("last", last, [stages, 2 * width])] {
            tensors.insert(format!("correction.{name}.weight"), (sides.to_vec(), bytes_of(&layer.weights)));
            tensors.insert(format!("correction.{name}.bias"), (vec![layer.bias.len()], bytes_of(&layer.bias)));
        }
    }
    let activation = nets.phases[0].activation.name();
    let inputs = &shape.name;
    let said =
        [("format", FORMAT), ("version", VERSION), ("game", game), ("inputs", inputs), ("activation", activation)];
    let mut metadata = metadata(&said, &nets.provenance);
    if !nets.actions.is_empty() {
        metadata.insert("actions".to_owned(), nets.actions.join("\n"));
    }
    let views = tensors.iter().map(|(name, (sides, bytes))| {
        let view = TensorView::new(Dtype::F32, sides.clone(), bytes).expect("the sides are the length");
        (name.as_str(), view)
    });
    safetensors::serialize(views, Some(metadata)).expect("names and sides are in order")
}

/// The names of a tower's layers, from below, and whether they are convolutions.
fn names(blocks: usize) -> impl Iterator<Item = (String, bool)> {
    let blocks = (1..=blocks).flat_map(|block| [1, 2].map(|part| format!("tower.block.{block}.{part}")));
    let convolutions = ["tower.stem".to_owned()].into_iter().chain(blocks).map(|name| (name, true));
    convolutions.chain(["tower.squeeze", "tower.aim"].map(|name| (name.to_owned(), false)))
}

fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Takes layers out of a file.
struct Reader<'a> {
    tensors: &'a SafeTensors<'a>,
    /// Whether the nets are for boards of any size.
    any_size: bool,
}

impl Reader<'_> {
    fn net(&self, phase: &str, shape: &NetShape, activation: Activation, slots: usize) -> Result<Net, String> {
        let has_policy = self.has(&format!("{phase}.policy.bias"));
        // Where the cells are all that there is, a tower of any size is a policy by itself.
        let aims = !self.any_size || has_policy || slots == 0;
        let tower = self.tower(phase, shape, aims)?;
        let inputs = tower.as_ref().map_or(shape.inputs, Tower::features);
        let width = self.outputs(&format!("{phase}.first.bias"))?;
        let first = self.layer(&format!("{phase}.first"), inputs, width, true)?;
        let mut below = width * usize::from(shape.views);
        let mut hidden = Vec::new();
        while let name = format!("{phase}.hidden.{}", hidden.len() + 1)
            && self.has(&format!("{name}.bias"))
        {
            let width = self.outputs(&format!("{name}.bias"))?;
            hidden.push(self.layer(&name, below, width, false)?);
            below = width;
        }
        let last = |name: &str, outputs: usize| match self.has(&format!("{phase}.{name}.bias")) {
            true => self.layer(&format!("{phase}.{name}"), below, outputs, false),
            false => Ok(Layer::default()),
        };
        let (outcome, policy) = (last("outcome", shape.results.len())?, last("policy", slots)?);
        Ok(Net { activation, tower, first, hidden, outcome, policy })
    }

    /// The tower, where the file has one; whether it `aims` at cells.
    fn tower(&self, phase: &str, shape: &NetShape, aims: bool) -> Result<Option<Tower>, String> {
        if !self.has(&format!("{phase}.tower.stem.bias")) {
            return Ok(None);
        }
        let board = shape.board.ok_or("it has a tower of convolutions, and this game no planes for it")?;
        let channels = self.outputs(&format!("{phase}.tower.stem.bias"))?;
        if !channels.is_multiple_of(LANES) {
            return Err(format!("{phase}.tower.stem has {channels} channels instead of a multiple of {LANES}"));
        }
        let blocks = (1..).take_while(|block| self.has(&format!("{phase}.tower.block.{block}.1.bias"))).count();
        let squeeze = match self.any_size {
            true => Layer::default(),
            false => {
                let name = format!("{phase}.tower.squeeze");
                self.layer(&name, channels, self.outputs(&format!("{name}.bias"))?, false)?
            }
        };
        let mut names = names(blocks);
        let mut next = |inputs: usize, outputs: usize| {
            let (name, convolves) = names.next().expect("a name for each layer");
            self.layer(&format!("{phase}.{name}"), inputs, outputs, convolves)
        };
        Ok(Some(Tower {
            board,
            stem: next(TAPS * board.count, channels)?,
            blocks: (0..blocks)
                .map(|_| Ok([next(TAPS * channels, channels)?, next(TAPS * channels, channels)?]))
                .collect::<Result<_, String>>()?,
            squeeze,
            aim: match aims {
                true => self.layer(&format!("{phase}.tower.aim"), channels, 1, false)?,
                false => Layer::default(),
            },
            settled: Vec::new(),
            rounded: Vec::new(),
        }))
    }

    /// The layers of the net that corrects the look-ahead's evaluation, where the file has one.
    fn correction(&self, shape: &NetShape) -> Result<Option<[Layer; 2]>, String> {
        if !self.has("correction.first.bias") {
            return Ok(None);
        }
        if shape.correction == 0 {
            return Err("it has a net that corrects a look-ahead, and this game's takes none".to_owned());
        }
        let width = self.outputs("correction.first.bias")?;
        let first = self.layer("correction.first", shape.correction, width, true)?;
        let stages = self.outputs("correction.last.bias")?;
        Ok(Some([first, self.layer("correction.last", 2 * width, stages, false)?]))
    }

    fn has(&self, name: &str) -> bool {
        self.tensors.tensor(name).is_ok()
    }

    /// The length of a bias.
    fn outputs(&self, name: &str) -> Result<usize, String> {
        let tensor = self.tensors.tensor(name).map_err(|_| format!("there is no tensor {name}"))?;
        match *tensor.shape() {
            [outputs @ 1..=WIDEST] => Ok(outputs),
            ref sides => Err(format!("{name} has the sides {sides:?} instead of [1 to {WIDEST}]")),
        }
    }

    fn layer(&self, name: &str, inputs: usize, outputs: usize, first: bool) -> Result<Layer, String> {
        let sides = if first { [inputs, outputs] } else { [outputs, inputs] };
        let weights = self.numbers(&format!("{name}.weight"), &sides)?;
        let bias = self.numbers(&format!("{name}.bias"), &[outputs])?;
        Ok(Layer { weights, bias })
    }

    fn numbers(&self, name: &str, sides: &[usize]) -> Result<Vec<f32>, String> {
        let tensor = self.tensors.tensor(name).map_err(|_| format!("there is no tensor {name}"))?;
        if tensor.shape() != sides {
            return Err(format!("{name} has the sides {:?} instead of {sides:?}", tensor.shape()));
        }
        if tensor.dtype() != Dtype::F32 {
            return Err(format!("{name} is of the type {:?} instead of F32", tensor.dtype()));
        }
        let numbers: Vec<f32> = tensor.data().as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(place) => Err(format!("{name} has {} at place {place}", numbers[place])),
            None => Ok(numbers),
        }
    }
}
