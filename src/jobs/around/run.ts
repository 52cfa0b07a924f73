import { join } from 'node:path'
import { AROUND_KINDS, type AroundKind, type AroundRow } from '../../around/index.ts'
import { EXIT, type ExitCode } from '../../errors.ts'
import { systemClock } from '../../http/index.ts'
import type { Io } from '../../io.ts'
import { type Api, AroundProject, chooseProject } from '../../service/index.ts'
import { acquireLease, type Lease } from '../../state/lease.ts'
import { writeFileAtomic } from '../../store/index.ts'
import { MS_PER_MINUTE, span } from '../../text/index.ts'
import { keepPush } from './last-push.ts'
import type { PlannedItem } from './planned-rows.ts'
import { PushTally, plannedItems, pushKind } from './push.ts'
import type { PushTools } from './push-tools.ts'
import { folderCell, PushedThings } from './pushed.ts'
import { type AroundDiffResult, type AroundItem, type AroundPushResult, countStates } from './result.ts'
import { undoPush } from './undo.ts'
import { WantedFolder } from './wanted.ts'

/** How long the project may be out of reach. */
const RETRY_MS = 15 * MS_PER_MINUTE
/** In the folder: what no API makes again. */
export const CHECKLIST = 'by-hand.md'

/** One run at a time works with a folder. Code `locked` for another. */
export async function folderLease(folder: string, { interrupted: signal, telemetry }: Io): Promise<Lease> {
  const cell = folderCell(folder, '.around.lock')
  const note = (text: string) => telemetry.note('around', text)
  return acquireLease({ cell, purpose: `around with ${folder}`, signal, note })
}

/** What a folder is held against, or brought to. */
export interface PushOrder {
  readonly folder: string
  readonly map: string | undefined
  readonly overwrite: boolean
  /** The kinds that are looked at. */
  readonly only: readonly AroundKind[]
  readonly act: 'push' | 'undo'
}

interface PushRun {
  readonly tools: PushTools
  readonly wanted: WantedFolder
}

/** Says what the project lacks, has alike, or has in other words. Writes nothing. */
export async function diffAround(order: PushOrder, api: Api, io: Io): Promise<AroundDiffResult> {
  const { tools, wanted } = await openRun(order, api, io)
  return { version: 1, command: 'around diff', ...(await lookAt(order, { tools, wanted }, plannedItems)) }
}

/** Brings a folder into the project, or takes back what it brought. Code `locked` while another push of it runs. */
export async function pushAround(order: PushOrder, api: Api, io: Io): Promise<AroundPushResult> {
  const lease = await folderLease(order.folder, io)
  try {
    const { tools, wanted } = await openRun(order, api, io)
    const tally = new PushTally()
    const undone = order.act === 'undo' ? await undoPush(tools) : null
    const only = undone ? [] : order.only
    const looked = await lookAt({ ...order, only }, { tools, wanted }, (kind, rows, with_) =>
      pushKind(kind, rows, with_, tally),
    )
    const items = [...(undone?.kept ?? []), ...looked.items.map((item) => refusedAfter(item, tally))]
    if (!undone) await writeChecklist(order.folder, items)
    const result: AroundPushResult = {
      version: 1,
      command: 'around push',
      ...looked,
      items,
      made: tally.made,
      changed: tally.changed,
      members: { sent: tally.sent, unmatched: tally.unmatched },
      notes: tally.allNotes,
      undone: undone && { removed: undone.removed, restored: undone.restored, kept: undone.kept.length },
    }
    await keepPush(result, tools.pushed)
    return result
  } finally {
    await lease.release()
  }
}

/** 3 where a person is to look: something was kept, refused, taken away or left to be made by hand. */
export function aroundExit({ items }: Pick<AroundDiffResult, 'items'>): ExitCode {
  return items.some(({ state }) => LOOK.has(state)) ? EXIT.rejects : EXIT.done
}

const LOOK = new Set<AroundItem['state']>(['kept', 'refused', 'gone'])

async function openRun({ folder, map, overwrite }: PushOrder, api: Api, io: Io): Promise<PushRun> {
  const wanted = await WantedFolder.open(folder, map)
  const id = await chooseProject(api)
  const pushed = await PushedThings.load(folder, `${api.origin} ${id}`)
  const retry = {
    retryForMs: RETRY_MS,
    clock: systemClock,
    random: Math.random,
    signal: io.interrupted,
    onRetry: ({ message }: Error, ms: number) =>
      io.telemetry.note('around', `waiting ${span(ms)}: ${message}`),
  }
  const project = new AroundProject(api, id)
  const memberId = (id: string) => wanted.memberId(id)
  return { wanted, tools: { folder: wanted.folder, project, pushed, overwrite, retry, memberId } }
}

type Look = (
  kind: AroundKind,
  rows: readonly AroundRow[],
  tools: PushTools,
) => Promise<readonly PlannedItem[]>

/** Goes through the kinds, and says how the rows of each stood. */
async function lookAt({ folder, only }: PushOrder, { tools, wanted }: PushRun, look: Look) {
  const toCome = new Set(look === plannedItems ? only : [])
  const items: AroundItem[] = []
  const kinds: AroundDiffResult['kinds'][number][] = []
  for (const kind of AROUND_KINDS.filter((one) => only.includes(one))) {
    const { rows, others } = await wanted.wanted(kind, tools.pushed, toCome)
    const found = [...(await look(kind, rows, tools)).map(itemOf), ...others]
    kinds.push({ kind, rows: found.length, ...countStates(found) })
    items.push(...found.filter(({ state }) => state !== 'alike'))
  }
  return { folder, project: { host: tools.project.api.origin, id: tools.project.projectId }, kinds, items }
}

function itemOf({ kind, name, state, why, fields }: PlannedItem): AroundItem {
  return { kind, name, state, fields: Object.keys(fields.set), why }
}

/** A row that the service refused when it was written. */
function refusedAfter(item: AroundItem, { refusals }: PushTally): AroundItem {
  return { ...item, ...refusals.get(`${item.kind}\n${item.name}`) }
}

/** Writes what is left to do by hand beside the files, as a list to tick off. */
async function writeChecklist(folder: string, items: readonly AroundItem[]): Promise<void> {
  const rows = items.filter(({ state }) => state === 'by_hand')
  if (rows.length === 0) return
  const lines = rows.map(
    ({ kind, name, why }) => `- [ ] ${KIND_WORDS[kind]} **${oneLine(name)}**: ${oneLine(why ?? '')}`,
  )
  await writeFileAtomic(join(folder, CHECKLIST), `# To make by hand in PostHog\n\n${lines.join('\n')}\n`)
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ')
const KIND_WORDS: Readonly<Record<AroundKind, string>> = {
  events: 'event',
  properties: 'property',
  annotations: 'annotation',
  cohorts: 'cohort',
  reports: 'report',
  dashboards: 'dashboard',
}
