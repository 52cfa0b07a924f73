import type { CheckFinding } from '../checks/finding.ts'
import { PosthaulError } from '../errors.ts'
import { GROUPS } from './groups.ts'
import type { Guard, GuardFacts } from './guard.ts'
import { RETENTION } from './hidden-events.ts'
import { KEY } from './key.ts'
import { LINES } from './lines.ts'
import { OTHERS } from './others.ts'
import { PROJECT_RULES } from './project-rules.ts'
import { QUOTA } from './quota.ts'
import { REFUSALS } from './refusals.ts'
import { REPEATS } from './repeats.ts'
import { SENT } from './sent.ts'
import { TESTS } from './tests.ts'
import { TRIAL } from './trial.ts'
import { UNASKED } from './unasked.ts'
import { UNMATCHED } from './unmatched.ts'
import { UUIDS } from './uuids.ts'

/** All guards, in the order in which they look. */
export const GUARDS: readonly Guard[] = [
  KEY,
  UNASKED,
  QUOTA,
  RETENTION,
  PROJECT_RULES,
  SENT,
  TRIAL,
  OTHERS,
  GROUPS,
  TESTS,
  REPEATS,
  UNMATCHED,
  LINES,
  UUIDS,
  REFUSALS,
]

/** What all guards find. An error that the user accepts is a warning; what can be accepted says how. */
export function guardFindings(facts: GuardFacts, accept: readonly string[] = []): CheckFinding[] {
  return GUARDS.flatMap(({ codes, look }) =>
    look(facts).flatMap((one): CheckFinding | [] => {
      if (!one) return []
      const { accepted, with: also } = codes[one.code]!
      if (accepted === undefined) return one
      if (accept.includes(one.code)) return { ...one, level: 'warning' }
      const go = `to go on all the same add ${also === undefined ? '' : `${also} `}--accept ${one.code}`
      return { ...one, remedy: one.remedy === undefined ? go : `${one.remedy}; ${go}` }
    }),
  )
}

/**
 * The first error among findings, as what stops a run: code `found`, or `unavailable` if it can be over by itself. `unchanged`: what
 * the run has not done.
 */
export function standing(found: readonly CheckFinding[], unchanged: string): PosthaulError | undefined {
  const [first, ...others] = found.filter(({ level }) => level === 'error')
  if (!first) return undefined
  return new PosthaulError(`${first.text}; ${unchanged}`, {
    code: first.passes ? 'unavailable' : 'found',
    finding: first.code,
    lines: [
      ...(first.example === undefined ? [] : [`e.g. ${first.example}`]),
      ...others.map(({ text }) => text),
    ],
    hint: first.remedy!,
    once: 'that is done',
  })
}

/** What a run knows of what stands against it, from its start to its first change. */
export type GuardedRun = ReturnType<typeof guardedRun>

/** `unchanged`: what a run that is refused has not done: `none of the events was sent`. */
export function guardedRun(accept: readonly string[], note: (text: string) => void, unchanged: string) {
  const findings: CheckFinding[] = []
  /** Throws if an error that is not accepted stands against the run. */
  const look = (facts: GuardFacts): void => {
    const found = guardFindings(facts, accept)
    findings.push(...found)
    for (const { level, text } of found) if (level !== 'error') note(text)
    const error = standing(found, unchanged)
    if (error) throw error
  }
  /** What the project answers; undefined where it could not be asked, and the user accepts that. `isFor`: whether an error is one of these. */
  const ask = async <T>(what: string, answer: Promise<T>, isFor = (_: PosthaulError) => true) => {
    try {
      return await answer
    } catch (error) {
      if (!(error instanceof PosthaulError) || error.code === 'interrupted' || !isFor(error)) throw error
      look({ unasked: [{ what, error }] })
      return undefined
    }
  }
  return { findings, look, ask }
}
