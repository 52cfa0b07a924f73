/*
 * `{from}` and `{to}` in a query of a user's are the ends of a window: but not in comments and string literals, which each
 * dialect writes in its own way. Placeholders there are text, and a server would not find their values' types.
 */

/** A comment of several lines in which there may be others, so many deep. */
const nested = (depth: number): string =>
  String.raw`/\*(?:(?!/\*|\*/)[\s\S]${depth > 0 ? `|${nested(depth - 1)}` : ''})*\*/`

/** What `texts` takes, as patterns without groups that have a number. */
export const QUERY_TEXTS = {
  /** From two dashes to the end of the line. */
  dashes: String.raw`--[^\n]*`,
  /** MySQL takes two dashes without a blank after them for two signs. */
  dashesAndBlank: String.raw`--(?=\s|$)[^\n]*`,
  hash: String.raw`#[^\n]*`,
  comment: String.raw`/\*[\s\S]*?\*/`,
  /** What MySQL and MariaDB run by their version is no comment. */
  plainComment: String.raw`/\*(?!M?!)[\s\S]*?\*/`,
  nestedComment: nested(4),
  /** Quotes in which a doubled one stands for itself, and a backslash for nothing else. */
  doubled: `'(?:''|[^'])*'|"(?:""|[^"])*"`,
  /** Quotes in which a backslash takes the next sign's meaning. */
  escaped: String.raw`'(?:''|\\[\s\S]|[^'\\])*'|"(?:""|\\[\s\S]|[^"\\])*"`,
  ticks: String.raw`\x60(?:\x60\x60|\\[\s\S]|[^\x60\\])*\x60`,
  /** `$tag$ … $tag$` */
  dollars: String.raw`(?<![\w$])\$(?<tag>(?:[\p{L}_][\p{L}\p{N}_]*)?)\$[\s\S]*?\$\k<tag>\$`,
  /** `E'…'` of Postgres. */
  escapeString: String.raw`(?<![\w$])[eE]'(?:''|\\[\s\S]|[^'\\])*'`,
  /** `'''…'''` of BigQuery. */
  tripled: String.raw`'''(?:\\[\s\S]|[^\\])*?'''|"""(?:\\[\s\S]|[^\\])*?"""`,
} as const

/** Comments, literals and quoted names of a dialect, and besides them the ends of a window. The first pattern that fits counts. */
export function queryEnds(...texts: readonly string[]): RegExp {
  return new RegExp(String.raw`${texts.join('|')}|\{(?<end>from|to)\}`, 'gu')
}

/** Whether a query is read by windows. */
export function hasEnds(text: string, ends: RegExp): boolean {
  return [...text.matchAll(ends)].some(({ groups }) => groups?.end !== undefined)
}

/** The query with what stands for its ends. */
export function withEnds(text: string, ends: RegExp, bound: (end: 'from' | 'to') => string): string {
  return text.replaceAll(ends, (whole, ...rest) => {
    const { end } = rest.at(-1) as { readonly end?: 'from' | 'to' }
    return end === undefined ? whole : bound(end)
  })
}
