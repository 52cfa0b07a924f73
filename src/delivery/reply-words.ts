import type { Reply } from '../http/index.ts'
import { KIB, parseOnce } from '../text/index.ts'

/** An answer of any status. */
export type Answered = Extract<Reply, { status: number }>

const WORDS_MAX = 300
/** So many characters of a body are searched for words. */
const READ_MAX = 64 * KIB

/** Parses a body; undefined if it isn't a JSON object, or says one thing twice. */
export function parseObject(body: string): Record<string, unknown> | undefined {
  try {
    const value = parseOnce(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** True for a page of HTML: a proxy's, or a portal's. */
export function isPage({ headers, body }: Answered): boolean {
  return isMarkup(body) || /^\s*text\/html\b/i.test(headers['content-type'] ?? '')
}

function isMarkup(body: string): boolean {
  return /^\s*</.test(body)
}

/** The server's own words on one line, short enough for a terminal and a rejects file. */
export function wordsOf(body: string): string {
  // Of an answer of megabytes the patterns would overflow the engine's stack.
  const begin = body.slice(0, READ_MAX)
  const text = isMarkup(begin) ? begin.replace(/<(script|style)\b[\s\S]*?<\/\1>|<[^>]*>/gi, ' ') : begin
  // A terminal would obey control characters.
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return line.length > WORDS_MAX ? `${line.slice(0, WORDS_MAX)}…` : line
}
