import { remarkWords } from '../../inputs/manifests/remark.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import { allNames, countLines, labelled, noteLines, topNames } from '../lines.ts'
import type { TransformResult } from './result.ts'
import { earlierLines, earlierRemark, explodedLines, sideTableLines } from './transform-parts.ts'

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
  return [
    ...inputFileLines(result.input_files),
    ...sideTableLines(result.side_tables),
    ...earlierLines(result.after, result.forgets),
    ...forgetLines(result),
    ...unheardLines(result.unheard),
    ...(result.error ? [] : twinLines(result.twins)),
    // The members that are ignored are among those left out.
    ...noteLines({ ...result, ignored_members: {}, zone: result.zone ?? undefined }),
    ...clockLines(result.foreign_clock),
    ...idleLines(result.idle_rules, idlePlace(result)),
  ]
}

/** A list of people that matches nobody: of a window, a trial or a sample it may be so. */
function forgetLines({ filtered, error, forgets, counts }: TransformResult): string[] {
  if (!forgets || error !== null || (filtered.forgotten ?? 0) > 0) return []
  return labelled(
    'warning',
    `forget: matches nobody in ${plural(counts.read, 'record')}; is an id written as the records have it?`,
  )
}

/** What a vendor's manifests make of files, a remark a line or two. */
function inputFileLines(remarks: TransformResult['input_files']): string[] {
  return remarks.flatMap((one) => labelled(isLoss(one) ? 'warning' : 'files', visible(remarkWords(one))))
}

/** True if history may be missing that the user expects. */
function isLoss({ what }: TransformResult['input_files'][number]): boolean {
  return what === 'never_whole' || what === 'unnamed' || what === 'not_a_manifest'
}

function pendingRemark({ dry_run: isDry, sample, counts, duplicates, after }: TransformResult): string {
  if (!isDry || counts.pending === 0) return ''
  const about = `about ${plural(duplicates.count, 'duplicate')}`
  const lost = [
    ...(duplicates.estimated && duplicates.count > 0
      ? [about]
      : sample && !sample.whole
        ? ['duplicates of others']
        : []),
    ...(after.length > 0 ? ['earlier ones'] : []),
  ]
  return lost.length === 0 ? 'would be written' : `would be written, except ${lost.join(' and ')}`
}

function unheardLines(unheard: TransformResult['unheard']): string[] {
  if (Object.keys(unheard).length === 0) return []
  const text = `${topNames(unheard)}: this preset has no rule for these members, and keeps them; --json has all of them`
  return labelled('unheard', text)
}

function twinLines(twins: number | null): string[] {
  if (!twins) return []
  const [equal, are] = twins === 1 ? ['equals', 'is'] : ['equal', 'are']
  const text = `${plural(twins, 'record')} ${equal} another in every member and ${are} kept, since no id says ${twins === 1 ? 'it is' : 'they are'} the same: do inputs overlap?`
  return labelled('twins', text)
}

function idlePlace({ counts, sample, idle_in_all: isAll }: TransformResult): string {
  if (isAll) return `all ${plural(counts.read, 'record')}`
  return sample ? 'the sample' : 'the first records'
}

function idleLines(rules: readonly string[], where: string): string[] {
  if (rules.length === 0) return []
  const match = rules.length === 1 ? 'matches' : 'match'
  const text = `${visible(rules.join(', '))} ${match} nothing in ${where}: check the mapping file for typing errors`
  return labelled('warning', text)
}

function clockLines(clock: TransformResult['foreign_clock']): string[] {
  if (!clock) return []
  const offsets = clock.offsets.map((offset) => `UTC${offset}`).join(' or ')
  return [
    `  warning   ${number(clock.records)} of ${number(clock.of)} times come from a clock at ${offsets}:`,
    "            --source-timezone with the project's zone converts them to UTC",
  ]
}
