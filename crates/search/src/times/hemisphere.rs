//! Decides from the time zone whether the seasons are those of the southern hemisphere. Pure.

use super::Season;

/// Groups of zones that lie in the south as a whole.
const SOUTHERN_GROUPS: [&str; 5] = ["Antarctica/", "America/Argentina/", "Australia/", "Brazil/", "Chile/"];
/// Other zones in the south. Those within ten degrees of the equator have no four seasons and are left out, except in Brazil.
const SOUTHERN: &str = "
    Africa/Blantyre Africa/Gaborone Africa/Harare Africa/Johannesburg Africa/Lubumbashi Africa/Lusaka Africa/Maputo Africa/Maseru
    Africa/Mbabane Africa/Windhoek America/Araguaina America/Asuncion America/Bahia America/Belem America/Buenos_Aires
    America/Campo_Grande America/Catamarca America/Cordoba America/Coyhaique America/Cuiaba America/Eirunepe America/Fortaleza
    America/Jujuy America/La_Paz America/Lima America/Maceio America/Manaus America/Mendoza America/Montevideo America/Noronha
    America/Porto_Acre America/Porto_Velho America/Punta_Arenas America/Recife America/Rio_Branco America/Rosario
    America/Santarem America/Santiago America/Sao_Paulo Atlantic/South_Georgia Atlantic/St_Helena Atlantic/Stanley
    Indian/Antananarivo Indian/Cocos Indian/Kerguelen Indian/Mauritius Indian/Reunion NZ NZ-CHAT Pacific/Apia Pacific/Auckland
    Pacific/Chatham Pacific/Easter Pacific/Efate Pacific/Fiji Pacific/Gambier Pacific/Niue Pacific/Norfolk Pacific/Noumea
    Pacific/Pago_Pago Pacific/Pitcairn Pacific/Rarotonga Pacific/Samoa Pacific/Tahiti Pacific/Tongatapu";

impl Season {
    /// Returns the season of the northern hemisphere that has the months of this season in a time zone: in Australia, the
    /// months of summer are those of the northern winter.
    pub(super) fn northern_in(self, zone: &str) -> Season {
        if !is_southern(zone) {
            return self;
        }
        match self {
            Season::Spring => Season::Autumn,
            Season::Summer => Season::Winter,
            Season::Autumn => Season::Spring,
            Season::Winter => Season::Summer,
        }
    }
}

fn is_southern(zone: &str) -> bool {
    SOUTHERN_GROUPS.iter().any(|group| zone.starts_with(group)) || SOUTHERN.split_whitespace().any(|name| name == zone)
}
