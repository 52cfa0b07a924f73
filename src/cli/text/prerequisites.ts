import type { CheckResult } from '../../jobs/results.ts'
import { fold } from '../../text/index.ts'

type Prerequisites = CheckResult['prerequisites']

const STATES = { done: 'done', open: 'to do', unknown: 'not known' } as const

/** What the service asks for before a migration, in its order, then what it advises. */
export function prerequisiteLines(all: Prerequisites): string[] {
  const line = ({ state, text, how }: Prerequisites[number]) => `${STATES[state]}: ${text} (${how})`
  return [
    'PostHog asks for these before a migration, in this order:',
    ...all.filter((one) => one.required).flatMap((one, n) => fold(line(one), '   ', `${n + 1}. `)),
    'and advises:',
    ...all.filter((one) => !one.required).flatMap((one) => fold(line(one), '  ', '- ')),
  ]
}
