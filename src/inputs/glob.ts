/** A pattern cut where its first wildcard begins. */
export interface Glob {
  /** The folder above every match: `raw` of `raw/2024-*.gz`, `.` when the pattern begins with a wildcard. */
  readonly folder: string
  /** Tests a name relative to that folder. */
  readonly matches: (name: string) => boolean
}

const WILD = /[*?[{]/
const SPECIAL = /[\\^$.|+()[\]{}*?]/g

/** Reads `*`, `**`, `?`, `[a-z]`, `[!a]` and `{a,b}`; undefined for a path without any of them. */
export function parseGlob(pattern: string): Glob | undefined {
  if (!WILD.test(pattern)) return undefined
  const segments = pattern.split('/')
  const wild = segments.findIndex((segment) => WILD.test(segment))
  const folder = segments.slice(0, wild).join('/')
  const expression = new RegExp(`^${translate(segments.slice(wild).join('/'))}$`, 's')
  return {
    folder: folder || (pattern.startsWith('/') ? '/' : '.'),
    matches: (name) => expression.test(name),
  }
}

function translate(pattern: string): string {
  let out = ''
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at)
    const [token, expression] = tokenAt(rest)
    out += expression
    at += token
  }
  return out
}

/** The length of the next token, and its regular expression. */
function tokenAt(rest: string): [number, string] {
  if (rest.startsWith('**/')) return [3, '(?:[^/]+/)*']
  if (rest.startsWith('**')) return [2, '.*']
  if (rest.startsWith('*')) return [1, '[^/]*']
  if (rest.startsWith('?')) return [1, '[^/]']
  const set = /^\[(!?)(\]?[^\]/]*)\]/.exec(rest)
  if (set) return [set[0].length, `[${set[1] && '^'}${set[2]!.replace(/[\\[\]^]/g, '\\$&')}]`]
  const either = /^\{([^{}]*)\}/.exec(rest)
  if (either) return [either[0].length, `(?:${either[1]!.split(',').map(translate).join('|')})`]
  return [1, rest[0]!.replace(SPECIAL, '\\$&')]
}
