import { seenWords, trialWords } from '../../studio/draft/mapping-head.ts'
import { visible } from '../../text/visible.ts'
import { plural } from '../../text/words.ts'
import { labelled } from '../lines.ts'
import type { InitResult } from '../results.ts'
import type { InitSaid } from './run.ts'

const MOST_QUESTIONS = 5
const PLACES = {
  event: "the event's name",
  distinct_id: "the person's id",
  timestamp: 'the time of the event',
} as const

/** The findings in words, for a terminal. */
export function initText(result: InitResult, { title, list, next }: InitSaid): string {
  const { out, tests, preset, encoding, sample, questions, missing, trial } = result
  const said = (label: string, text: string) => labelled(label, visible(text))
  const asked = questions
    .slice(0, MOST_QUESTIONS)
    .flatMap(({ about, text }) => said('?', about === '' ? text : `${about}: ${text}`))
  const more = questions.length - MOST_QUESTIONS
  const lines = [
    `init: ${out === null ? 'the mapping file is on standard output' : `wrote ${visible(out)}`}`,
    ...said(
      'looked at',
      seenWords(
        { ...sample, filesRead: sample.files_read, refusedCount: sample.refused },
        { sampled: sample.records },
      ),
    ),
    ...said('preset', `${preset}: ${title ?? "no vendor's preset knows these records"}`),
    ...(encoding === null ? [] : said('encoding', encoding)),
    ...(trial ? said('tried', trialWords(trial, list)) : []),
    ...(tests === null
      ? []
      : said('tests', `${tests}: what some of the records become; posthaul test runs them`)),
    ...missing.flatMap((place) => said('missing', `${PLACES[place]}: the file says FILL_IN there`)),
    ...asked,
    ...(more > 0 ? said('?', `${plural(more, 'more question')} in the file`) : []),
    `  ${missing.length > 0 ? 'fill it in, then' : 'next'}: ${visible(next)}`,
  ]
  return `${lines.join('\n')}\n`
}
