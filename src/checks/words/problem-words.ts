import { MIXED_DAYS_TEXT } from '../../delivery/notices.ts'
import { OPEN_EVENTS } from '../../delivery/pacer.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { number, plural } from '../../text/words.ts'
import type { CheckFacts } from '../check-data.ts'
import type { CheckFinding, Finding, Problem } from '../finding.ts'
import { EVENT_WORDS, SAMPLE_WORDS } from './of-events.ts'
import { SERVICE_WORDS } from './of-service.ts'
import {
  type About,
  byData,
  byDocument,
  type EventAbout,
  listed,
  type SampleWords,
  type Wording,
  type Words,
} from './wording.ts'

const ASK_FIRST = 'ask first, with the text below; import then takes --approved'

/** What is said of how many events go, how fast, and of which days. */
const SENDING_WORDS = {
  empty: byData.warning(() => ({
    text: 'there are no events, so there is nothing to import',
    remedy:
      'look at what was left out: the rejects, the filters of the mapping file, and the days of the export',
  })),
  volume: byDocument.warning(({ count }) => ({
    text: `${number(count)} events: above 20,000,000 the service may slow an import down unless its team has approved it`,
    remedy: ASK_FIRST,
  })),
  speed: byDocument.warning(({ count }) => ({
    text: `${number(count)} events a minute: above 10,000 the service may slow an import down unless its team has approved it`,
    remedy: ASK_FIRST,
  })),
  capped: byData.warning(({ count, check: { plan } }) => ({
    text: `the volume cap stops the import ${plural(count, 'event')} before the end`,
    remedy: `raise it: --max-events ${plan.events}${plan.events > OPEN_EVENTS ? ' --approved' : ''}`,
  })),
  missing_days: byData.note(({ count, some, names }) => ({
    text: `${plural(count, 'day')} without an event between the first and the last: ${some}`,
    remedy: `look whether the source has events of ${names.length === 1 ? 'that time' : 'these times'}: a window of the export can be missing; if it has none, nothing is wrong`,
  })),
  mixed_days: byData.note(({ check }) => ({
    text: MIXED_DAYS_TEXT,
    remedy: `sort them: ${posthaulLine(['transform', '--preset', 'posthog', '--in', ...(filesOf(check.words) ?? []), '--out', 'events/'])}`,
  })),
  unnamed_files: byData.warning(({ count }) => ({
    text: `${plural(count, 'file')} in the dataset that its manifest doesn't name: import sends nothing of ${count === 1 ? 'it' : 'them'}`,
    remedy: 'move such files elsewhere; if they belong to the history, transform them with the rest',
  })),
  bad_lines: byData.warning(({ count }) => ({
    text: `${plural(count, 'line')} of the dataset ${count === 1 ? 'is no event line' : 'are no event lines'}, or ${count === 1 ? 'has' : 'have'} a time that can't be read: import will reject ${count === 1 ? 'it' : 'them'}`,
    remedy: 'transform writes no such lines: look at what made the dataset, and make it again',
  })),
  rejects: byData.note(rejectWords),
  many_rejects: byData.warning((about) => {
    const { text, remedy } = rejectWords(about)
    return {
      text: `${text}: more than a tenth of all, most likely by a rule that is wrong`,
      remedy,
    }
  }),
} satisfies Record<string, Wording>

function rejectWords({ count, some, check: { name, words, stock } }: About): Words {
  const reasons = some === '' ? '' : ` (${some})`
  const isOfFiles = filesOf(words) !== undefined
  const one = stock?.children ? 'rejected record or event' : 'rejected record'
  return {
    text: isOfFiles
      ? `${plural(count, 'line')} will be rejected${reasons}`
      : `${plural(count, one)} left out${reasons}`,
    remedy: isOfFiles
      ? `see each with its reason: ${posthaulLine(['import', ...words, '--dry-run'])}`
      : `the reason for each is in ${name.replace(/\/$/, '')}/rejects.ndjson; mend them and transform that file`,
  }
}

/** The files that are checked; undefined for a dataset. */
function filesOf(words: readonly string[]): readonly string[] | undefined {
  if (words[0] !== '--file') return undefined
  const end = words.indexOf('--with')
  return words.slice(1, end < 0 ? undefined : end)
}

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
