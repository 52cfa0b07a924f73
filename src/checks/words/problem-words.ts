import type { CheckFacts } from '../check-data.ts'
import type { CheckFinding, Finding, Problem } from '../finding.ts'
import { EVENT_WORDS, SAMPLE_WORDS } from './of-events.ts'
import { SENDING_WORDS } from './of-sending.ts'
import { SERVICE_WORDS } from './of-service.ts'
import { type EventAbout, listed, type SampleWords, type Wording } from './wording.ts'

export const WORDS = { ...SENDING_WORDS, ...SERVICE_WORDS, ...EVENT_WORDS }

/** What an import can have, in snake_case: its level and its words are in one of the tables. */
export type ProblemCode = keyof typeof WORDS

/** The problems of an import as findings. */
export function findingsOfCheck(
  problems: readonly Problem<ProblemCode>[],
  check: CheckFacts,
): CheckFinding[] {
  const { plan, words } = check
  const { inspection } = plan
  const about = {
    check,
    isSampled: inspection.storage.isSampled,
    youngFrom: inspection.youngFrom,
    isOfFiles: words[0] === '--file',
  }
  return problems.map((problem) => said(problem, WORDS[problem.code], { ...about, ...named(problem) }))
}

/** What a sample of events is told. */
const OF_SAMPLE = { ...EVENT_WORDS, ...SAMPLE_WORDS }
export type SampleCode = keyof typeof OF_SAMPLE

/** A problem that a sample of events shows as a finding. */
export function findingOfEvents(problem: Problem<SampleCode>, youngFrom: number): Finding {
  const about: EventAbout = {
    ...named(problem),
    youngFrom,
    isSampled: false,
    isOfFiles: false,
  }
  return said(problem, OF_SAMPLE[problem.code], about)
}

function named({ count, names = [] }: Problem<string>) {
  return { count, names, some: listed(names) }
}

function said<A, W extends SampleWords>(
  problem: Problem<string>,
  { level, restsOn, say }: Wording<A, W>,
  about: A,
): Omit<CheckFinding, 'remedy'> & W {
  return { ...problem, level, restsOn, ...say(about) }
}
