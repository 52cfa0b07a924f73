import type { FleetLook } from '../../jobs/fleet/look.ts'
import type { FleetStatusResult } from '../../jobs/results.ts'
import {
  bytes,
  continueCommand,
  fold,
  MS_PER_SECOND,
  number,
  plural,
  REMARK,
  span,
  Table,
  visible,
} from '../../text/index.ts'

type StageStanding = FleetLook['stages'][number]
type RunningTask = StageStanding['lostTasks'][number]
type FailedTask = StageStanding['failedTasks'][number]
type DoneTask = NonNullable<StageStanding['slowestDone']>

/** So many failures and lost tasks of a stage are named. */
const NAMED = 5
const WIDTH = 80

/** What `fleet status` tells. */
export interface FleetStatus extends FleetLook {
  readonly out: string
  readonly endpoint: string | undefined
}

/** The status as JSON, as the result has it. */
export function fleetStatusJson(status: FleetStatus): FleetStatusResult {
  const { out, known, finished, stages, leftovers } = status
  return {
    version: 1,
    command: 'fleet status',
    out,
    plan: known.id,
    tool: known.plan.tool,
    created_at: known.plan.created_at,
    tasks: known.plan.tasks,
    finished,
    stages: Object.fromEntries(stages.map((one) => [one.stage, stageJson(one)])),
    leftovers,
    next: nextOf(status).commands,
  }
}

function stageJson(one: StageStanding) {
  return {
    done: one.done,
    running: one.running,
    failed: one.failed,
    failed_for_good: one.failedForGood,
    lost: one.lost,
    waiting: one.waiting,
    slowest_running: runningJson(one.slowestRunning),
    slowest_done: one.slowestDone ?? null,
    seconds_left: one.etaMs === undefined ? null : Math.ceil(one.etaMs / MS_PER_SECOND),
    lost_tasks: one.lostTasks.slice(0, NAMED).map(runningJson),
    errors: one.failedTasks.slice(0, NAMED).map(({ index, tries, forGood, at, error }) => {
      return { index, tries, for_good: forGood, at, ...error }
    }),
  }
}

function runningJson(task: RunningTask | undefined) {
  if (task === undefined) return null
  const { index, host, seconds, share } = task
  return { index, host, seconds: Math.round(seconds), share: share ?? null }
}

/** The status for a person. */
export function fleetStatusText(status: FleetStatus): string {
  const { out, known, finished, stages, leftovers } = status
  const head = `${visible(out)}: ${finished ? 'finished' : stageWords(stages)}, ${plural(known.plan.tasks, 'task')} a stage`
  const table = new Table(COLUMNS, stages, WIDTH)
  const lines = [head, `  ${table.head()}`, ...stages.map((one) => `  ${table.row(one)}`)]
  for (const one of stages) lines.push(...slowLines(one), ...lostLines(one), ...errorLines(one))
  if (leftovers.files + leftovers.unfinished > 0) {
    const halves = leftovers.unfinished > 0 ? ` and ${plural(leftovers.unfinished, 'upload')} cut short` : ''
    const text = `${plural(leftovers.files, 'file')} (${bytes(leftovers.bytes)})${halves} of dead tries; finish removes them`
    lines.push(...fold(text, REMARK, '  leftovers '))
  }
  const { words, commands } = nextOf(status)
  lines.push(...fold(words, '  ', ''), ...commands.map((command) => `  ${command}`))
  return `${lines.join('\n')}\n`
}

const COLUMNS = [
  { title: 'stage', cell: ({ stage }: StageStanding) => stage, whole: true },
  ...(['done', 'running', 'failed', 'lost', 'waiting'] as const).map((title) => ({
    title,
    cell: (one: StageStanding) => number(one[title]),
    side: 'right' as const,
    whole: true,
  })),
  {
    title: 'left',
    cell: ({ etaMs, tasks, done }: StageStanding) =>
      done === tasks ? '' : etaMs === undefined ? '?' : `about ${span(etaMs)}`,
    whole: true,
  },
]

function stageWords(stages: readonly StageStanding[]): string {
  const open = stages.find(({ done, tasks }) => done < tasks)
  return open === undefined ? 'all tasks are done' : `at ${open.stage}`
}

function slowLines({ stage, slowestRunning, slowestDone }: StageStanding): string[] {
  const words = [
    ...(slowestRunning ? [`slowest running ${runningWords(slowestRunning)}`] : []),
    ...(slowestDone ? [`slowest done ${doneWords(slowestDone)}`] : []),
  ]
  return words.length === 0 ? [] : fold(words.join('; '), REMARK, `  ${stage.padEnd(10)}`)
}

function runningWords({ index, host, seconds, share }: RunningTask): string {
  const read = share === undefined ? '' : `, ${Math.floor(share * 100)}% read`
  return `${index} on ${visible(host)} (${span(seconds * MS_PER_SECOND)}${read})`
}

function doneWords({ index, seconds }: DoneTask): string {
  return `${index} (${span(seconds * MS_PER_SECOND)})`
}

function lostLines({ stage, lostTasks }: StageStanding): string[] {
  if (lostTasks.length === 0) return []
  const named = lostTasks.slice(0, NAMED).map(({ index, host }) => `${index} on ${visible(host)}`)
  const rest = lostTasks.length > NAMED ? `, and ${number(lostTasks.length - NAMED)} more` : ''
  const text = `nothing heard for 3 minutes of ${stage} ${named.join(', ')}${rest}: the scheduler starts them again, or you do`
  return fold(text, REMARK, '  lost      ')
}

function errorLines({ stage, failedTasks }: StageStanding): string[] {
  const lines = failedTasks.slice(0, NAMED).flatMap((task) => errorWords(stage, task))
  const rest = failedTasks.length - NAMED
  return rest > 0 ? [...lines, `${REMARK}and ${plural(rest, 'failed task')} more of ${stage}`] : lines
}

function errorWords(stage: string, { index, tries, forGood, error }: FailedTask): string[] {
  const { message, hint, exit } = error
  const fate = forGood ? 'another try would fail too' : 'worth another try'
  const text = `${stage} ${index}, ${plural(tries, 'try', 'tries')}, exit ${exit}, ${fate}: ${visible(message)}`
  const lines = fold(text, REMARK, '  failed    ')
  return hint === null ? lines : [...lines, ...fold(visible(hint), REMARK)]
}

/** What to do now. */
function nextOf({ out, endpoint, finished, stages }: FleetStatus): {
  readonly words: string
  readonly commands: readonly string[]
} {
  const place = ['--out', out, ...(endpoint === undefined ? [] : ['--endpoint', endpoint])]
  if (finished) return { words: 'Next:', commands: [continueCommand(['check', out, ...place.slice(2)])] }
  const open = stages.find(({ done, tasks }) => done < tasks)
  if (open === undefined)
    return { words: 'Next:', commands: [continueCommand(['fleet', 'finish', ...place])] }
  const run = (index: number) =>
    continueCommand(['fleet', 'run', open.stage, ...place, '--index', `${index}`])
  const bad = open.failedTasks.filter(({ forGood }) => forGood)
  if (bad.length > 0) {
    return {
      words: `Next: mend what the errors say, then run the failed tasks again:`,
      commands: bad.slice(0, NAMED).map(({ index }) => run(index)),
    }
  }
  const again = [...open.failedTasks, ...open.lostTasks]
  if (again.length > 0 && open.running === 0) {
    return {
      words: 'Next: if the scheduler does not start them again, run them:',
      commands: again.slice(0, NAMED).map(({ index }) => run(index)),
    }
  }
  if (open.running > 0) return { words: 'Next: wait, and look again.', commands: [] }
  return {
    words: `Next: none runs. Start ${open.done > 0 ? 'what is left of ' : ''}${open.stage}, by your scheduler, a makefile or by hand:`,
    commands: [continueCommand(['fleet', 'job', ...place])],
  }
}
