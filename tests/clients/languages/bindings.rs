//! The bindings by themselves, on a world whose height is x − 2y.

use terrane::{digest, Chunk, Place, Sampler, View, World, METRE};

const SLOPE: &str = r#"{"generator": 1, "seed": 1, "layers": {"height": "x - 2 * y", "noise": "perlin(wavelength=64)"}}"#;

fn slope() -> World {
    World::parse(SLOPE, "slope.json").expect("a world")
}

fn chunk(cx: i64, size: u32, step: i64) -> Chunk {
    Chunk { cx, cy: 0, size, step, t: 0.0 }
}

#[test]
fn samples_are_those_of_the_formula() {
    let (world, mut sampler) = (slope(), Sampler::new().expect("memory"));
    sampler.set_memory(1 << 20).expect("memory");
    assert_eq!(world.layers(), ["height", "noise"]);
    let places = [Place { x: 3 * METRE, y: METRE / 2 }, Place { x: -METRE, y: 0 }];
    assert_eq!(sampler.heights(&world, &places).expect("heights"), [2.0, -1.0]);
    assert_eq!(sampler.heights(&world, &[]).expect("none"), []);
    let samples = sampler.chunk(&world, &["height"], chunk(2, 1, 4 * METRE)).expect("a chunk");
    assert_eq!(samples, [8.0, 12.0, 0.0, 4.0]);
    let both =
        sampler.chunk(&world, &["noise", "height"], chunk(2, 1, 4 * METRE)).expect("a chunk");
    assert_eq!(both[4..], samples);
    assert_eq!(digest(&[]), "0".repeat(32));
}

#[test]
fn what_is_not_allowed_is_an_error() {
    let (world, mut sampler) = (slope(), Sampler::new().expect("memory"));
    let mut says =
        |layers: &[&str], chunk| sampler.chunk(&world, layers, chunk).unwrap_err().to_string();
    assert!(says(&["hight"], chunk(0, 1, METRE)).contains("no layer \"hight\": height, noise"));
    assert!(says(&["height"], chunk(0, 0, METRE)).contains("size must be 1 to 1024"));
    assert!(says(&["height"], chunk(0, 64, 3 * METRE)).contains("power of two"));
    assert!(says(&["height"], chunk(i64::MAX, 64, METRE)).contains("too far out"));
    assert!(!says(&["height"], chunk(1 << 36, 64, METRE)).is_empty());
    assert!(!says(&[], chunk(0, 1, METRE)).is_empty());
    let view = View { west: 0, north: 0, east: 0, south: 1, zoom: 9 };
    assert!(sampler.labels(&world, view).is_err());
    assert!(World::parse("{}", "a\0b").is_err());
    assert!(world.reseed("a\0b").is_err());
}

#[test]
fn threads_share_a_world() {
    let world = slope();
    let places: Vec<Place> = (0..1000).map(|i| Place { x: i * METRE, y: 7 * i * METRE }).collect();
    let sample = || {
        Sampler::new()
            .and_then(|mut each| each.points(&world, &["noise"], &places, 0.0))
            .expect("samples")
    };
    let alone = sample();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(sample)).collect();
        for thread in threads {
            assert_eq!(thread.join().expect("a thread"), alone);
        }
    });
}

#[test]
fn another_seed_is_another_world() {
    let world = slope();
    let (same, other) = (world.reseed("1").expect("a world"), world.reseed("2").expect("a world"));
    assert_eq!(world.fingerprint(), same.fingerprint());
    assert_ne!(world.fingerprint(), other.fingerprint());
    assert!(world.fingerprint().starts_with("g1-"));
}
