import type { FleetStatusResult } from '../../jobs/index.ts'
import type { Column } from '../../text/index.ts'
import { bytes, fold, MS_PER_SECOND, number, plural, REMARK, span, Table, visible } from '../../text/index.ts'
import { labelled } from './summary.ts'

type StageStanding = NonNullable<FleetStatusResult['stages']['map']>
type Told = readonly [stage: string, standing: StageStanding]

const WIDTH = 80

/** The status for a person. `words`: what to do now. */
export function fleetStatusText(result: FleetStatusResult, words: string): string {
  const { out, finished, tasks, leftovers } = result
  const stages = Object.entries(result.stages)
  const open = stages.find(([, { done }]) => done < tasks)
  const where = finished ? 'finished' : open ? `at ${open[0]}` : 'all tasks are done'
  const table = new Table(columnsOf(tasks), stages, WIDTH)
  const lines = [
    `${visible(out)}: ${where}, ${plural(tasks, 'task')} a stage`,
    `  ${table.head()}`,
    ...stages.map((one) => `  ${table.row(one)}`),
  ]
  for (const one of stages) lines.push(...slowLines(one), ...lostLines(one), ...errorLines(one))
  if (leftovers.files + leftovers.unfinished > 0) {
    const halves = leftovers.unfinished > 0 ? ` and ${plural(leftovers.unfinished, 'upload')} cut short` : ''
    const text = `${plural(leftovers.files, 'file')} (${bytes(leftovers.bytes)})${halves} of dead tries; finish removes them`
    lines.push(...labelled('leftovers', text))
  }
  lines.push(...fold(words, '  ', ''), ...result.next.map((command) => `  ${command}`))
  return `${lines.join('\n')}\n`
}

function columnsOf(tasks: number): Column<Told>[] {
  return [
    { title: 'stage', cell: ([stage]) => stage, whole: true },
    ...(['done', 'running', 'failed', 'lost', 'waiting'] as const).map((title) => ({
      title,
      cell: ([, one]: Told) => number(one[title]),
      side: 'right' as const,
      whole: true,
    })),
    {
      title: 'left',
      cell: ([, { seconds_left: left, done }]) =>
        done === tasks ? '' : left === null ? '?' : `about ${span(left * MS_PER_SECOND)}`,
      whole: true,
    },
  ]
}

function slowLines([stage, { slowest_running: running, slowest_done: done }]: Told): string[] {
  const words = [
    ...(running ? [`slowest running ${runningWords(running)}`] : []),
    ...(done ? [`slowest done ${done.index} (${span(done.seconds * MS_PER_SECOND)})`] : []),
  ]
  return words.length === 0 ? [] : labelled(stage, words.join('; '))
}

function runningWords({ index, host, seconds, share }: StageStanding['lost_tasks'][number]): string {
  const read = share === null ? '' : `, ${Math.floor(share * 100)}% read`
  return `${index} on ${visible(host)} (${span(seconds * MS_PER_SECOND)}${read})`
}

function lostLines([stage, { lost, lost_tasks: named }]: Told): string[] {
  if (lost === 0) return []
  const shown = named.map(({ index, host }) => `${index} on ${visible(host)}`).join(', ')
  const rest = lost > named.length ? `, and ${number(lost - named.length)} more` : ''
  return labelled(
    'lost',
    `nothing heard for 3 minutes of ${stage} ${shown}${rest}: the scheduler starts them again, or you do`,
  )
}

function errorLines([stage, { failed, errors }]: Told): string[] {
  const lines = errors.flatMap(({ index, tries, for_good: forGood, message, hint, exit }) => {
    const fate = forGood ? 'another try would fail too' : 'worth another try'
    const text = `${stage} ${index}, ${plural(tries, 'try', 'tries')}, exit ${exit}, ${fate}: ${visible(message)}`
    return [...labelled('failed', text), ...(hint === null ? [] : fold(visible(hint), REMARK))]
  })
  const rest = failed - errors.length
  return rest > 0 ? [...lines, `${REMARK}and ${plural(rest, 'failed task')} more of ${stage}`] : lines
}
