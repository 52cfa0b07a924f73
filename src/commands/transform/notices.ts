import { remarkWords } from '../../inputs/manifests/remark.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import { allNames, countLines, labelled, noteLines } from '../lines.ts'
import type { TransformResult } from './result.ts'
import { earlierRemark, explodedLines, sideTableLines } from './transform-parts.ts'

/** The counts of promise 1. `instead`: remarks that are said elsewhere. */
export function countedLines(
  result: TransformResult,
  instead: { readonly read?: string; readonly rejected?: string } = {},
): string[] {
  const { counts, after } = result
  const remarks = {
    written: counts.written > 0 ? `in ${plural(result.days, 'day')}, ${plural(result.parts, 'part')}` : '',
    rejected: allNames(result.rejects),
    filtered: allNames(result.filtered),
    pending: pendingRemark(result),
    earlier: earlierRemark(after),
    ...instead,
  }
  const { earlier, ...others } = counts
  if (result.children) return explodedLines(result, remarks)
  return countLines(after.length > 0 ? { ...others, earlier } : others, remarks)
}

/** What a user should know besides the counts. */
export function noticeLines(result: TransformResult): string[] {
  const { forgets, after, filtered, error, counts, twins, late, foreign_clock: clock } = result
  const [equal, are, they] = twins === 1 ? ['equals', 'is', 'it is'] : ['equal', 'are', 'they are']
  const rules = result.idle_rules
  const matches = rules.length === 1 ? 'matches' : 'match'
  return [
    // What a vendor's manifests make of files.
    ...result.input_files.flatMap((one) =>
      labelled(LOSSES.has(one.what) ? 'warning' : 'files', visible(remarkWords(one))),
    ),
    ...sideTableLines(result.side_tables),
    // What earlier datasets can't tell, and so is not carried over.
    ...labelled(
      'warning',
      forgets &&
        after.length > 0 &&
        'ids of the people to forget that only earlier windows show are not known here: list all ids of theirs',
    ),
    // Of a window, a trial or a sample it may be so.
    ...labelled(
      'warning',
      forgets &&
        error === null &&
        !filtered.forgotten &&
        `forget: matches nobody in ${plural(counts.read, 'record')}; is an id written as the records have it?`,
    ),
    ...labelled(
      'twins',
      !error &&
        twins &&
        `${plural(twins, 'record')} ${equal} another in every member and ${are} kept, since no id says ${they} the same: do inputs overlap?`,
    ),
    ...labelled(
      'late',
      !error &&
        late &&
        `${plural(late, 'event')} of days that earlier windows have ${late === 1 ? 'is' : 'are'} new: late, or a row that was changed since and is there twice now, since no id says it is the same; fields: uuid in the mapping file names one`,
    ),
    ...labelled(
      'unlike',
      !error &&
        result.duplicates.unlike > 0 &&
        `${number(result.duplicates.unlike)} of the duplicates ${result.duplicates.unlike === 1 ? 'differs' : 'differ'} from the event that is kept, which has the same id: is it the id of an event? fields: uuid in the mapping file names it; uuid: null keeps them all`,
    ),
    // The members that are ignored are among those left out.
    ...noteLines({ ...result, ignored_members: {}, zone: result.zone ?? undefined }),
    ...labelled(
      'warning',
      clock &&
        `${number(clock.records)} of ${number(clock.of)} times come from a clock at ${clock.offsets.map((offset) => `UTC${offset}`).join(' or ')}: --source-timezone with the project's zone converts them to UTC`,
    ),
    ...labelled(
      'warning',
      rules.length > 0 &&
        `${visible(rules.join(', '))} ${matches} nothing in ${idlePlace(result)}: check the mapping file for typing errors`,
    ),
  ]
}

/** Remarks on files by which history may be missing that the user expects. */
const LOSSES: ReadonlySet<string> = new Set(['never_whole', 'unnamed', 'not_a_manifest', 'partitioned'])

function pendingRemark({ dry_run: isDry, sample, counts, duplicates, after }: TransformResult): string {
  if (!isDry || counts.pending === 0) return ''
  const isEstimated = duplicates.estimated && duplicates.count > 0
  const others = sample && !sample.whole ? ['duplicates of others'] : []
  const lost = [
    ...(isEstimated ? [`about ${plural(duplicates.count, 'duplicate')}`] : others),
    ...(after.length > 0 ? ['earlier ones'] : []),
  ]
  return lost.length === 0 ? 'would be written' : `would be written, except ${lost.join(' and ')}`
}

function idlePlace({ counts, sample, idle_in_all: isAll }: TransformResult): string {
  if (isAll) return `all ${plural(counts.read, 'record')}`
  return sample ? 'the sample' : 'the first records'
}
