import { seenWords, trialWords } from '../../studio/draft/mapping-head.ts'
import { visible } from '../../text/visible.ts'
import { plural } from '../../text/words.ts'
import { block } from '../lines.ts'
import type { InitResult } from './result.ts'

const MOST_QUESTIONS = 5
const PLACES = {
  event: "the event's name",
  distinct_id: "the person's id",
  timestamp: 'the time of the event',
} as const

/** The findings in words. */
export function initLines(result: InitResult): string[] {
  const { out, tests, recognised, sample, questions, missing, trial } = result
  const seen = { ...sample, filesRead: sample.files_read, refusedCount: sample.refused }
  const more = questions.length - MOST_QUESTIONS
  return [
    ...block(`init: ${out === null ? 'the mapping file is on standard output' : `wrote ${out}`}`, {
      'looked at': seenWords(seen, { sampled: sample.records }),
      preset: `${result.preset}: ${recognised?.title ?? "no vendor's preset knows these records"}`,
      encoding: result.encoding,
      tried: trial && trialWords(trial, trial.list ?? undefined),
      tests: tests && `${tests}: what some of the records become; posthaul test runs them`,
      missing: missing.map((place) => `${PLACES[place]}: the file says FILL_IN there`),
      '?': [
        ...questions
          .slice(0, MOST_QUESTIONS)
          .map(({ about, text }) => (about === '' ? text : `${about}: ${text}`)),
        ...(more > 0 ? [`${plural(more, 'more question')} in the file`] : []),
      ],
    }),
    `  ${missing.length > 0 ? 'fill it in, then' : 'next'}: ${visible(result.next_command)}`,
  ]
}
