import { Readable } from 'node:stream'
import type { Finding } from '../../../src/checks/finding.ts'
import type { Subject, Tools } from '../../../src/checks/preflight/subject.ts'
import { systemClock } from '../../../src/http/clock.ts'
import { patience } from '../../helpers/patience.ts'

/** Tools that touch only what a test gives: no environment, a Node that is tested. */
export function testTools(given: Partial<Tools> = {}): Tools {
  return {
    env: {},
    stdin: Readable.from([]),
    signal: new AbortController().signal,
    clock: systemClock,
    node: '22.11.0',
    patienceMs: patience(10_000),
    ...given,
  }
}

/** A subject of which nothing is known but what a test says. */
export function subject(given: Partial<Subject> = {}): Subject {
  return { sends: false, sources: [], places: [], ...given }
}

/** Each finding as `level check`, in order. */
export const levelsOf = (findings: readonly Finding[]) =>
  findings.map(({ code, level }) => `${level} ${code}`)

/** All that the findings of a check say. */
export const wordsOf = (findings: readonly Finding[], check: string) =>
  findings
    .filter((finding) => finding.code === check)
    .map(({ text, cause, remedy }) => [text, cause, remedy].filter(Boolean).join(' | '))
    .join('\n')
