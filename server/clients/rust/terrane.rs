//! Ground of Terrane's worlds, computed in the process by libterrane: safe bindings without dependencies.
//!
//! Positions are `i64` in units of 2⁻¹⁶ m: `METRE` units are a metre. x points east and y south, up to ±2⁴⁰ m. Samples
//! are `f32` in the layer's unit, with the bits of every server.
//!
//! A [`World`] never changes, and any number of threads may read it. A [`Sampler`] is the memory of one thread at a
//! time: it can be sent to another thread, but not shared. Every failure is an [`Error`]; nothing here panics.
//!
//! ```text
//! rustc --edition 2021 -O --crate-type rlib terrane.rs
//! ```

use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::{c_char, c_int, c_uint};
use std::ptr::NonNull;

/// Units of a position in a metre.
pub const METRE: i64 = 65536;

/// The library's structures and functions as core/terrane.h declares them.
mod ffi {
    use super::{c_char, c_int, c_uint};

    #[repr(C)]
    pub struct World([u8; 0]);
    #[repr(C)]
    pub struct Sampler([u8; 0]);
    #[repr(C)]
    pub struct Labels([u8; 0]);
    #[repr(C)]
    pub struct Error {
        pub code: c_int,
        pub line: u32,
        pub column: u32,
        pub file: [c_char; 160],
        pub path: [c_char; 128],
        pub message: [c_char; 320],
    }
    #[repr(C)]
    pub struct Request {
        pub layers: *const c_uint,
        pub outputs: *const *mut f32,
        pub count: c_uint,
    }
    #[repr(C)]
    pub struct Grid {
        pub x: i64,
        pub y: i64,
        pub step: i64,
        pub columns: u32,
        pub rows: u32,
        pub spacing: f64,
        pub z: f64,
        pub t: f64,
    }
    #[repr(C)]
    pub struct Points {
        pub places: *const super::Place,
        pub count: usize,
        pub spacing: f64,
        pub z: f64,
        pub t: f64,
    }
    #[repr(C)]
    pub struct Label {
        pub id: u64,
        pub x: i64,
        pub y: i64,
        pub size: f64,
        pub angle: f64,
        pub length: f64,
        pub height: f32,
        pub rank: i32,
        pub kind: [c_char; 16],
        pub name: [c_char; 128],
    }

    #[link(name = "terrane")]
    extern "C" {
        pub fn terrane_error_text(error: *const Error, out: *mut c_char, size: usize) -> usize;
        pub fn terrane_world_parse(
            text: *const c_char,
            length: usize,
            file: *const c_char,
            error: *mut Error,
        ) -> *mut World;
        pub fn terrane_world_reseed(
            world: *const World,
            seed: *const c_char,
            error: *mut Error,
        ) -> *mut World;
        pub fn terrane_world_release(world: *mut World);
        pub fn terrane_world_fingerprint(world: *const World) -> *const c_char;
        pub fn terrane_layer_count(world: *const World) -> c_uint;
        pub fn terrane_layer_name(world: *const World, layer: c_uint) -> *const c_char;
        pub fn terrane_sampler_new() -> *mut Sampler;
        pub fn terrane_sampler_free(sampler: *mut Sampler);
        pub fn terrane_sampler_set_memory(sampler: *mut Sampler, bytes: usize) -> bool;
        pub fn terrane_sample_grid(
            sampler: *mut Sampler,
            world: *const World,
            grid: *const Grid,
            request: *const Request,
            error: *mut Error,
        ) -> bool;
        pub fn terrane_sample_points(
            sampler: *mut Sampler,
            world: *const World,
            points: *const Points,
            request: *const Request,
            error: *mut Error,
        ) -> bool;
        pub fn terrane_labels_new() -> *mut Labels;
        pub fn terrane_labels_free(labels: *mut Labels);
        pub fn terrane_labels_find(
            labels: *mut Labels,
            sampler: *mut Sampler,
            world: *const World,
            view: *const super::View,
            error: *mut Error,
        ) -> bool;
        pub fn terrane_label_count(labels: *const Labels) -> usize;
        pub fn terrane_label_get(labels: *const Labels, index: usize, label: *mut Label) -> bool;
        pub fn terrane_digest(samples: *const f32, count: usize, out: *mut c_char);
    }
}

/// What went wrong, where, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

fn out_of_memory() -> Error {
    Error("out of memory".to_string())
}

/// The text of an array that is terminated, as the library's are.
fn text_of(array: &[c_char]) -> String {
    let bytes: Vec<u8> = array.iter().take_while(|&&c| c != 0).map(|&c| c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn c_text(text: &str, what: &str) -> Result<CString, Error> {
    CString::new(text).map_err(|_| Error(format!("{what} must not contain a zero byte")))
}

/// Calls the library with room for an error, which `call` says it has filled by None.
fn checked<T>(call: impl FnOnce(*mut ffi::Error) -> Option<T>) -> Result<T, Error> {
    let mut error = ffi::Error {
        code: 0,
        line: 0,
        column: 0,
        file: [0; 160],
        path: [0; 128],
        message: [0; 320],
    };
    call(&mut error).ok_or_else(|| {
        let mut line = [0; 1024];
        // SAFETY: `error` is initialised, and the library writes at most `line.len()` bytes.
        unsafe { ffi::terrane_error_text(&error, line.as_mut_ptr(), line.len()) };
        Error(text_of(&line))
    })
}

/// A place in units of 2⁻¹⁶ m.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub x: i64,
    pub y: i64,
}

/// A world, which never changes.
pub struct World(NonNull<ffi::World>);

// SAFETY: the library lets any number of threads read and release a world.
unsafe impl Send for World {}
unsafe impl Sync for World {}

impl World {
    /// The world of a file's text; `file` is its name in messages.
    pub fn parse(text: &str, file: &str) -> Result<World, Error> {
        let name = c_text(file, "the name of a file")?;
        checked(|error| {
            // SAFETY: `text` has its length, `name` is terminated, and both outlive the call.
            let world = unsafe {
                ffi::terrane_world_parse(text.as_ptr().cast(), text.len(), name.as_ptr(), error)
            };
            NonNull::new(world).map(World)
        })
    }

    /// The world with the same formulas and another seed; decimal digits mean the number.
    pub fn reseed(&self, seed: &str) -> Result<World, Error> {
        let seed = c_text(seed, "a seed")?;
        checked(|error| {
            // SAFETY: the world is alive, and `seed` terminated.
            let world = unsafe { ffi::terrane_world_reseed(self.0.as_ptr(), seed.as_ptr(), error) };
            NonNull::new(world).map(World)
        })
    }

    /// "g1-" and 32 hex digits.
    pub fn fingerprint(&self) -> &str {
        // SAFETY: the text is terminated, ASCII, and lives as long as the world.
        let text = unsafe { CStr::from_ptr(ffi::terrane_world_fingerprint(self.0.as_ptr())) };
        text.to_str().unwrap_or("")
    }

    /// Names of the layers, by their numbers.
    pub fn layers(&self) -> Vec<&str> {
        // SAFETY: the world is alive; names of layers below the count are texts that live as long.
        let count = unsafe { ffi::terrane_layer_count(self.0.as_ptr()) };
        (0..count)
            .map(|layer| unsafe { CStr::from_ptr(ffi::terrane_layer_name(self.0.as_ptr(), layer)) })
            .map(|name| name.to_str().unwrap_or(""))
            .collect()
    }

    fn numbers(&self, names: &[&str]) -> Result<Vec<c_uint>, Error> {
        let all = self.layers();
        names
            .iter()
            .map(|name| {
                let number = all.iter().position(|layer| layer == name);
                number.map(|number| number as c_uint).ok_or_else(|| {
                    Error(format!("the world has no layer \"{name}\": {}", all.join(", ")))
                })
            })
            .collect()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // SAFETY: this is the reference that parse() or reseed() gave.
        unsafe { ffi::terrane_world_release(self.0.as_ptr()) }
    }
}

/// A chunk: the vertices from (cx · size · step, cy · size · step) on, as servers have them.
#[derive(Clone, Copy, Debug)]
pub struct Chunk {
    pub cx: i64,
    pub cy: i64,
    /// Steps a side: 1 … 1024. There are size + 1 vertices a side.
    pub size: u32,
    /// Units of 2⁻¹⁶ m, a power of two from 2¹² to 2³²: also the level of detail.
    pub step: i64,
    /// Seconds.
    pub t: f64,
}

/// A rectangle of a map, with its north and west edges; the zoom is 0 … 20, and pixels are 1 m wide at 17.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct View {
    pub west: i64,
    pub north: i64,
    pub east: i64,
    pub south: i64,
    pub zoom: i32,
}

/// The name of a sea, a range, a river, a peak …, as /labels of a server has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    pub id: u64,
    pub place: Place,
    /// m²: the area, of a river the land upstream; 0 of peaks and hills.
    pub size: f64,
    /// Metres above the sea, of a peak or hill; else 0.
    pub height: f32,
    /// The least zoom at which it may show.
    pub rank: i32,
    pub kind: String,
    pub name: String,
}

/// The memory of one thread. It serves any world.
pub struct Sampler(NonNull<ffi::Sampler>);

// SAFETY: the library keeps nothing of the thread that made a sampler.
unsafe impl Send for Sampler {}

impl Sampler {
    pub fn new() -> Result<Sampler, Error> {
        // SAFETY: the function takes nothing, and returns null when memory is out.
        NonNull::new(unsafe { ffi::terrane_sampler_new() }).map(Sampler).ok_or_else(out_of_memory)
    }

    /// Bytes for rivers and land that are kept from call to call: 8 MB unless set.
    pub fn set_memory(&mut self, bytes: usize) -> Result<(), Error> {
        // SAFETY: the sampler is alive, and nobody else uses it.
        let done = unsafe { ffi::terrane_sampler_set_memory(self.0.as_ptr(), bytes) };
        done.then_some(()).ok_or_else(out_of_memory)
    }

    /// Samples of layers at places: those of the first layer, then those of the next. `spacing` is the level of detail
    /// in metres between samples, and 0 full detail.
    pub fn points(
        &mut self,
        world: &World,
        layers: &[&str],
        places: &[Place],
        spacing: f64,
    ) -> Result<Vec<f32>, Error> {
        let points =
            ffi::Points { places: places.as_ptr(), count: places.len(), spacing, z: 0.0, t: 0.0 };
        self.sample(world, layers, places.len(), |sampler, request, error| {
            // SAFETY: `points` has `count` places, and `request` room for as many samples a layer.
            unsafe {
                ffi::terrane_sample_points(sampler, world.0.as_ptr(), &points, request, error)
            }
        })
    }

    /// Heights at places, in full detail.
    pub fn heights(&mut self, world: &World, places: &[Place]) -> Result<Vec<f32>, Error> {
        self.points(world, &["height"], places, 0.0)
    }

    /// Samples of a chunk, (size + 1)² a layer: rows from north to south, those of the first layer, then those of the
    /// next, as `r32f` of a server.
    pub fn chunk(
        &mut self,
        world: &World,
        layers: &[&str],
        chunk: Chunk,
    ) -> Result<Vec<f32>, Error> {
        let Chunk { cx, cy, size, step, t } = chunk;
        if !(1..=1024).contains(&size) {
            return Err(Error(format!("size must be 1 to 1024 steps, not {size}")));
        }
        if !(1 << 12..=1 << 32).contains(&step) || step & (step - 1) != 0 {
            return Err(Error(format!(
                "step must be a power of two from 4096 to 2^32, not {step}"
            )));
        }
        let side = i64::from(size) * step;
        let origin = |index: i64| {
            index
                .checked_mul(side)
                .ok_or_else(|| Error(format!("chunk {cx} {cy} lies too far out")))
        };
        let spacing = step as f64 / METRE as f64;
        let (columns, rows) = (size + 1, size + 1);
        let grid =
            ffi::Grid { x: origin(cx)?, y: origin(cy)?, step, columns, rows, spacing, z: 0.0, t };
        let count = columns as usize * rows as usize;
        self.sample(world, layers, count, |sampler, request, error| {
            // SAFETY: `request` has room for columns × rows samples a layer.
            unsafe { ffi::terrane_sample_grid(sampler, world.0.as_ptr(), &grid, request, error) }
        })
    }

    /// The labels in a view, the best first.
    pub fn labels(&mut self, world: &World, view: View) -> Result<Vec<Label>, Error> {
        let list = LabelList::new()?;
        checked(|error| {
            // SAFETY: all are alive, and nobody else uses the sampler.
            let done = unsafe {
                let (sampler, world) = (self.0.as_ptr(), world.0.as_ptr());
                ffi::terrane_labels_find(list.0.as_ptr(), sampler, world, &view, error)
            };
            done.then_some(())
        })?;
        Ok(list.labels())
    }

    /// Calls `call` with a request of the layers for `count` samples each, at least one layer.
    fn sample(
        &mut self,
        world: &World,
        layers: &[&str],
        count: usize,
        call: impl FnOnce(*mut ffi::Sampler, &ffi::Request, *mut ffi::Error) -> bool,
    ) -> Result<Vec<f32>, Error> {
        let numbers = world.numbers(layers)?;
        let mut samples = vec![0.0; count * numbers.len()];
        let first: *mut f32 = samples.as_mut_ptr();
        // SAFETY: each offset is within `samples`, or at its end where there is nothing to fill.
        let outputs: Vec<*mut f32> =
            (0..numbers.len()).map(|i| unsafe { first.add(count * i) }).collect();
        let request = ffi::Request {
            layers: numbers.as_ptr(),
            outputs: outputs.as_ptr(),
            count: numbers.len() as c_uint,
        };
        checked(|error| call(self.0.as_ptr(), &request, error).then_some(()))?;
        Ok(samples)
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: it is the sampler's only owner.
        unsafe { ffi::terrane_sampler_free(self.0.as_ptr()) }
    }
}

struct LabelList(NonNull<ffi::Labels>);

impl LabelList {
    fn new() -> Result<LabelList, Error> {
        // SAFETY: the function takes nothing, and returns null when memory is out.
        NonNull::new(unsafe { ffi::terrane_labels_new() }).map(LabelList).ok_or_else(out_of_memory)
    }

    fn labels(&self) -> Vec<Label> {
        // SAFETY: the list is alive.
        let count = unsafe { ffi::terrane_label_count(self.0.as_ptr()) };
        (0..count).filter_map(|index| self.label(index)).collect()
    }

    fn label(&self, index: usize) -> Option<Label> {
        let mut found = ffi::Label {
            id: 0,
            x: 0,
            y: 0,
            size: 0.0,
            angle: 0.0,
            length: 0.0,
            height: 0.0,
            rank: 0,
            kind: [0; 16],
            name: [0; 128],
        };
        // SAFETY: the library writes a label, or nothing if there is no such index.
        unsafe { ffi::terrane_label_get(self.0.as_ptr(), index, &mut found) }.then(|| Label {
            id: found.id,
            place: Place { x: found.x, y: found.y },
            size: found.size,
            height: found.height,
            rank: found.rank,
            kind: text_of(&found.kind),
            name: text_of(&found.name),
        })
    }
}

impl Drop for LabelList {
    fn drop(&mut self) {
        // SAFETY: it is the list's only owner.
        unsafe { ffi::terrane_labels_free(self.0.as_ptr()) }
    }
}

/// The digest of samples, as servers have it in X-Terrane-Digest: 32 hex digits.
pub fn digest(samples: &[f32]) -> String {
    let mut text = [0; 33];
    // SAFETY: `samples` has its length, and the library writes 33 bytes.
    unsafe { ffi::terrane_digest(samples.as_ptr(), samples.len(), text.as_mut_ptr()) };
    text_of(&text)
}
