import { ENTRY_BYTES } from '../../../src/transform/run/frame.ts'
import { RUN_BYTES } from './map-layout.ts'

/**
 * Processor time of an event in microseconds, user and system, of one process on one core: from the rows of results-fleet.md,
 * without what each further task takes. They are of a slow day of the machine, so they are scaled: there the build of 02d2a0c
 * took 38.1 µs for a local transform (results-transform.md); that of 00d09a2, taken to be as fast, took 14.3 µs in results.md.
 * `generate` is of an observation: 2.5 to resolve it, and 0.2 to gather it.
 */
export const CPU_MICROS = { map: 11.5, generate: 2.7, seal: 6.9, pass: 0.1 }

/** Bytes a second that a task reads from its disk. */
const DISK = 1e9

/** Processor seconds of a task that has nothing to do: most of it is the start of the process. */
export const START_SECONDS = 1

/** A task writes the record of its try so often, in seconds. */
const BEAT = 30

/** As in src/transform/fleet/seal-task.ts. */
const PASS_EVENTS = Math.floor(0.45 * 2 ** 24)
/** Of a table of uuids: a slot, of which there are twice as many as events or more. */
const SLOT_BYTES = 28
/** A process without tables, its merge among it. */
const PROCESS_BYTES = 200e6
/** A merge reads every piece of a day in blocks of its own: one of lines, and one of the index. */
const BLOCK_BYTES = 18 * 1024
/** Two bits an event note the verdicts of a day that takes passes. */
const VERDICT_BYTES = 0.25

/** How often a day is read: the index alone for each share of its uuids, and all of it to write. */
export function passesOf(events: number): number {
  const passes = Math.ceil(events / PASS_EVENTS)
  return passes > 1 ? passes + 1 : 1
}

/** Memory of a seal task at a day of so many events in so many pieces. */
export function sealMemory(events: number, pieces: number): number {
  const held = Math.min(events, PASS_EVENTS)
  const table = SLOT_BYTES * 2 ** Math.ceil(Math.log2(2 * held))
  const verdicts = passesOf(events) > 1 ? events * VERDICT_BYTES : 0
  return PROCESS_BYTES + table + verdicts + pieces * BLOCK_BYTES
}

/** Bytes that a seal task reads from its disk. */
export function sealReads(events: number): number {
  return events * (RUN_BYTES + (passesOf(events) - 1) * ENTRY_BYTES)
}

/** Seconds of a core at a day in the seal stage: a further reading takes what the disk takes, where that is more. */
export function sealSeconds(events: number): number {
  const pass = Math.max(CPU_MICROS.pass, (ENTRY_BYTES / DISK) * 1e6)
  return (events * (CPU_MICROS.seal + (passesOf(events) - 1) * pass)) / 1e6
}

/** Requests that a task of so many seconds writes about itself: a try's beats, its end, and the result. */
export function taskPuts(seconds: number): number {
  return 3 + Math.floor(seconds / BEAT)
}
