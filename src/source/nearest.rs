//! Names near a misspelt one.

/// Up to three of `candidates` that `name` may have been meant to be, nearest first.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let name = name.to_lowercase();
    // Jaro-Winkler favours names that begin alike, as misspelt ones mostly do.
    let score = |candidate: &str| strsim::jaro_winkler(&name, &candidate.to_lowercase());
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (score(candidate), candidate))
        .collect();
    scored.retain(|&(score, _)| score > 0.75);
    // Equally near ones by their letters, so that a message is the same in each run.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored
        .into_iter()
        .take(3)
        .map(|(_, candidate)| candidate)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_finds_its_word_and_noise_finds_nothing() {
        let lessons = ["softmax", "softmax-dispatch", "row-sum"];
        assert_eq!(nearest("sotfmax", lessons)[0], "softmax");
        assert!(nearest("zzz", lessons).is_empty());
    }
}
