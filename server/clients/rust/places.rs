//! Prints what a world has at 500 places, in a chunk and on a map: places WORLD.json
//!
//! Lines of tabs: "height", x and y in metres, and the height in the bits of the float; "chunk" and its digest; "label",
//! kind, name.

use std::process::ExitCode;
use terrane::{digest, Chunk, Place, Sampler, View, World, METRE};

fn run(path: &str) -> Result<(), Box<dyn std::error::Error>> {
    let world = World::parse(&std::fs::read_to_string(path)?, path)?;
    let mut sampler = Sampler::new()?;
    println!("world\t{}", world.fingerprint());

    let metres: Vec<(i64, i64)> =
        (0..500).map(|i| (i * 937 - 200_000, i * i % 7919 * 41 - 90_000)).collect();
    let places: Vec<Place> =
        metres.iter().map(|&(x, y)| Place { x: x * METRE, y: y * METRE }).collect();
    let heights = sampler.heights(&world, &places)?;
    for ((x, y), height) in metres.iter().zip(heights) {
        println!("height\t{x}\t{y}\t{:08x}", height.to_bits());
    }

    let chunk = Chunk { cx: 3, cy: -2, size: 64, step: METRE, t: 0.0 };
    println!("chunk\t{}", digest(&sampler.chunk(&world, &["height", "biome"], chunk)?));

    let side = 131_072 * METRE;
    let view = View { west: -side, north: -side, east: side, south: side, zoom: 9 };
    for label in sampler.labels(&world, view)? {
        println!("label\t{}\t{}\t{}", label.id, label.kind, label.name);
    }
    Ok(())
}

fn main() -> ExitCode {
    let path = std::env::args().nth(1);
    match path.as_deref().map(run) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(error)) => {
            eprintln!("places: {error}");
            ExitCode::FAILURE
        }
        None => {
            eprintln!("usage: places WORLD.json");
            ExitCode::from(2)
        }
    }
}
