const rows = (text: string) =>
  text
    .trim()
    .split(/;\s/)
    .map((row) => [row.slice(0, 2), row.slice(3)] as const)

/** Names that the service's GeoIP database (MaxMind's) writes otherwise than Unicode's CLDR, which the platform has. */
const OTHERWISE = new Map(
  rows(`
BQ Bonaire, Sint Eustatius, and Saba; CD DR Congo; CG Congo Republic; CI Ivory Coast; CV Cabo Verde; CZ Czechia;
FM Federated States of Micronesia; GS South Georgia and the South Sandwich Islands; HK Hong Kong; KN St Kitts and Nevis;
MK North Macedonia; MM Myanmar; MO Macao; NL The Netherlands; PS Palestine; SZ Eswatini; TR Türkiye; VC St Vincent and Grenadines`),
)
/** Regions of CLDR that are no countries of ISO 3166. */
const NO_COUNTRIES = 'AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' ')
/** What vendors call countries besides. */
const ALSO = rows(`
AX Aland; BN Brunei Darussalam; BO Plurinational State of Bolivia; BQ Caribbean Netherlands; CD Congo - Kinshasa;
CD Democratic Republic of the Congo; CD Congo, Democratic Republic of the; CG Congo - Brazzaville; CG Republic of the Congo;
CI Côte d'Ivoire; CV Cape Verde; CZ Czech Republic; FM Micronesia; GB UK; GB Great Britain; HK Hong Kong SAR China;
IR Islamic Republic of Iran; IR Iran, Islamic Republic of; JO Hashemite Kingdom of Jordan; KP Democratic People's Republic of Korea;
KR Republic of Korea; KR Korea, Republic of; LA Lao People's Democratic Republic; MD Republic of Moldova; MK Macedonia;
MK Macedonia (FYROM); MM Myanmar (Burma); MM Burma; MO Macao SAR China; MO Macau; PS Palestinian Territories;
PS Palestinian Territory; PS State of Palestine; RU Russian Federation; SY Syrian Arab Republic; SZ Swaziland; TL East Timor;
TR Turkey; TW Taiwan, Province of China; TZ United Republic of Tanzania; US USA; US United States of America; VA Holy See;
VA Vatican; VE Bolivarian Republic of Venezuela; VN Viet Nam`)

const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
const codes = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].flatMap((a, _, all) => all.map((b) => a + b))
// A code that CLDR reads as another one (DD, SU, YU) was a country's once.
const NAMES = new Map(
  codes.filter(isCountry).map((code) => [code, OTHERWISE.get(code) ?? plainName(names.of(code)!)]),
)
const CODES = new Map([
  ...ALSO.map(([code, name]) => [plain(name), code] as const),
  ...[...NAMES].map(([code, name]) => [plain(name), code] as const),
])

function isCountry(code: string): boolean {
  const isCurrent = Intl.getCanonicalLocales(`en-${code}`)[0] === `en-${code}`
  return isCurrent && !NO_COUNTRIES.includes(code) && names.of(code) !== undefined
}

function plainName(name: string): string {
  return name
    .replace(' & ', ' and ')
    .replace(/^St\. /, 'Saint ')
    .replace('’', "'")
}

/** The name of the country with a code, in whatever case. */
export function nameOfCountry(code: string): string | undefined {
  return NAMES.get(code.toUpperCase())
}

export function codeOfCountry(name: string): string | undefined {
  return CODES.get(plain(name))
}

/** Letters alone, in small ones, without accents and "the"; St is Saint. */
function plain(name: string): string {
  const letters = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('&', ' and ')
  const words = letters
    .split(/[^a-z0-9_]+/)
    .flatMap((word) => (word === 'the' ? [] : word === 'st' ? ['saint'] : [word]))
  return words
    .join(' ')
    .replace(/[^a-z]+/g, ' ')
    .trim()
}
