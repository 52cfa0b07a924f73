import { remedyOf, whyLeftOut } from '../../checks/words/rejects.ts'
import { explainedMemberLines } from '../../records/member-table.ts'
import type { Explanation } from '../../studio/explanation.ts'
import type { EventTrace, PartTrace } from '../../studio/trace.ts'
import { folded } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { plural } from '../../text/words.ts'

/** Parts of a record that are shown one under the other; `--json` has all. */
const MOST_PARTS = 5
/** What is said of a record is under these words. */
const INDENT = ' '.repeat(11)

/** A record beside its event for a person. `columns`: those of a terminal; undefined for a file or a pipe. */
export function explanationText(one: Explanation, columns: number | undefined): string {
  const { trace, child, file, unit, number, preset } = one
  const shown = trace.parts.filter((part) => child === null || part.child === child).slice(0, MOST_PARTS)
  const several = trace.parts.length > 1
  const head = `${visible(file)}, ${unit} ${number}, by the preset ${visible(preset)}`
  const more = trace.parts.length - shown.length
  return [
    `${head}\n`,
    ...matchLines(one),
    several ? `the record becomes ${plural(trace.parts.length, 'event')} at most\n` : '',
    ...(trace.whole ? ['\n', ...noEvent(trace.whole.outcome, trace.whole, preset)] : []),
    ...shown.map(
      (part) =>
        `\n${several ? `number ${part.child} of ${trace.parts.length}\n\n` : ''}${partText(part, one, columns)}`,
    ),
    more > 0 && child === null ? `\nand ${more} more, which --json shows\n` : '',
  ].join('')
}

const GENERATED = {
  $identify:
    'the event is an $identify that transform makes of the link between two ids, once for each anonymous id. This is the first record that shows the link',
  group:
    'the event tells the properties of a group, and transform makes one for each change of them. This is the first record that shows them so',
} as const

/** Of an event that was looked for: how it comes from this record. */
function matchLines({ match }: Explanation): string[] {
  return match?.generated ? [fact('generated', GENERATED[match.generated])] : []
}

function partText(part: PartTrace, one: Explanation, columns: number | undefined): string {
  const { event } = part
  const outcome = part.outcome === 'event' ? [] : noEvent(part.outcome, part, one.preset)
  return [
    ...outcome,
    ...(outcome.length > 0 && part.members.length > 0 ? ['\n'] : []),
    ...explainedMemberLines(part, columns).map((line) => `${line}\n`),
    ...(event ? ['\n', ...eventFacts(event)] : []),
    ...linkFact(part),
    ...noteFacts(part),
  ].join('')
}

function noEvent(
  outcome: 'rejected' | 'filtered',
  { reason, message }: { readonly reason: string | null; readonly message: string | null },
  preset: string,
): string[] {
  const word = reason ?? ''
  if (outcome === 'filtered') return [fact('left out', `${word}: ${whyLeftOut(word, preset)}`)]
  return [fact('rejected', `${word}: ${message ?? ''}`), fact('to do', remedyOf(word))]
}

function eventFacts(event: EventTrace): string[] {
  const facts = [fact('uuid', `${event.uuid}, ${uuidWords(event)}`)]
  if (event.twin > 0) {
    facts.push(
      fact(
        'twin',
        `the record is the same to the byte as ${plural(event.twin, 'record')} before it, and has no id: its uuid is told apart by that number`,
      ),
    )
  }
  const groups = event.groups.map(({ type, key }) => `${type} ${key}`).join(', ')
  if (groups !== '') facts.push(fact('groups', groups))
  for (const { type, key } of event.groupStates)
    facts.push(
      fact(
        'group',
        `it tells the properties of ${type} ${key}; a change of them becomes an event of its own`,
      ),
    )
  if (event.givesWay)
    facts.push(
      fact('gives way', 'another record with this uuid, which tells the event better, is kept in its place'),
    )
  return facts
}

function uuidWords({ uuidFrom, uuidMembers }: EventTrace): string {
  const members = uuidMembers.join(', ')
  if (uuidFrom === 'uuid') return `the record's own, in ${members}`
  if (uuidFrom === 'id')
    return `version 5 of ${members === '' ? "the record's own id" : members}: the same in every export`
  return 'version 5 of the whole record, which has no id of its own'
}

function linkFact({ link, event }: PartTrace): string[] {
  const shown = event?.link ?? link
  if (!shown) return []
  const { anonymousId, userId } = shown
  return [
    fact(
      'links',
      `the anonymous id ${anonymousId} to ${userId}: an $identify is made of it, unless the id was another's before`,
    ),
  ]
}

const MENDS: Readonly<Record<string, string>> = {
  lone_surrogate: 'an unpaired surrogate, or a NUL of a name or id, is now U+FFFD',
  huge_number: 'a number beyond the double range is now text',
  big_integer: 'a number over 2^53 or 17 digits is now text',
  event_name_cut: 'the name of the event was over 200 bytes, and is cut',
  id_trimmed: 'blanks around an id are cut',
  not_finite: 'NaN or an infinity is now null',
  clock_twice: 'the clocks of the zone had this hour twice: the first is taken',
  clock_skipped: 'the clocks of the zone skipped this time: it is read by the offset before',
  deep_array: 'an array nested over 8 deep is now its own text',
}

function noteFacts({ notes }: PartTrace): string[] {
  const { mends, unusable, bigIntegers, duplicateKeys } = notes
  return [
    ...Object.keys(mends).map((kind) => fact('mended', MENDS[kind] ?? kind)),
    ...unusable.map((what) => fact('not used', what)),
    ...bigIntegers.map((name) =>
      fact(
        'rounded',
        `${name} holds a number over 2^53 or 17 digits, which PostHog rounds: --big-integers string keeps it`,
      ),
    ),
    ...(duplicateKeys > 0
      ? [fact('twice', `${plural(duplicateKeys, 'name')} that an object has again; the last one counts`)]
      : []),
  ]
}

function fact(word: string, text: string): string {
  return folded(visible(text), INDENT, `${word.padEnd(INDENT.length - 1)} `)
}
