import { REDACTED, type Secret } from './secret.ts'

/** Takes secrets out of whatever is about to leave: the last gate before logs, files and terminals. */
export interface Redactor {
  text(value: string): string
  /** A copy of the error, causes included, with nothing but name, message, stack and code. */
  error(error: unknown): Error
}

const MAX_CAUSES = 5

/** A redactor of these secrets, also in the forms that URLs and Basic authorization give them. */
export function redactorOf(secrets: readonly Secret[]): Redactor {
  const needles = new Set<string>()
  for (const secret of secrets) {
    const value = secret.reveal()
    needles.add(value).add(encodeURIComponent(value)).add(Buffer.from(value).toString('base64'))
  }
  // Longest first: a secret that contains another must not leave its tail behind.
  const ordered = [...needles].filter(Boolean).sort((a, b) => b.length - a.length)

  const text = (value: string): string => {
    let out = value
    for (const needle of ordered) if (out.includes(needle)) out = out.replaceAll(needle, REDACTED)
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
