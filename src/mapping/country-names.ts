/**
 * Codes of ISO 3166 and, after each, the country's English name as the service's own GeoIP database writes it. A table of
 * ours: the names of the platform differ from one version of Node to the next.
 */
const NAMES = `
AD Andorra; AE United Arab Emirates; AF Afghanistan; AG Antigua and Barbuda; AI Anguilla; AL Albania;
AM Armenia; AO Angola; AQ Antarctica; AR Argentina; AS American Samoa; AT Austria; AU Australia;
AW Aruba; AX Åland Islands; AZ Azerbaijan; BA Bosnia and Herzegovina; BB Barbados; BD Bangladesh;
BE Belgium; BF Burkina Faso; BG Bulgaria; BH Bahrain; BI Burundi; BJ Benin; BL Saint Barthélemy;
BM Bermuda; BN Brunei; BO Bolivia; BQ Bonaire, Sint Eustatius, and Saba; BR Brazil; BS Bahamas;
BT Bhutan; BV Bouvet Island; BW Botswana; BY Belarus; BZ Belize; CA Canada; CC Cocos (Keeling) Islands;
CD DR Congo; CF Central African Republic; CG Congo Republic; CH Switzerland; CI Ivory Coast;
CK Cook Islands; CL Chile; CM Cameroon; CN China; CO Colombia; CR Costa Rica; CU Cuba; CV Cabo Verde;
CW Curaçao; CX Christmas Island; CY Cyprus; CZ Czechia; DE Germany; DJ Djibouti; DK Denmark; DM Dominica;
DO Dominican Republic; DZ Algeria; EC Ecuador; EE Estonia; EG Egypt; EH Western Sahara; ER Eritrea;
ES Spain; ET Ethiopia; FI Finland; FJ Fiji; FK Falkland Islands; FM Federated States of Micronesia;
FO Faroe Islands; FR France; GA Gabon; GB United Kingdom; GD Grenada; GE Georgia; GF French Guiana;
GG Guernsey; GH Ghana; GI Gibraltar; GL Greenland; GM Gambia; GN Guinea; GP Guadeloupe;
GQ Equatorial Guinea; GR Greece; GS South Georgia and the South Sandwich Islands; GT Guatemala; GU Guam;
GW Guinea-Bissau; GY Guyana; HK Hong Kong; HM Heard and McDonald Islands; HN Honduras; HR Croatia;
HT Haiti; HU Hungary; ID Indonesia; IE Ireland; IL Israel; IM Isle of Man; IN India;
IO British Indian Ocean Territory; IQ Iraq; IR Iran; IS Iceland; IT Italy; JE Jersey; JM Jamaica;
JO Jordan; JP Japan; KE Kenya; KG Kyrgyzstan; KH Cambodia; KI Kiribati; KM Comoros;
KN St Kitts and Nevis; KP North Korea; KR South Korea; KW Kuwait; KY Cayman Islands; KZ Kazakhstan;
LA Laos; LB Lebanon; LC Saint Lucia; LI Liechtenstein; LK Sri Lanka; LR Liberia; LS Lesotho;
LT Lithuania; LU Luxembourg; LV Latvia; LY Libya; MA Morocco; MC Monaco; MD Moldova; ME Montenegro;
MF Saint Martin; MG Madagascar; MH Marshall Islands; MK North Macedonia; ML Mali; MM Myanmar;
MN Mongolia; MO Macao; MP Northern Mariana Islands; MQ Martinique; MR Mauritania; MS Montserrat;
MT Malta; MU Mauritius; MV Maldives; MW Malawi; MX Mexico; MY Malaysia; MZ Mozambique; NA Namibia;
NC New Caledonia; NE Niger; NF Norfolk Island; NG Nigeria; NI Nicaragua; NL The Netherlands; NO Norway;
NP Nepal; NR Nauru; NU Niue; NZ New Zealand; OM Oman; PA Panama; PE Peru; PF French Polynesia;
PG Papua New Guinea; PH Philippines; PK Pakistan; PL Poland; PM Saint Pierre and Miquelon;
PN Pitcairn Islands; PR Puerto Rico; PS Palestine; PT Portugal; PW Palau; PY Paraguay; QA Qatar;
RE Réunion; RO Romania; RS Serbia; RU Russia; RW Rwanda; SA Saudi Arabia; SB Solomon Islands;
SC Seychelles; SD Sudan; SE Sweden; SG Singapore; SH Saint Helena; SI Slovenia;
SJ Svalbard and Jan Mayen; SK Slovakia; SL Sierra Leone; SM San Marino; SN Senegal; SO Somalia;
SR Suriname; SS South Sudan; ST São Tomé and Príncipe; SV El Salvador; SX Sint Maarten; SY Syria;
SZ Eswatini; TC Turks and Caicos Islands; TD Chad; TF French Southern Territories; TG Togo; TH Thailand;
TJ Tajikistan; TK Tokelau; TL Timor-Leste; TM Turkmenistan; TN Tunisia; TO Tonga; TR Türkiye;
TT Trinidad and Tobago; TV Tuvalu; TW Taiwan; TZ Tanzania; UA Ukraine; UG Uganda;
UM U.S. Outlying Islands; US United States; UY Uruguay; UZ Uzbekistan; VA Vatican City;
VC St Vincent and Grenadines; VE Venezuela; VG British Virgin Islands; VI U.S. Virgin Islands;
VN Vietnam; VU Vanuatu; WF Wallis and Futuna; WS Samoa; XK Kosovo; YE Yemen; YT Mayotte; ZA South Africa;
ZM Zambia; ZW Zimbabwe`

/** Other names of the same countries, as vendors write them. */
const OTHER_NAMES = `
BQ Caribbean Netherlands; CD Congo - Kinshasa; CD Democratic Republic of the Congo;
CD Congo, Democratic Republic of the; CG Congo - Brazzaville; CG Republic of the Congo;
CI Côte d'Ivoire; CV Cape Verde; FM Micronesia; HK Hong Kong SAR China; MM Myanmar (Burma); MM Burma;
MO Macao SAR China; MO Macau; PS Palestinian Territories; PS Palestinian Territory;
PS State of Palestine; TR Turkey; CZ Czech Republic; MK Macedonia; MK Macedonia (FYROM); SZ Swaziland;
RU Russian Federation; KR Republic of Korea; KR Korea, Republic of;
KP Democratic People's Republic of Korea; VN Viet Nam; IR Islamic Republic of Iran;
IR Iran, Islamic Republic of; US USA; US United States of America; GB UK; GB Great Britain; VA Holy See;
VA Vatican; TL East Timor; MD Republic of Moldova; SY Syrian Arab Republic;
LA Lao People's Democratic Republic; BN Brunei Darussalam; TZ United Republic of Tanzania;
BO Plurinational State of Bolivia; VE Bolivarian Republic of Venezuela; JO Hashemite Kingdom of Jordan;
TW Taiwan, Province of China; AX Aland`

/** Each country: its code, its name. */
export const COUNTRIES = pairs(NAMES)
const byCode = new Map(COUNTRIES)
/** Folded name -> code. */
const byName = new Map([...pairs(OTHER_NAMES), ...COUNTRIES].map(([code, name]) => [folded(name), code]))

/** The country's name; undefined for what is no code of a country (XX, T1, EU). */
export function countryName(code: string): string | undefined {
  return byCode.get(code.toUpperCase())
}

/** The country's code, two capital letters; undefined for a name that is not known. */
export function countryCode(name: string): string | undefined {
  return byName.get(folded(name))
}

function pairs(table: string): (readonly [code: string, name: string])[] {
  return table
    .trim()
    .split(/;\s/)
    .map((row) => [row.slice(0, 2), row.slice(3)] as const)
}

/** Without accents, case, articles and marks: "St. Kitts & Nevis" and "saint kitts and nevis" are one. */
function folded(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/\bst\b/g, 'saint')
    .replace(/\bthe\b/g, ' ')
    .replace(/[^a-z]+/g, ' ')
    .trim()
}
