import { remedyOf, whyLeftOut } from '../../checks/words/rejects.ts'
import { explainedMemberLines } from '../../records/member-table.ts'
import { factsOf } from '../../records/record-facts.ts'
import { COLUMNS, fold } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { plural } from '../../text/words.ts'
import type { Screen } from '../command.ts'
import { labelled, noteLines } from '../lines.ts'
import type { ExplainResult } from './result.ts'

type Part = ExplainResult['parts'][number]

/** Parts of a record that are shown one under the other; `--json` has all. */
const MOST_PARTS = 5
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
  const { outcome, members, event } = part
  const none = outcome === 'event' ? [] : noEvent(outcome, part, preset)
  return [
    ...none,
    ...(none.length > 0 && members.length > 0 ? [''] : []),
    ...explainedMemberLines(part, columns),
    ...(event ? [''] : []),
    ...factsOf(part).flatMap(([word, text]) => fact(word, text)),
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

/** What was noticed of the record, in the words of a summary. */
function noteFacts({ mends, unusable, big_integers, duplicate_keys }: Part): string[] {
  const once = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 1]))
  const notes = {
    mends: { ...mends, duplicate_keys },
    unusable: once(unusable),
    big_integers: once(big_integers),
  }
  return noteLines(notes).map((line) => line.slice(2))
}

function fact(word: string, text: string): string[] {
  return labelled(word, visible(text)).map((line) => line.slice(2))
}
