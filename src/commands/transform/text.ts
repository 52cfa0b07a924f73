import { isS3, parseS3, s3Address } from '../../store/s3-location.ts'
import { COLUMNS } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import type { Screen } from '../command.ts'
import { leftOutLines } from '../left-out.ts'
import { labelled } from '../lines.ts'
import { dryRunLines } from './dry-run.ts'
import { countedLines, noticeLines } from './notices.ts'
import type { TransformResult } from './result.ts'
import { withoutJoined } from './transform-parts.ts'

/** The summary for a person: what became of every record, warnings, and the next command. */
export function transformLines(result: TransformResult, { columns = COLUMNS }: Screen = {}): string[] {
  if (result.dry_run) return dryRunLines(result, columns)
  const { counts, error } = result
  const lines = [
    `transform: ${error ? 'stopped' : 'done'} after ${result.seconds.toFixed(1)} s`,
    ...countedLines(result),
  ]
  if (counts.generated > 0) {
    lines.push(
      `  besides   ${plural(counts.generated, 'identity link or group change', 'identity links and group changes')}: ${number(counts.written + counts.generated)} events in total`,
    )
  }
  if (result.trial) lines.push(...trialLines(result))
  const all = error ? '--json has all of them' : 'all of them are in manifest.json'
  return [...lines, ...leftOutLines(withoutJoined(result), all), ...noticeLines(result), ...nextLines(result)]
}

/** How a dataset that is there is gone on with. */
function nextLines({ out, next_command: next, mend_command: mend }: TransformResult): string[] {
  const mending =
    mend === null
      ? []
      : [`  rejects are in ${visible(within(out ?? '', 'rejects.ndjson'))}`, `  mend a copy, then: ${mend}`]
  return [...mending, ...(next === null ? [] : [`  next: ${next}`])]
}

function trialLines({ trial, counts }: TransformResult): string[] {
  const text = `a trial of ${plural(trial!.people, 'person', 'people')}: ${number(counts.written + counts.generated)} of ${plural(trial!.whole_events, 'event')}. Import it into a new project`
  return labelled('trial', text)
}

function within(store: string, name: string): string {
  if (isS3(store)) return s3Address(parseS3(store), name)
  return store.endsWith('/') ? `${store}${name}` : `${store}/${name}`
}
