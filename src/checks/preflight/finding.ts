import { PosthaulError } from '../../errors.ts'

/**
 * How much a finding matters. `error`: what was asked for would fail, or lose events, so it must not start. `warning`: it
 * may, or takes longer than it has to; the user decides. `note`: good to know, or could not be found out. `ok`: as it
 * should be.
 */
export const FINDING_LEVELS = ['ok', 'note', 'warning', 'error'] as const
export type FindingLevel = (typeof FINDING_LEVELS)[number]

/** What a check found, in words for a user: no secret is in any of them. */
export interface Finding {
  /** The name of the check, for scripts: `disk`, `project-key`. */
  readonly check: string
  readonly level: FindingLevel
  /** What is so, in one sentence without a full stop. */
  readonly text: string
  /** Why it is so, or why it matters. */
  readonly cause?: string
  /** What the user can do about it, imperative. */
  readonly remedy?: string
}

/** What a finding says besides its first sentence. */
export type Because = Pick<Finding, 'cause' | 'remedy'>

/** The findings of one check, which all carry its name. */
export function findingsOf(check: string) {
  const at =
    (level: FindingLevel) =>
    (text: string, because: Because = {}): Finding => ({ check, level, text, ...because })
  return { ok: at('ok'), note: at('note'), warning: at('warning'), error: at('error') }
}

/** An error of the program as a finding: its message is the cause, its hint the remedy. A bug is thrown on. */
export function becauseOf(error: unknown): Required<Pick<Because, 'cause'>> & Because {
  if (!(error instanceof PosthaulError)) throw error
  return {
    cause: [error.message, ...error.lines].join('; '),
    ...(error.hint !== undefined && { remedy: error.hint }),
  }
}

/** True if what was asked for must not start. */
export function hasFailed(findings: readonly Finding[]): boolean {
  return findings.some(({ level }) => level === 'error')
}
