//! Files of weights come back as they were written, and those that do not fit are refused with one line.

use playout_games::{Planes, Rng};

use super::*;
use crate::nets::Sizes;

fn shape() -> NetShape {
    NetShape {
        name: "test-1".to_owned(),
        inputs: 5,
        views: 1,
        phases: &["contact", "race"],
        results: vec![1.0, 0.0, -1.0],
        slots: 4,
        sharpness: None,
        slots_each: 1,
        over_own: false,
        board: None,
        served_by: None,
        any_size: None,
        correction: 0,
    }
}

fn nets() -> Nets {
    let mut nets = Nets::random(&shape(), &Sizes::of(&[6, 3]), Activation::SquaredClipped, &mut Rng::with_seed(1));
    nets.provenance.insert("commit".to_owned(), "abc".to_owned());
    nets
}

#[test]
fn weights_come_back_from_a_file() {
    let mut nets = nets();
    assert_eq!(read(&write(&nets, "g", &shape()), "g", &shape()), Ok(nets.clone()));
    for net in &mut nets.phases {
        net.policy = Layer::default();
    }
    assert_eq!(read(&write(&nets, "g", &shape()), "g", &shape()), Ok(nets));
}

#[test]
fn a_tower_comes_back_from_a_file_and_a_wrong_one_is_refused() {
    let board = Planes { columns: 3, rows: 2, count: 2 };
    let shape = NetShape::of_planes("test-1".to_owned(), board, 7);
    let sizes = Sizes { tower: Some((2, 16)), widths: vec![5] };
    let mut nets = Nets::random(&shape, &sizes, Activation::Relu, &mut Rng::with_seed(2));
    let tower = nets.phases[0].tower.as_mut().unwrap();
    tower.blocks[1][1].weights[3] = 0.5;
    assert_eq!(read(&write(&nets, "g", &shape), "g", &shape), Ok(nets.clone()));
    let refused = |shape: &NetShape, nets: &Nets, what: &str| {
        let error = read(&write(nets, "g", shape), "g", shape).unwrap_err();
        assert!(error.contains(what), "{error}");
    };
    refused(&NetShape { board: None, ..shape.clone() }, &nets, "this game no planes");
    let wider = Planes { count: 3, ..board };
    refused(&NetShape { board: Some(wider), ..shape.clone() }, &nets, "all.tower.stem.weight has the sides [18, 16]");
    let narrow = Sizes { tower: Some((1, 8)), widths: vec![5] };
    let nets = Nets::random(&shape, &narrow, Activation::Relu, &mut Rng::with_seed(2));
    refused(&shape, &nets, "8 channels instead of a multiple of 16");
}

#[test]
fn nets_of_any_size_are_read_for_boards_of_all_sizes() {
    let shape = |columns: usize, rows: usize| NetShape {
        any_size: Some("test-any-1".to_owned()),
        ..NetShape::of_planes("test-1".to_owned(), Planes { columns, rows, count: 2 }, columns * rows + 1)
    };
    let sizes = Sizes { tower: Some((1, 16)), widths: vec![5] };
    let mut nets = Nets::random(&shape(3, 2), &sizes, Activation::Relu, &mut Rng::with_seed(2));
    let net = &mut nets.phases[0];
    let tower = net.tower.as_mut().unwrap();
    tower.squeeze = Layer::default();
    net.first = Layer { weights: vec![0.5; 2 * 16 * 5], bias: vec![1.0; 5] };
    net.policy = Layer { weights: vec![0.25; 5], bias: vec![-1.0] };
    let as_any = NetShape { name: "test-any-1".to_owned(), ..shape(3, 2) };
    let bytes = write(&nets, "g", &as_any);
    assert_eq!(read_to_play(&bytes, "g", &shape(3, 2)), Ok(nets.clone()));
    let larger = read_to_play(&bytes, "g", &shape(7, 5)).unwrap();
    assert_eq!(larger.numbers().collect::<Vec<_>>(), nets.numbers().collect::<Vec<_>>());
    assert_eq!((nets.slots(), larger.slots()), (7, 36));
    let refused = |shape: &NetShape| read_to_play(&bytes, "g", shape).unwrap_err();
    let none = NetShape { any_size: None, ..shape(3, 2) };
    let served = NetShape { served_by: Some("test-0".to_owned()), name: "test-2".to_owned(), ..none.clone() };
    assert_eq!(refused(&served), "inputs is \"test-any-1\" instead of \"test-2\" or \"test-0\"");
    assert_eq!(refused(&none), "inputs is \"test-any-1\" instead of \"test-1\"");
    // Only a file that bears the name may lack what depends on the size.
    let error = read_to_play(&write(&nets, "g", &shape(3, 2)), "g", &shape(3, 2)).unwrap_err();
    assert_eq!(error, "there is no tensor all.tower.squeeze.bias");
}

#[test]
fn nets_of_any_size_may_be_a_tower_that_aims_and_no_more() {
    let shape = |size: usize, served_by: Option<&str>| NetShape {
        any_size: Some("test-any-1".to_owned()),
        served_by: served_by.map(str::to_owned),
        ..NetShape::of_planes(
            "test-1".to_owned(),
            Planes { columns: size, rows: size, count: 2 },
            size * size + usize::from(served_by.is_some()),
        )
    };
    let sizes = Sizes { tower: Some((1, 16)), widths: vec![5] };
    let mut nets = Nets::random(&shape(3, None), &sizes, Activation::Relu, &mut Rng::with_seed(2));
    let net = &mut nets.phases[0];
    net.tower.as_mut().unwrap().squeeze = Layer::default();
    net.first = Layer { weights: vec![0.5; 2 * 16 * 5], bias: vec![1.0; 5] };
    (net.outcome, net.policy) = (Layer::default(), Layer::default());
    let bytes = write(&nets, "g", &NetShape { name: "test-any-1".to_owned(), ..shape(3, None) });
    assert_eq!(read_to_play(&bytes, "g", &shape(3, None)), Ok(nets));
    // The slot that others lack where they serve is not theirs either.
    let slots = |shape: &NetShape| read_to_play(&bytes, "g", shape).unwrap().slots();
    assert_eq!([slots(&shape(4, None)), slots(&shape(4, Some("test-0")))], [16, 16]);
    // A slot beyond the cells, which is not served, needs a layer.
    let more = NetShape { slots: 17, ..shape(4, None) };
    assert_eq!(read_to_play(&bytes, "g", &more).unwrap_err(), "it has neither outcomes nor a policy");
}

#[test]
fn a_correction_comes_back_from_a_file_and_a_wrong_one_is_refused() {
    let shape = NetShape { correction: 3, ..shape() };
    let layer = |weights: usize, bias: usize| Layer { weights: vec![0.25; weights], bias: vec![0.5; bias] };
    let nets = Nets { correction: Some([layer(6, 2), layer(8, 2)]), ..nets() };
    let bytes = write(&nets, "g", &shape);
    assert_eq!(read(&bytes, "g", &shape), Ok(nets));
    let refused = |correction: usize, what: &str| {
        let error = read(&bytes, "g", &NetShape { correction, ..shape.clone() }).unwrap_err();
        assert!(error.contains(what), "{error}");
    };
    refused(0, "this game's takes none");
    refused(4, "correction.first.weight has the sides [3, 2] instead of [4, 2]");
}

#[test]
fn a_wrong_file_is_refused_by_what_is_wrong() {
    let bytes = write(&nets(), "g", &shape());
    let refused = |bytes: &[u8], game: &str, shape: &NetShape, what: &str| {
        let error = read(bytes, game, shape).unwrap_err();
        assert!(error.contains(what), "{error}");
    };
    refused(&bytes, "h", &shape(), "game is \"g\" instead of \"h\"");
    refused(&bytes, "g", &NetShape { name: "test-2".to_owned(), ..shape() }, "inputs is \"test-1\"");
    refused(&bytes, "g", &NetShape { inputs: 6, ..shape() }, "contact.first.weight has the sides [5, 6]");
    refused(&bytes, "g", &NetShape { slots: 3, ..shape() }, "contact.policy.weight has the sides [4, 3]");
    refused(&bytes, "g", &NetShape { phases: &["crashed"], ..shape() }, "no tensor crashed.first.bias");
    refused(&bytes[..bytes.len() - 1], "g", &shape(), "not a file of weights");
    refused(b"", "g", &shape(), "not a file of weights");
    let mut bad = nets();
    bad.phases[1].hidden[0].weights[2] = f32::NAN;
    refused(&write(&bad, "g", &shape()), "g", &shape(), "race.hidden.1.weight has NaN at place 2");
}
