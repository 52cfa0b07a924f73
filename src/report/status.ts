import type { CheckpointState } from '../delivery/checkpoint.ts'
import { ratePerSecond } from '../delivery/pacer.ts'
import { earliest } from '../delivery/place.ts'
import type { HolderSeen } from '../store/lease.ts'
import { noteLines, topNames } from './summary.ts'
import { visible } from './visible.ts'
import { bytes, number, plural, span } from './words.ts'

/** What is known of the import beside its checkpoint. */
export interface StatusSurroundings {
  /** The process that is importing now, if there is one. */
  readonly runs: HolderSeen | undefined
  /** What all imports into the project count against the volume cap; undefined if there is no ledger. */
  readonly migration:
    | {
        readonly events: number
        /** Without what killed runs had claimed, which the next run sends. */
        readonly delivered: number
        readonly since: string
        readonly imports: number
      }
    | undefined
  /** The processes that draw on the project's rate cap now. */
  readonly drawing: readonly HolderSeen[]
}

/** A checkpoint as JSON, `version` 1; docs/exit-codes-and-json.md has its shape. */
export function statusJson(
  path: string,
  state: CheckpointState,
  { runs, migration, drawing }: StatusSurroundings,
): Record<string, unknown> {
  const { input, target, counts, caps, done, started_at, saved_at } = state
  return {
    version: 1,
    command: 'status',
    checkpoint: path,
    input: { kind: input.kind, name: input.name, bytes: input.size },
    host: target.host,
    rules: state.rules,
    done,
    running: runs !== undefined,
    held_by: runs === undefined ? null : holderJson(runs),
    started_at,
    saved_at,
    written: counts.delivered,
    rejected: counts.rejected,
    rejects: state.reasons,
    share: shareOf(state) ?? null,
    seconds_left_at_cap: leftMs(state) === undefined ? null : Math.ceil(leftMs(state)! / 1000),
    caps,
    migration: migration ?? null,
    drawing_on_cap: drawing.map(holderJson),
  }
}

/** A checkpoint for a person. */
export function statusLines(
  path: string,
  state: CheckpointState,
  { runs, migration, drawing }: StatusSurroundings,
): string[] {
  const { input, target, counts, caps, done } = state
  const share = shareOf(state)
  const left = leftMs(state)
  const where = done ? 'done' : share === undefined ? 'not done' : `${Math.floor(share * 100)}% done`
  const lines = [
    `${visible(path)}: ${where}`,
    `  input     ${visible(input.name)}, ${bytes(input.size)}`,
    `  to        ${visible(target.host)}`,
    `  written   ${plural(counts.delivered, 'event')}`,
    `  rejected  ${number(counts.rejected)}${counts.rejected > 0 ? `  ${topNames(state.reasons)}` : ''}`,
    `  caps      ${number(caps.events_per_minute)} events a minute, ${number(caps.events)} in total${caps.approved ? ' (approved)' : ''}`,
    `  started   ${state.started_at}`,
    `  saved     ${state.saved_at}`,
  ]
  if (migration !== undefined) {
    lines.push(
      `  migration ${plural(migration.events, 'event')}, over all imports into this project`,
      `            since ${migration.since}`,
    )
  }
  if (left !== undefined && !done) lines.push(`  left      at least ${span(left)}, at the rate cap`)
  if (runs !== undefined) lines.push(`  running   ${visible(holderWords(runs))}`)
  else if (!done && (migration?.delivered ?? counts.delivered) >= caps.events)
    lines.push(
      '  running   no: its volume cap is reached; repeat its import command with',
      '            a higher --max-events',
    )
  else if (!done) lines.push('  running   no: repeat its import command to continue')
  for (const holder of drawing) {
    if (holder.who === runs?.who) continue
    const purpose = holder.purpose === '' ? [] : [`            ${visible(holder.purpose)}`]
    lines.push(`  rate cap  ${visible(holderWords(holder))}`, ...purpose)
  }
  return [...lines, ...noteLines(state.notes)]
}

/** The share of the input that is acknowledged, from 0 to 1. Undefined if the checkpoint alone cannot tell. */
function shareOf({ input, places, counts, done }: CheckpointState): number | undefined {
  if (done) return 1
  if (input.kind === 'files')
    return (input.before.bytes + input.current.consumed.bytes) / Math.max(1, input.size)
  if (input.kind === 'dataset')
    return input.events === 0 ? 1 : (counts.delivered + counts.rejected) / input.events
  const { offset } = earliest(places)
  // A place counts unpacked bytes. If it is beyond the file's size, the file is a .gz, whose unpacked size is unknown.
  return offset > input.size ? undefined : offset / Math.max(1, input.size)
}

function leftMs(state: CheckpointState): number | undefined {
  const share = shareOf(state)
  const { delivered } = state.counts
  if (share === undefined || share === 0 || delivered === 0) return undefined
  const events = delivered / share - delivered
  const { caps, places, most_lanes: mostLanes } = state
  const pace = { perMinute: caps.events_per_minute, lanes: places.length, mostLanes }
  return (events * 1000) / ratePerSecond(pace)
}

function holderWords({ who, since, seen }: HolderSeen): string {
  return `${who}, since ${since}${seen ? '' : ' (not seen from here)'}`
}

function holderJson({ who, since, purpose, seen }: HolderSeen): Record<string, unknown> {
  return { process: who, since, purpose, seen }
}
