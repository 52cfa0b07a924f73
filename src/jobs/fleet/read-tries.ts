import { z } from 'zod'
import type { Store, StoredFile } from '../../store/index.ts'
import { STAGES, type Stage } from '../../text/index.ts'
import type { TryRecord } from '../../transform/index.ts'

/** A try, as the name of its record tells of it. */
export interface ListedTry {
  readonly name: string
  readonly stage: Stage
  readonly index: number
  /** By it the tries of a task are in the order of their starts. */
  readonly id: string
  readonly state: TryRecord['state']
  /** How long it took; undefined while it runs. */
  readonly seconds: number | undefined
}

const NAME = new RegExp(
  String.raw`^tries/(${STAGES.join('|')})/(\d{6})-(\d{8}T\d{6}-[0-9a-f]{8})(?:\.(done|failed)\.(\d+))?\.json$`,
)

/** The tries in a listing of a fleet's store, in the order of their starts. */
export function triesIn(files: readonly StoredFile[]): ListedTry[] {
  const tries = new Map<string, ListedTry>()
  for (const { name } of files) {
    const [, stage, index, id, state, seconds] = NAME.exec(name) ?? []
    if (stage === undefined || id === undefined) continue
    // A try that was killed between its last two requests has two records: the end holds.
    if (state === undefined && tries.has(id)) continue
    tries.set(id, {
      name,
      stage: stage as Stage,
      index: Number(index),
      id,
      state: (state as 'done' | 'failed' | undefined) ?? 'running',
      seconds: seconds === undefined ? undefined : Number(seconds),
    })
  }
  return [...tries.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

const text = z.string()
const count = z.number().nonnegative()
const recordSchema: z.ZodType<TryRecord> = z.object({
  plan: text,
  stage: z.enum(STAGES),
  index: z.number().int().nonnegative(),
  of: count,
  state: z.enum(['running', 'done', 'failed']),
  host: text,
  pid: z.number().int(),
  started_at: z.iso.datetime(),
  at: z.iso.datetime(),
  bytes: count,
  seconds: count,
  peak_memory: count,
  error: z
    .object({
      code: text,
      exit: z.number().int(),
      fate: z.enum(['retry', 'reject', 'stop']),
      message: text,
      hint: text.nullable(),
    })
    .nullable(),
})

/** The record of a try under `plan`; undefined if it is gone, is of another plan, or cannot be read. */
export async function readTry(store: Store, name: string, plan: string): Promise<TryRecord | undefined> {
  const there = await store.load(name)
  if (!there) return undefined
  try {
    const record = recordSchema.parse(JSON.parse(Buffer.from(there.bytes).toString('utf8')))
    return record.plan === plan ? record : undefined
  } catch {
    return undefined
  }
}
