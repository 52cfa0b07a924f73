import type { CheckFacts } from '../check-data.ts'
import type { Finding } from '../finding.ts'
import { type Kind, LEVELS, type Problem } from '../problem-kinds.ts'
import { EVENT_WORDS } from './of-data.ts'
import { SENDING_WORDS } from './of-sending.ts'
import { SERVICE_WORDS } from './of-service.ts'
import { type About, type EventAbout, listed, type Words } from './wording.ts'

const WORDS: Readonly<Record<Kind, (about: About) => Words>> = {
  ...SENDING_WORDS,
  ...SERVICE_WORDS,
  ...EVENT_WORDS,
}

/** The problems of an import as findings. */
export function findingsOfCheck(problems: readonly Problem[], check: CheckFacts): Finding[] {
  const { plan, groups, words } = check
  const { inspection } = plan
  const about = {
    check,
    fit: groups.fit,
    isSampled: inspection.storage.isSampled,
    youngFrom: inspection.youngFrom,
    withProject: groups.fit !== undefined && groups.fit.tooMany.length > inspection.groups.size,
    isOfFiles: words[0] === '--file',
  }
  return problems.map((problem) => said(problem, WORDS[problem.kind]({ ...about, ...named(problem) })))
}

/** A problem that a sample of events shows as a finding. */
export function findingOfEvents(
  problem: Problem & { readonly kind: keyof typeof EVENT_WORDS },
  youngFrom: number,
): Finding {
  const about: EventAbout = {
    ...named(problem),
    youngFrom,
    isSampled: false,
    withProject: false,
    isOfFiles: false,
  }
  return said(problem, EVENT_WORDS[problem.kind](about))
}

function named({ count, names = [] }: Problem) {
  return { count, names, some: listed(names) }
}

function said(problem: Problem, words: Words): Finding {
  return { ...problem, level: LEVELS[problem.kind], ...words }
}
