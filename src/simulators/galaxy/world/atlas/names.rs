//! Names for the generated systems.

use fastrand::Rng;

use super::Dice;

/// A source of names that gives each name once.
pub(super) struct SystemNames {
    stars: Vec<&'static str>,
    roll: Rng,
}

impl SystemNames {
    pub(super) fn new(dice: Dice) -> Self {
        let mut roll = dice.roll("names", &[]);
        let mut stars: Vec<&str> = STAR_NAMES.split_whitespace().collect();
        roll.shuffle(&mut stars);
        Self { stars, roll }
    }

    pub(super) fn next_name(&mut self, is_free: impl Fn(&str) -> bool) -> (String, String) {
        loop {
            let name = match self.stars.pop() {
                Some(star) => star.to_owned(),
                None => self.numbered_name(),
            };
            let id = name.to_lowercase().replace(' ', "_");
            if is_free(&id) {
                return (id, name);
            }
        }
    }

    fn numbered_name(&mut self) -> String {
        let catalogue = [
            "Gliese", "Kepler", "Wolf", "Ross", "Struve", "Luyten", "Lacaille",
        ];
        let name = catalogue[self.roll.usize(..catalogue.len())];
        format!("{name} {}", self.roll.u16(2..1000))
    }
}

/// `market_prime` as a name: `Market Prime`.
pub(crate) fn title_case(id: &str) -> String {
    let words: Vec<String> = id
        .split('_')
        .map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            format!("{}{rest}", first.to_uppercase())
        })
        .collect();
    words.join(" ")
}

const STAR_NAMES: &str = "Achernar Acrux Acubens Adhara Adhafera Albali Albireo Alchiba Alcor Alcyone \
    Aldebaran Alderamin Alfirk Algedi Algenib Algieba Algol Algorab Alhena Alioth Alkaid Alkes \
    Almach Alnair Alnasl Alnilam Alnitak Alphard Alphecca Alpheratz Altair Altais Aludra Alya \
    Ancha Ankaa Arcturus Arkab Arneb Ascella Asellus Aspidiske Atlas Atria Avior Azha Barnard \
    Baten Bellatrix Betelgeuse Biham Botein Canopus Capella Castor Cebalrai Celaeno Chara Chertan \
    Coxa Cujam Cursa Dabih Deneb Denebola Diphda Dnoces Dschubba Dubhe Dziban Edasich Electra \
    Elnath Eltanin Enif Errai Fomalhaut Gacrux Gemma Giausar Gienah Gomeisa Grumium Hadar Hamal \
    Hassaleh Hatysa Heze Hydor Izar Jabbah Kaus Keid Kitalpha Kochab Kornephoros Kraz Kurhah Lesath \
    Maasym Maia Marfik Markab Matar Mebsuta Megrez Meissa Mekbuda Menkalinan Menkar Menkent Menkib \
    Merak Merope Mesarthim Miaplacidus Mimosa Minkar Mintaka Mira Mirach Mirfak Mirzam Mizar \
    Mothallah Muliphein Muphrid Murzim Nashira Navi Nekkar Nihal Nunki Okab Peacock Phact Phecda \
    Pherkad Pleione Polaris Pollux Porrima Procyon Propus Rasalas Rastaban Regor Regulus Rigel \
    Rotanev Ruchbah Rukbat Sabik Sadachbia Sadalmelik Sadalsuud Sadr Saiph Sargas Sarin Scheat \
    Schedar Segin Seginus Sham Shaula Sheliak Sheratan Skat Spica Sualocin Subra Suhail Sulafat \
    Syrma Talitha Tania Tarazed Taygeta Tegmine Tejat Terebellum Thabit Theemin Thuban Tureis \
    Unukalhai Vega Vindemiatrix Wasat Wezen Wezn Yildun Zaniah Zaurak Zavijava Zibal Zosma";
