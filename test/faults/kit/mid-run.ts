import { afterAll } from 'vitest'
import { makeFolder } from '../../helpers/folder.ts'
import type { Action } from './action.ts'
import { FastClock } from './clock.ts'
import type { Received } from './received.ts'
import { FaultyImport, type Imported } from './run.ts'
import { Service } from './service.ts'

/** What the program does after a request met a fault: the same bytes again, half of the events, or other events. */
export type Next = 'again' | 'halved' | 'went on'

/** A fault that one request meets in the middle of a run, and what has to follow. */
export interface Fault {
  readonly name: string
  readonly action: Action
  readonly next: Next
}

export interface MidRun {
  readonly service: Service
  readonly clock: FastClock
  readonly ended: Imported
  /** What followed the fault. */
  next(fault: Fault): Next | undefined
  /** Ms of the program's clock from the request that met the fault to the next one. */
  waited(fault: Fault): number
  judge(): void
}

interface MidRunOptions {
  readonly seed: number
  readonly speed?: number
  readonly flags?: readonly string[]
  readonly padding?: number
  readonly env?: Readonly<Record<string, string>>
}

const BATCH = 6

/**
 * One run that meets one fault after another, with one healthy request before each. Call it in a beforeAll. The faults
 * may be made of the program's clock.
 */
export async function midRun(
  faults: readonly Fault[] | ((clock: FastClock) => readonly Fault[]),
  { seed, speed = 20, flags = [], padding = 0, env = {} }: MidRunOptions,
): Promise<MidRun> {
  const clock = new FastClock(speed)
  const rows = typeof faults === 'function' ? faults(clock) : faults
  const nthOf = (fault: Fault) => 2 * rows.findIndex(({ name }) => name === fault.name) + 1
  const service = await Service.start((n) => (n % 2 === 0 ? undefined : rows[(n - 1) / 2]?.action), afterAll)
  const events = (2 * rows.length + 1) * BATCH
  const folder = makeFolder()
  const it = new FaultyImport({ service, seed, events, clock, folder, padding, env })
  const ended = await it.run('--batch-events', String(BATCH), ...flags)
  const pair = (fault: Fault) => {
    const n = nthOf(fault)
    return [service.requests[n], service.requests[n + 1]] as const
  }
  return {
    service,
    clock,
    ended,
    next: (fault) => nextOf(...pair(fault)),
    waited: (fault) => {
      const [first, second] = pair(fault)
      return first && second ? (second.mono - first.mono) * speed : Number.NaN
    },
    judge: () => it.judge(),
  }
}

function nextOf(first: Received | undefined, second: Received | undefined): Next | undefined {
  if (!first || !second) return undefined
  // Of a request that was cut, the bytes that came.
  if (second.packed.subarray(0, first.packed.length).equals(first.packed)) {
    const announced = first.headers['content-length'] === second.headers['content-length']
    return announced ? 'again' : undefined
  }
  const uuids = new Set(first.events.map(({ uuid }) => uuid))
  return second.events.some(({ uuid }) => uuids.has(uuid)) ? 'halved' : 'went on'
}
