//! What a page of HTML may do: follow links of known schemes, show pictures that it holds itself, use its own style
//! sheet. Whoever opens it trusts neither the lesson's author nor their links, and may be offline.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use sha2::{Digest, Sha256};

/// Schemes that a link may have. Not `javascript:`, which runs, nor `data:`, which is a page of its own, nor what
/// starts another program.
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// Pictures that browsers draw without obeying them, by their first bytes. SVG is none: it is a document.
const PICTURES: [(&str, &[u8]); 4] = [
    ("png", b"\x89PNG\r\n\x1a\n"),
    ("jpeg", b"\xff\xd8\xff"),
    ("gif", b"GIF8"),
    ("webp", b"RIFF"),
];

/// What forbids a browser everything that a page with this style sheet does not need.
pub(crate) fn content_security_policy(style_sheet: &str, has_pictures: bool) -> String {
    let hash = BASE64_STANDARD.encode(Sha256::digest(style_sheet));
    let pictures = if has_pictures { "data:" } else { "'none'" };
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; img-src {pictures}; base-uri 'none'; form-action 'none'"
    )
}

/// Whether a page may lead to `target`: a page or mail by one of [`SCHEMES`], a place in this page, or a file beside it.
pub(crate) fn is_link_allowed(target: &str) -> bool {
    // Browsers drop blanks around an address and newlines and tabs within it (WHATWG URL, 4.4), and take `\` for `/`:
    // no honest address has any of them.
    if target.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
        return false;
    }
    let end = target.find([':', '/', '?', '#']);
    match end.map(|end| target.split_at(end)) {
        Some((scheme, rest)) if rest.starts_with(':') => {
            let is_known = |known: &str| scheme.eq_ignore_ascii_case(known);
            SCHEMES.iter().any(|known| is_known(known))
        }
        // `//host/share` of a page on disk asks another machine for a file.
        _ => !target.starts_with("//"),
    }
}

/// `bytes` as the source of a picture; nothing if browsers would not draw them.
pub(crate) fn picture_source(bytes: &[u8]) -> Option<String> {
    let (kind, _) = PICTURES
        .iter()
        .find(|(_, start)| bytes.starts_with(start))?;
    Some(format!(
        "data:image/{kind};base64,{}",
        BASE64_STANDARD.encode(bytes)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_and_hashes_are_in_the_base64_of_the_standard() {
        // With the padding and the two signs that other alphabets have otherwise (RFC 4648, section 4).
        for (picture, source) in [
            (&b"GIF8"[..], "R0lGOA=="),
            (b"GIF8a", "R0lGOGE="),
            (b"GIF8ab", "R0lGOGFi"),
            (b"GIF8ab\xfb\xff", "R0lGOGFi+/8="),
        ] {
            let source = format!("data:image/gif;base64,{source}");
            assert_eq!(picture_source(picture), Some(source));
        }
        // SHA-256 of nothing (FIPS 180-4).
        let hash = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";
        assert!(content_security_policy("", false).contains(hash));
    }

    #[test]
    fn links_lead_to_pages_mail_and_places_only() {
        for allowed in [
            "http://a.b/c?d=e:f#g",
            "HTTPS://a.b",
            "mailto:a@b.c",
            "#here",
            "next.md",
            "../a/b.html?x=1",
            "/index.html",
            "a/b:c",
            "?q=javascript:x",
            "",
        ] {
            assert!(is_link_allowed(allowed), "{allowed}");
        }
        for refused in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            " javascript:alert(1)",
            "\u{1}javascript:alert(1)",
            "java\tscript:alert(1)",
            "java\nscript:alert(1)",
            "javascript\u{a0}:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "blob:x",
            "view-source:x",
            "ms-msdt:x",
            ":x",
            "//host/share",
            "\\\\host\\share",
            "/\\host",
            "https:\\\\host",
        ] {
            assert!(!is_link_allowed(refused), "{refused}");
        }
    }
}
