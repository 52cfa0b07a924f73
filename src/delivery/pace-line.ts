import { open } from 'node:fs/promises'
import { z } from 'zod'
import { errnoOf, readWhole, type Store } from '../store/index.ts'
import { KIB, MIB } from '../text/index.ts'

/** A file on this machine, or one in a bucket. */
export type PaceFile = string | { readonly store: Store; readonly name: string }

/** The end of the file that is read: some lines, the last of which is whole or half written. */
const TAIL_BYTES = 16 * KIB

/** No log of ours is larger. */
const MOST_BYTES = 32 * MIB

const count = z.number().nonnegative()

/** A line of the pace log; pace-log.ts says what it means. Those of earlier versions lack the members with a default. */
const lineSchema = z.object({
  at: z.string(),
  delivered: count,
  rejected: count,
  per_minute: z.number(),
  waits: count,
  waited_ms: count,
  bytes_done: count.nullable().default(null),
  bytes_total: count.nullable().default(null),
  last_error: z.object({ at: z.string(), reason: z.string() }).nullable().default(null),
})

export type PaceLine = z.infer<typeof lineSchema>

/** The last whole line of a pace log. Undefined if the log is empty or can't be read: nothing depends on it. */
export async function lastPace(file: PaceFile): Promise<PaceLine | undefined> {
  const text = await tailOf(file)
  for (const line of text.split('\n').reverse()) {
    const parsed = lineSchema.safeParse(jsonOf(line))
    if (parsed.success) return parsed.data
  }
  return undefined
}

/** All lines of a pace log that can be read; none if there is no log. It has two weeks of minutes at most. */
export async function allPace(file: PaceFile): Promise<PaceLine[]> {
  const text =
    typeof file === 'string'
      ? await readWhole(file, { mostBytes: MOST_BYTES }).catch((error: unknown) => {
          if (errnoOf(error) === 'ENOENT') return ''
          throw error
        })
      : Buffer.from((await file.store.load(file.name))?.bytes ?? [])
  return text
    .toString()
    .split('\n')
    .flatMap((line) => lineSchema.safeParse(jsonOf(line)).data ?? [])
}

async function tailOf(file: PaceFile): Promise<string> {
  if (typeof file !== 'string') {
    return Buffer.from((await file.store.load(file.name))?.bytes ?? [])
      .toString()
      .slice(-TAIL_BYTES)
  }
  try {
    const handle = await open(file)
    try {
      const start = Math.max(0, (await handle.stat()).size - TAIL_BYTES)
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, start)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (errnoOf(error) !== undefined) return ''
    throw error
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
