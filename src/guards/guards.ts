import type { CheckFinding } from '../checks/finding.ts'
import { PosthaulError } from '../errors.ts'
import { row } from '../options/row.ts'
import { GROUPS } from './groups.ts'
import type { Guard, GuardFacts } from './guard.ts'

/** All guards, in the order in which they look. */
export const GUARDS: readonly Guard[] = [GROUPS]

/** The codes that can be accepted. */
export function acceptable(guards: readonly Guard[]): string[] {
  return guards.flatMap(({ codes }) =>
    Object.keys(codes).filter((code) => codes[code]!.accepted !== undefined),
  )
}

/** The row of `--accept`, for what stands against an import. */
export const ACCEPT = row({
  flag: '--accept <code...>',
  choices: acceptable(GUARDS),
  help: 'go on although it was found; docs/findings.md says what each code stands for',
})

/** What all guards find. An error that the user accepts is a warning; what can be accepted says how. */
export function guardFindings(facts: GuardFacts, accept: readonly string[] = []): CheckFinding[] {
  return GUARDS.flatMap(({ codes, look }) =>
    look(facts).flatMap((one): CheckFinding | [] => {
      if (!one) return []
      if (codes[one.kind]!.accepted === undefined) return one
      if (accept.includes(one.kind)) return { ...one, level: 'warning' }
      const go = `to go on all the same add --accept ${one.kind}`
      return { ...one, remedy: one.remedy === undefined ? go : `${one.remedy}; ${go}` }
    }),
  )
}

/** What a run knows of what stands against it, from its start to its first change. */
export class GuardedRun {
  readonly findings: CheckFinding[] = []
  readonly #accept: readonly string[]
  readonly #note: (text: string) => void
  readonly #unchanged: string

  /** `unchanged`: what a run that is refused has not done: `none of the events was sent`. */
  constructor(accept: readonly string[], note: (text: string) => void, unchanged: string) {
    this.#accept = accept
    this.#note = note
    this.#unchanged = unchanged
  }

  /** Code `found` if an error that is not accepted stands against the run. The rest is noted. */
  look(facts: GuardFacts): void {
    const found = guardFindings(facts, this.#accept)
    this.findings.push(...found)
    const [first, ...others] = found.filter(({ level }) => level === 'error')
    for (const { level, text } of found) if (level !== 'error') this.#note(text)
    if (!first) return
    throw new PosthaulError(`${first.text}; ${this.#unchanged}`, {
      code: 'found',
      finding: first.kind,
      lines: others.map(({ text }) => text),
      hint: first.remedy!,
      once: 'that is done',
    })
  }
}
