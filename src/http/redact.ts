import { REDACTED, type Secret } from './secret.ts'

/** Takes secrets out of texts and errors before they reach logs, files or terminals. */
export interface Redactor {
  text(value: string): string
  /** A copy of the error and its causes, with only name, message, stack and code. */
  error(error: unknown): Error
}

const MAX_CAUSES = 5
// A group of three bytes has four base64 digits. Fewer digits would match in half of all texts.
const LEAST_CORE = 4
const BASE64_RUN = /[\w+/=%\\-]/

/**
 * A redactor of these secrets in every form in which answers repeat them: as they are, with characters escaped as in
 * JSON or URLs, and within base64 text, wherever in it they begin.
 */
export function redactorOf(secrets: readonly Secret[]): Redactor {
  // Longest first: a secret that contains another must not leave its tail.
  const values = [...new Set(secrets.map((secret) => secret.reveal()))]
    .filter(Boolean)
    .sort((a, b) => b.length - a.length)
  const plain = values.map((value) => new RegExp(anyForm(value), 'g'))
  const cores = values.flatMap(base64Cores)
  const encoded = cores.map((core) => new RegExp(anyForm(core, BASE64URL), 'g'))
  const least = Math.min(...[...values, ...cores].map(({ length }) => length))

  const text = (value: string): string => {
    // Most of an answer's dozen headers are shorter than any secret, so they need no search.
    if (value.length < least) return value
    let out = value
    for (const pattern of encoded) out = withoutRuns(out, pattern)
    for (const pattern of plain) out = out.replace(pattern, REDACTED)
    return out
  }
  const copy = (error: unknown, depth: number): Error => {
    if (!(error instanceof Error)) return new Error(text(String(error)))
    const clean = new Error(text(error.message))
    clean.name = error.name
    if (error.stack) clean.stack = text(error.stack)
    const { code } = error as NodeJS.ErrnoException
    if (typeof code === 'string') Object.assign(clean, { code })
    if (error.cause !== undefined && depth < MAX_CAUSES) clean.cause = copy(error.cause, depth + 1)
    return clean
  }
  return { text, error: (error) => copy(error, 0) }
}

/** The digits in which the URL-safe alphabet differs. */
const BASE64URL: Readonly<Record<string, string>> = { '+': '-', '/': '_' }

/**
 * The base64 digits of the secret's whole groups of three bytes, once for each of the three positions in a group where
 * the secret can begin. Whatever text is before and after the secret (`user:key`), its base64 contains one of these.
 */
function base64Cores(value: string): string[] {
  const bytes = Buffer.from(value)
  return [0, 1, 2]
    .map((skip) => bytes.subarray(skip, bytes.length - ((bytes.length - skip) % 3)).toString('base64'))
    .filter((core) => core.length >= LEAST_CORE)
}

/** The text without the base64 runs that the pattern matches: the digits around a core hold bits of the secret too. */
function withoutRuns(text: string, core: RegExp): string {
  if (text.search(core) === -1) return text
  let out = ''
  let at = 0
  for (const { index, 0: hit } of text.matchAll(core)) {
    if (index < at) continue
    let start = index
    let end = index + hit.length
    while (start > at && BASE64_RUN.test(text[start - 1]!)) start--
    while (end < text.length && BASE64_RUN.test(text[end]!)) end++
    out += text.slice(at, start) + REDACTED
    at = end
  }
  return out + text.slice(at)
}

/** A pattern of the text, with each character as it is, escaped as in JSON, or percent-encoded once or more. */
function anyForm(text: string, others: Readonly<Record<string, string>> = {}): string {
  return Array.from(text, (char) => {
    // The longest form is first: a percent sign also begins its own encoded form.
    const forms = [
      Array.from(Buffer.from(char), (byte) => `%(?:25)*${hex(byte, 2)}`).join(''),
      Array.from({ length: char.length }, (_, i) => `\\\\+u${hex(char.charCodeAt(i), 4)}`).join(''),
      /\w/.test(char) ? char : `\\\\*\\${char}`,
    ]
    const other = others[char]
    if (other !== undefined) forms.push(other)
    return `(?:${forms.join('|')})`
  }).join('')
}

function hex(code: number, digits: number): string {
  return code
    .toString(16)
    .padStart(digits, '0')
    .replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}
