import type { InitEnd } from '../../jobs/init/run.ts'
import type { InitResult } from '../../jobs/results.ts'
import { seenWords, trialWords } from '../../studio/index.ts'
import { folded, plural, REMARK, secondsJson, visible } from '../../text/index.ts'

const MOST_QUESTIONS = 5
const PLACES = {
  event: "the event's name",
  distinct_id: "the person's id",
  timestamp: 'the time of the event',
} as const

/** The findings of `init` as JSON, as the result has it. */
export function initJson({ first, out, seconds }: InitEnd): InitResult {
  const { preset, recognised, encoding, spread, findings, questions, missing, trial, yaml } = first
  return {
    version: 1,
    command: 'init',
    finished: true,
    out: out ?? null,
    seconds: secondsJson(seconds),
    preset,
    recognised: recognised ? { members: recognised.members, records: recognised.records } : null,
    encoding: encoding ?? null,
    sample: {
      records: spread.records.length,
      read: spread.read,
      whole: spread.whole,
      files: spread.files,
      files_read: spread.filesRead,
      bytes: spread.bytes,
      bytes_read: spread.bytesRead,
    },
    columns: findings,
    questions,
    missing,
    trial: trial
      ? {
          read: trial.read,
          events: trial.events,
          rejected: trial.rejected,
          filtered: trial.filtered,
          reasons: trial.reasons,
        }
      : null,
    mapping: yaml,
  }
}

/** The findings in words, for a terminal. */
export function initSummary({ first, out, next }: InitEnd): string {
  const { preset, recognised, encoding, spread, list, questions, missing, trial } = first
  const said = (label: string, text: string) =>
    folded(visible(text), REMARK, `  ${label.padEnd(REMARK.length - 2)}`)
  const asked = questions
    .slice(0, MOST_QUESTIONS)
    .map(({ about, text }) => said('?', about === '' ? text : `${about}: ${text}`))
  const more = questions.length - asked.length
  return [
    `init: ${out === undefined ? 'the mapping file is on standard output' : `wrote ${visible(out)}`}\n`,
    said('looked at', seenWords(spread, { sampled: spread.records.length })),
    said(
      'preset',
      recognised ? `${preset}: ${recognised.title}` : `${preset}: no vendor's preset knows these records`,
    ),
    ...(encoding ? [said('encoding', encoding)] : []),
    ...(trial ? [said('tried', trialWords(trial, list))] : []),
    ...missing.map((place) => said('missing', `${PLACES[place]}: the file says FILL_IN there`)),
    ...asked,
    ...(more > 0 ? [said('?', `${plural(more, 'more question')} in the file`)] : []),
    `  ${missing.length > 0 ? 'fill it in, then' : 'next'}: ${visible(next)}\n`,
  ].join('')
}
