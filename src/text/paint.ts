/** What colours hang on. */
interface Paintable {
  readonly isTTY?: boolean | undefined
}

type Env = Readonly<Record<string, string | undefined>>

// Codes of a terminal, begun and ended.
const RED = ['\u001b[1;31m', '\u001b[0m'] as const
const YELLOW = ['\u001b[33m', '\u001b[39m'] as const
const GREEN = ['\u001b[32m', '\u001b[39m'] as const
const CYAN = ['\u001b[36m', '\u001b[39m'] as const
const BOLD = ['\u001b[1m', '\u001b[22m'] as const

/**
 * What a reader looks for first in a line, and its colour. The first rule that fits a line is its only one. The text is printed
 * as it is without colours, so that each of them says in words what it shows.
 */
const RULES: readonly (readonly [RegExp, readonly [string, string]])[] = [
  [/^posthaul:/, RED],
  [/(?<=^(?:- |\s+))error(?=:| {2,})/, RED],
  [/(?<=^(?:- |\s+))warning(?=:| {2,})/, YELLOW],
  [/(?<=^(?:- |\s+))note(?=:| {2,})/, CYAN],
  [/(?<=^\s+)failed(?= {2,})/, RED],
  [/(?<=^\s+)ok(?= {2,})/, GREEN],
  [/(?<=^\s+(?:rejected|pending|missing)\s+)[1-9][\d,]*/, YELLOW],
  [/(?<=^(?:.* {2})?\s*)≠ .+$/, YELLOW],
  [/(?<=^verify: .*)(?:it is|all are) there, exactly/, GREEN],
  [/(?<=^\s*(?:then|Then|once [^:]+|if it ends early): ).+$/, BOLD],
]

/**
 * True if text for this stream has colours: on a terminal, unless NO_COLOR or TERM=dumb says no; elsewhere if FORCE_COLOR
 * says yes. FORCE_COLOR comes first, as it does in Node.
 */
export function hasColours({ isTTY }: Paintable, env: Env): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: term } = env
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  if (none !== undefined && none !== '') return false
  return isTTY === true && term !== 'dumb'
}

/** Lines with colours. Their words stay as they are. */
export function painted(text: string): string {
  return text
    .split('\n')
    .map((line) => paintedLine(line))
    .join('\n')
}

/** The text of a warning, in which the first label has a colour. */
export function paintedLabel(text: string, label: string): string {
  return text.replace(`${label}:`, (found) => `${YELLOW[0]}${found}${YELLOW[1]}`)
}

/** Text for a stream: with colours if it has them. */
export function paintedFor(text: string, stream: Paintable, env: Env): string {
  return hasColours(stream, env) ? painted(text) : text
}

function paintedLine(line: string): string {
  const [rule, [on, off]] = RULES.find(([one]) => one.test(line)) ?? [/$^/, ['', '']]
  return line.replace(rule, (what) => on + what + off)
}
