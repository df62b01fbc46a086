//! The names of HTML entities for ASCII and Latin-1, sorted.

/// A name without `&` and `;`, and its character.
#[rustfmt::skip]
const ENTITY_NAMES: [(&str, char); 158] = [
    ("AElig", 'Æ'), ("AMP", '&'), ("Aacute", 'Á'), ("Acirc", 'Â'), ("Agrave", 'À'), ("Aring", 'Å'),
    ("Atilde", 'Ã'), ("Auml", 'Ä'), ("COPY", '©'), ("Ccedil", 'Ç'), ("Cedilla", '¸'),
    ("CenterDot", '·'), ("DiacriticalAcute", '´'), ("DiacriticalGrave", '`'), ("Dot", '¨'),
    ("DoubleDot", '¨'), ("ETH", 'Ð'), ("Eacute", 'É'), ("Ecirc", 'Ê'), ("Egrave", 'È'),
    ("Euml", 'Ë'), ("GT", '>'), ("Hat", '^'), ("Iacute", 'Í'), ("Icirc", 'Î'), ("Igrave", 'Ì'),
    ("Iuml", 'Ï'), ("LT", '<'), ("NewLine", '\n'), ("NonBreakingSpace", '\u{a0}'), ("Ntilde", 'Ñ'),
    ("Oacute", 'Ó'), ("Ocirc", 'Ô'), ("Ograve", 'Ò'), ("Oslash", 'Ø'), ("Otilde", 'Õ'),
    ("Ouml", 'Ö'), ("PlusMinus", '±'), ("QUOT", '"'), ("REG", '®'), ("THORN", 'Þ'), ("Tab", '\t'),
    ("Uacute", 'Ú'), ("Ucirc", 'Û'), ("Ugrave", 'Ù'), ("UnderBar", '_'), ("Uuml", 'Ü'),
    ("VerticalLine", '|'), ("Yacute", 'Ý'), ("aacute", 'á'), ("acirc", 'â'), ("acute", '´'),
    ("aelig", 'æ'), ("agrave", 'à'), ("amp", '&'), ("angst", 'Å'), ("apos", '\''), ("aring", 'å'),
    ("ast", '*'), ("atilde", 'ã'), ("auml", 'ä'), ("brvbar", '¦'), ("bsol", '\\'), ("ccedil", 'ç'),
    ("cedil", '¸'), ("cent", '¢'), ("centerdot", '·'), ("circledR", '®'), ("colon", ':'),
    ("comma", ','), ("commat", '@'), ("copy", '©'), ("curren", '¤'), ("deg", '°'), ("die", '¨'),
    ("div", '÷'), ("divide", '÷'), ("dollar", '$'), ("eacute", 'é'), ("ecirc", 'ê'),
    ("egrave", 'è'), ("equals", '='), ("eth", 'ð'), ("euml", 'ë'), ("excl", '!'), ("frac12", '½'),
    ("frac14", '¼'), ("frac34", '¾'), ("grave", '`'), ("gt", '>'), ("half", '½'), ("iacute", 'í'),
    ("icirc", 'î'), ("iexcl", '¡'), ("igrave", 'ì'), ("iquest", '¿'), ("iuml", 'ï'),
    ("laquo", '«'), ("lbrace", '{'), ("lbrack", '['), ("lcub", '{'), ("lowbar", '_'),
    ("lpar", '('), ("lsqb", '['), ("lt", '<'), ("macr", '¯'), ("micro", 'µ'), ("midast", '*'),
    ("middot", '·'), ("nbsp", '\u{a0}'), ("not", '¬'), ("ntilde", 'ñ'), ("num", '#'),
    ("oacute", 'ó'), ("ocirc", 'ô'), ("ograve", 'ò'), ("ordf", 'ª'), ("ordm", 'º'),
    ("oslash", 'ø'), ("otilde", 'õ'), ("ouml", 'ö'), ("para", '¶'), ("percnt", '%'),
    ("period", '.'), ("plus", '+'), ("plusmn", '±'), ("pm", '±'), ("pound", '£'), ("quest", '?'),
    ("quot", '"'), ("raquo", '»'), ("rbrace", '}'), ("rbrack", ']'), ("rcub", '}'), ("reg", '®'),
    ("rpar", ')'), ("rsqb", ']'), ("sect", '§'), ("semi", ';'), ("shy", '\u{ad}'), ("sol", '/'),
    ("strns", '¯'), ("sup1", '¹'), ("sup2", '²'), ("sup3", '³'), ("szlig", 'ß'), ("thorn", 'þ'),
    ("times", '×'), ("uacute", 'ú'), ("ucirc", 'û'), ("ugrave", 'ù'), ("uml", '¨'), ("uuml", 'ü'),
    ("verbar", '|'), ("vert", '|'), ("yacute", 'ý'), ("yen", '¥'), ("yuml", 'ÿ'),
];

pub(super) const MAX_ENTITY_NAME_BYTES: usize = 16;

/// The character of a name; `None` if the name is unknown.
pub(super) fn entity_letter(name: &str) -> Option<char> {
    let place = ENTITY_NAMES.binary_search_by_key(&name, |(name, _)| name);
    place.ok().map(|place| ENTITY_NAMES[place].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found() {
        assert!(ENTITY_NAMES.is_sorted());
        for (name, meant) in ENTITY_NAMES {
            assert_eq!(entity_letter(name), Some(meant), "{name}");
            assert!(name.len() <= MAX_ENTITY_NAME_BYTES);
        }
        assert_eq!(entity_letter("nosuch"), None);
    }
}
