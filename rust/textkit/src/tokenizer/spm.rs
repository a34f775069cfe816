//! Merges of a SentencePiece BPE vocabulary, made from its scores as Hugging Face's converter makes them.

use ahash::AHashMap;

/// Every way to write a piece as two pieces, best score first; `pieces` are (text, id, score) in order of id.
/// Pieces with equal scores: the longer left part first, then the longer right part, then order of ids.
pub fn merges_from_scores(pieces: &[(&str, u32, f32)]) -> Vec<(String, String)> {
    struct Merge<'a> {
        left: &'a str,
        right: &'a str,
        score: f32,
        left_chars: u32,
        right_chars: u32,
    }
    let ids: AHashMap<&str, u32> = pieces.iter().map(|(text, id, _)| (*text, *id)).collect();
    let mut merges = Vec::new();
    for (piece, _, score) in pieces {
        let chars = piece.chars().count() as u32;
        let first = merges.len();
        for (n, (at, _)) in piece.char_indices().enumerate().skip(1) {
            let (left, right) = piece.split_at(at);
            if ids.contains_key(left) && ids.contains_key(right) {
                let left_chars = n as u32;
                merges.push(Merge { left, right, score: *score, left_chars, right_chars: chars - left_chars });
            }
        }
        merges[first..].sort_by_key(|m| (ids[m.left], ids[m.right]));
    }
    merges.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then((b.left_chars, b.right_chars).cmp(&(a.left_chars, a.right_chars)))
    });
    merges.into_iter().map(|m| (m.left.to_string(), m.right.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_score_first_then_longer_left_part() {
        let pieces = [("a", 0, -5.0), ("b", 1, -6.0), ("ab", 2, -2.0), ("aba", 3, -3.0), ("ba", 4, -1.0)];
        let merges = merges_from_scores(&pieces);
        let joined: Vec<String> = merges.iter().map(|(l, r)| format!("{l} {r}")).collect();
        assert_eq!(joined, ["b a", "a b", "ab a", "a ba"]);
    }
}
