/** Months from January, in the languages that exports use, as they stand in a date; `|` is between spellings. */
const LANGUAGES = [
  'january february march april may june july august september october november december',
  'januar|jänner februar|feber märz|mrz april mai juni juli august september oktober november dezember',
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
  'enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre',
  'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
  'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro',
  'januari februari maart|mrt april mei juni juli augustus september oktober november december',
  'januari februari mars april maj juni juli augusti september oktober november december',
  'januar februar marts|mars april maj|mai juni juli august september oktober november december|desember',
  'stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia',
  'ledna února března dubna května června července srpna září října listopadu prosince',
  'ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık',
  'января февраля марта апреля мая|май июня июля августа сентября октября ноября декабря',
].map((names) =>
  names.split(' ').flatMap((name, month) => name.split('|').map((one) => [plain(one), month + 1] as const)),
)

/** Abbreviations that stand for one offset everywhere, in minutes. CST, CDT, BST, IST and AST name clocks of several places. */
const ABBREVIATIONS: Readonly<Record<string, number>> = {
  ...{
    Z: 0,
    UTC: 0,
    UCT: 0,
    GMT: 0,
    WET: 0,
    WEST: 60,
    CET: 60,
    MEZ: 60,
    CEST: 120,
    MESZ: 120,
    EET: 120,
    EEST: 180,
  },
  ...{
    MSK: 180,
    SAST: 120,
    SGT: 480,
    HKT: 480,
    JST: 540,
    KST: 540,
    AWST: 480,
    ACST: 570,
    ACDT: 630,
    AEST: 600,
  },
  ...{ AEDT: 660, NZST: 720, NZDT: 780, EST: -300, EDT: -240, MST: -420, MDT: -360, PST: -480 },
  ...{ PDT: -420, AKST: -540, AKDT: -480, HST: -600 },
}

/** The halves of a day, as parts of a regular expression. */
const MORNING = String.raw`[Aa]\.?\s?[Mm]\.?|上午|午前|오전`
export const NOON = String.raw`[Pp]\.?\s?[Mm]\.?|下午|午後|오후`
export const HALF_OF_DAY = `${MORNING}|${NOON}`

function plain(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/\p{M}|\.$/gu, '')
    .toLowerCase()
    .replaceAll('ı', 'i')
}

const months = new Map<string, number>()

/** The month, from 1, that a name or the beginning of one stands for; undefined for several months and for none. */
export function monthNamed(name: string): number | undefined {
  const wanted = plain(name)
  if (wanted.length < 3) return undefined
  let month = months.get(wanted)
  if (month === undefined) {
    const names = LANGUAGES.flat()
    const exact = names.filter(([one]) => one === wanted)
    const meant = new Set(
      (exact.length > 0 ? exact : names.filter(([one]) => one.startsWith(wanted))).map(([, at]) => at),
    )
    const [only] = meant
    month = meant.size === 1 ? only! : 0
    // Names come from the data: only those that are months are kept.
    if (month > 0) months.set(wanted, month)
  }
  return month === 0 ? undefined : month
}

/** Minutes east of UTC of a zone's abbreviation; undefined for one that several places use, or nobody. */
export function abbreviatedOffset(name: string): number | undefined {
  const upper = name.toUpperCase()
  return Object.hasOwn(ABBREVIATIONS, upper) ? ABBREVIATIONS[upper] : undefined
}
