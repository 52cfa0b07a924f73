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
 * How lines begin that a reader looks for first, and the colour of what `what` names. The first rule that fits a line is
 * its only one. The text is printed as it is without colours, so that each of them says in words what it shows.
 */
const RULES: readonly (readonly [RegExp, readonly [string, string]])[] = [
  [/^(?<before>)(?<what>posthaul:)/, RED],
  [/^(?<before>(?:- |\s+))(?<what>error)(?=:| {2,})/, RED],
  [/^(?<before>(?:- |\s+))(?<what>warning)(?=:| {2,})/, YELLOW],
  [/^(?<before>(?:- |\s+))(?<what>note)(?=:| {2,})/, CYAN],
  [/^(?<before>\s+)(?<what>failed)(?= {2,})/, RED],
  [/^(?<before>\s+)(?<what>ok)(?= {2,})/, GREEN],
  [/^(?<before>\s+(?:rejected|pending|missing)\s+)(?<what>[1-9][\d,]*)/, YELLOW],
  [/^(?<before>(?:.* {2})?\s*)(?<what>≠ .+)$/, YELLOW],
  [/^(?<before>verify: .*)(?<what>(?:it is|all are) there, exactly)/, GREEN],
  [/^(?<before>\s*(?:then|Then|once [^:]+|if it ends early): )(?<what>.+)$/, BOLD],
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
  for (const [rule, [on, off]] of RULES) {
    const groups = rule.exec(line)?.groups
    if (!groups) continue
    const [before, what] = [groups.before!, groups.what!]
    return `${before}${on}${what}${off}${line.slice(before.length + what.length)}`
  }
  return line
}
