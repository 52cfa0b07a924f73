import type { Spread } from '../../inputs/spread.ts'
import type { Recognised } from '../../presets/recognise.ts'
import { bytes, number, plural } from '../../text/words.ts'
import type { Trial } from '../trial.ts'
import type { Facts, MappingDraft } from './draft-facts.ts'
import { comment, inComment } from './yaml-text.ts'

interface MappingHead {
  /** What the user named. */
  readonly asked: string
  /** The command that tries the file. */
  readonly next: string
  readonly spread: Spread
  readonly recognised: Recognised | undefined
  /** What the file says of how the text is read. */
  readonly reading: readonly string[]
}

const MOST_REASONS = 3
const QUESTION = /^\s*# +\? /

/**
 * The first lines of a mapping file: where it comes from, how to try it, the preset and why. `trial`: what it makes of the sample;
 * `question`: what is asked about that, as lines of a comment.
 */
export function headLines(
  { asked, next, spread, recognised, reading }: MappingHead,
  facts: Facts,
  draft: Pick<MappingDraft, 'lines'>,
  { trial, question }: { readonly trial: Trial | undefined; readonly question: readonly string[] },
): string[] {
  return [
    ...comment(`Made by posthaul init from ${asked}: ${seenWords(spread, facts)}.`),
    ...([...reading, ...question, ...draft.lines].some((line) => QUESTION.test(line))
      ? comment('A line with "?" is a question: what is written is the likeliest answer.')
      : []),
    ...(trial ? comment(`Tried on ${trialWords(trial, facts.list)}`) : []),
    ...question,
    `# Try it: ${inComment(next)}`,
    '',
    ...presetLines(facts, recognised),
    '',
    ...reading,
  ]
}

/** What was looked at: `all 1,204 records`, or of how many files and bytes a sample is. */
export function seenWords(
  spread: Pick<Spread, 'files' | 'filesRead' | 'read' | 'refusedCount' | 'whole' | 'bytes'>,
  { sampled: records }: Pick<Facts, 'sampled'>,
): string {
  const files = spread.files === 1 ? '' : ` of ${number(spread.filesRead)} of ${number(spread.files)} files`
  if (spread.whole && records === spread.read)
    return `all of ${plural(records, 'record')}${spread.files === 1 ? '' : ` of ${number(spread.files)} files`}`
  if (spread.whole && records + spread.refusedCount === spread.read)
    return `all of ${plural(spread.read, 'record')}, ${number(spread.refusedCount)} of which can't be read${files}`
  return `a sample of ${plural(records, 'record')}, spread over ${spread.whole ? `${number(spread.read)}` : `${bytes(spread.bytes)}`}${files}`
}

/** What the file makes of the sample. */
export function trialWords(
  trial: Pick<Trial, 'read' | 'events' | 'rejected' | 'filtered' | 'reasons'>,
  list?: string,
): string {
  const { read, events, rejected, filtered, reasons } = trial
  const commonest = Object.entries(reasons)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_REASONS)
  const others = rejected - commonest.reduce((sum, [, count]) => sum + count, 0)
  const shown = commonest.map(([reason, count]) => `${number(count)} ${reason}`).join(', ')
  const whole = others > 0 ? `${shown} and ${plural(others, 'other')}` : shown
  return [
    `${number(read)} ${list === undefined ? 'of them' : `elements of ${inComment(list)} and records without any`}: ${number(events)} become events`,
    ...(rejected > 0 ? [`, ${number(rejected)} are rejected (${whole})`] : []),
    ...(filtered > 0 ? [`, ${number(filtered)} are left out on purpose`] : []),
    '.',
  ].join('')
}

function presetLines({ preset, records }: Facts, recognised: Recognised | undefined): string[] {
  if (!recognised)
    return [
      ...comment("No vendor's preset knows these records, so they are rows of your own."),
      'preset: events',
    ]
  const { title, members, records: fits } = recognised
  const of = Math.min(records, 1000)
  const names = members.length === 1 ? members[0] : `${members.slice(0, -1).join(', ')} and ${members.at(-1)}`
  return [
    ...comment(`${title}: ${number(fits)} of ${number(of)} records have ${names}.`),
    `preset: ${preset}`,
  ]
}
