import { remedyOf, whyLeftOut } from '../../checks/words/rejects.ts'
import { explainedMemberLines } from '../../records/member-table.ts'
import { COLUMNS, fold } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { plural } from '../../text/words.ts'
import type { Screen } from '../command.ts'
import type { ExplainResult } from './result.ts'

type Part = ExplainResult['parts'][number]
type Event = NonNullable<Part['event']>

/** Parts of a record that are shown one under the other; `--json` has all. */
const MOST_PARTS = 5
/** What is said of a record is under these words. */
const INDENT = ' '.repeat(11)

/** A record beside its event for a person; nothing where none was found, or the test of it is printed. */
export function explainLines(result: ExplainResult, { isTTY, columns }: Screen): string[] {
  const { found, test, child, whole, parts, generated } = result
  if (!found || test?.yaml) return []
  const preset = result.preset ?? ''
  const shown = parts.filter((part) => child === null || part.child === child).slice(0, MOST_PARTS)
  const isOneOf = parts.length > 1
  const more = parts.length - shown.length
  return [
    `${visible(result.file ?? '')}, ${result.unit} ${result.number}, by the preset ${visible(preset)}`,
    ...(generated ? fact('generated', GENERATED[generated]) : []),
    ...(isOneOf ? [`the record becomes ${plural(parts.length, 'event')} at most`] : []),
    ...(whole ? ['', ...noEvent(whole.outcome, whole, preset)] : []),
    ...shown.flatMap((part) => [
      '',
      ...(isOneOf ? [`number ${part.child} of ${parts.length}`, ''] : []),
      // A pipe gets lines of any length.
      ...partLines(part, preset, isTTY ? (columns ?? COLUMNS) : undefined),
    ]),
    ...(more > 0 && child === null ? ['', `and ${more} more, which --json shows`] : []),
  ]
}

/** What was not found, or where the test of the record is. */
export function nextLines({ not_found: missing, test }: ExplainResult): string[] {
  if (missing)
    return [...fold(visible(missing.why), '  ', 'posthaul: '), ...fold(visible(missing.hint), '  ')]
  if (!test?.file) return []
  return fold(visible(`added the test "${test.name}" to ${test.file}`), '  ', 'posthaul: ')
}

const GENERATED = {
  $identify:
    'the event is an $identify that transform makes of the link between two ids, once for each anonymous id. This is the first record that shows the link',
  group:
    'the event tells the properties of a group, and transform makes one for each change of them. This is the first record that shows them so',
} as const

function partLines(part: Part, preset: string, columns: number | undefined): string[] {
  const { outcome, members, event, link } = part
  const none = outcome === 'event' ? [] : noEvent(outcome, part, preset)
  return [
    ...none,
    ...(none.length > 0 && members.length > 0 ? [''] : []),
    ...explainedMemberLines(part, columns),
    ...(event ? ['', ...eventFacts(event)] : []),
    ...(link
      ? fact(
          'links',
          `the anonymous id ${link.anonymous_id} to ${link.user_id}: an $identify is made of it, unless the id was another's before`,
        )
      : []),
    ...noteFacts(part),
  ]
}

function noEvent(
  outcome: 'rejected' | 'filtered',
  { reason, message }: { readonly reason: string | null; readonly message: string | null },
  preset: string,
): string[] {
  const word = reason ?? ''
  if (outcome === 'filtered') return fact('left out', `${word}: ${whyLeftOut(word, preset)}`)
  return [...fact('rejected', `${word}: ${message ?? ''}`), ...fact('to do', remedyOf(word))]
}

function eventFacts(event: Event): string[] {
  const groups = event.groups.map(({ type, key }) => `${type} ${key}`).join(', ')
  return [
    ...fact('uuid', `${event.uuid}, ${uuidWords(event)}`),
    ...(event.twin > 0
      ? fact(
          'twin',
          `the record is the same to the byte as ${plural(event.twin, 'record')} before it, and has no id: its uuid is told apart by that number`,
        )
      : []),
    ...(groups === '' ? [] : fact('groups', groups)),
    ...event.group_states.flatMap(({ type, key }) =>
      fact(
        'group',
        `it tells the properties of ${type} ${key}; a change of them becomes an event of its own`,
      ),
    ),
    ...(event.gives_way
      ? fact('gives way', 'another record with this uuid, which tells the event better, is kept in its place')
      : []),
  ]
}

function uuidWords({ uuid_from: from, uuid_members }: Event): string {
  const members = uuid_members.join(', ')
  if (from === 'uuid') return `the record's own, in ${members}`
  if (from === 'id')
    return `version 5 of ${members === '' ? "the record's own id" : members}: the same in every export`
  return 'version 5 of the whole record, which has no id of its own'
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

function noteFacts({ mends, unusable, big_integers, duplicate_keys }: Part): string[] {
  return [
    ...Object.keys(mends).flatMap((kind) => fact('mended', MENDS[kind] ?? kind)),
    ...unusable.flatMap((what) => fact('not used', what)),
    ...big_integers.flatMap((name) =>
      fact(
        'rounded',
        `${name} holds a number over 2^53 or 17 digits, which PostHog rounds: --big-integers string keeps it`,
      ),
    ),
    ...(duplicate_keys > 0
      ? fact('twice', `${plural(duplicate_keys, 'name')} that an object has again; the last one counts`)
      : []),
  ]
}

function fact(word: string, text: string): string[] {
  return fold(visible(text), INDENT, `${word.padEnd(INDENT.length - 1)} `)
}
