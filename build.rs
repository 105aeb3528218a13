//! Compresses the files that come with the program, so that one binary of a few megabytes holds all of them.
//!
//! Writes `embedded.rs` to `OUT_DIR`: a table `FILES` of each file's path from the root and its deflated bytes, which
//! `src/assets.rs` reads. A build without optimisation has an empty table: it reads the files from the disk, where
//! lessons are edited.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Folders that come with the program, below the root.
const FOLDERS: [&str; 4] = ["assets/ptx", "assets/recordings", "kernels", "lessons"];

/// Smaller by a few per cent than miniz's default level, for a second of build time.
const COMPRESSION_LEVEL: u8 = 8;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let mut table = String::from("static FILES: &[(&str, &[u8])] = &[\n");
    if env::var_os("PROFILE").is_some_and(|profile| profile == "release") {
        for folder in FOLDERS {
            println!("cargo:rerun-if-changed={folder}");
            embed(Path::new(folder), &out, &mut table)?;
        }
    }
    table.push_str("];\n");
    Ok(fs::write(out.join("embedded.rs"), table)?)
}

/// Compresses every file under `folder`, and names it in `table`.
fn embed(folder: &Path, out: &Path, table: &mut String) -> Result<(), Box<dyn Error>> {
    // Sorted, so that the same tree gives the same binary.
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            embed(&path, out, table)?;
            continue;
        }
        let name = path.iter().map(|part| part.to_string_lossy());
        let name = name.collect::<Vec<_>>().join("/");
        let deflated = out.join(name.replace('/', "+"));
        let bytes = miniz_oxide::deflate::compress_to_vec(&fs::read(&path)?, COMPRESSION_LEVEL);
        fs::write(&deflated, bytes)?;
        writeln!(table, "({name:?}, include_bytes!({deflated:?})),")?;
    }
    Ok(())
}
