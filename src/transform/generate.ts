import { statSync } from 'node:fs'
import { constantsOf, type Provenance, tailOf } from '../mapping/constant-properties.ts'
import { ByteWriter } from '../record/byte-writer.ts'
import { groupSender } from '../record/group-event.ts'
import { writeEvent } from '../record/head.ts'
import { type Key, keyOf } from '../record/keys.ts'
import { Members } from '../record/members.ts'
import { POSTHAUL_NAMESPACE, uuidV5 } from '../record/uuid.ts'
import { MIB } from '../units.ts'
import { readSeen } from './observation-file.ts'
import type { GroupSeen, LinkSeen, Seen } from './observations.ts'
import { KINDS, type LineKind, type Segment } from './run/frame.ts'
import { RunWriter } from './run/writer.ts'

const ANON_DISTINCT_ID = keyOf('$anon_distinct_id')
const GROUP_TYPE = keyOf('$group_type')
const GROUP_KEY = keyOf('$group_key')
const GROUP_SET = keyOf('$group_set')

/** Bytes of observations resolved at once; as objects they take about ten times as much. */
const SHARE_BYTES = MIB
/** The least number of shares when there is more than one, so that workers can take them side by side. */
const FEW = 4

/** What all generated events share. */
export interface GenerateOptions extends Provenance {
  readonly groupEventName: string
}

/** Into how many shares the observations in `files` fall; a function of the files alone. */
export function sharesOf(files: readonly string[]): number {
  const total = files.reduce((sum, file) => sum + statSync(file).size, 0)
  return Math.max(total < SHARE_BYTES ? 1 : FEW, Math.ceil(total / SHARE_BYTES))
}

/** Resolves one share of the observations in `files` into generated events: a run in `folder`, as units have. */
export function generateShare(
  files: readonly string[],
  share: number,
  shares: number,
  folder: string,
  options: GenerateOptions,
): readonly Segment[] {
  const runs = new RunWriter(folder, `generated-${share}`, new ByteWriter())
  const resolver = new Resolver()
  for (const file of files) readSeen(file, share, shares, (one) => resolver.see(one))
  resolver.write(options, runs.lines, (instant, seq, kind) => runs.add(instant, seq, kind))
  runs.flush()
  return runs.segments
}

/**
 * Turns observations into events: one `$identify` for each anonymous id, to its first user at their first meeting,
 * and one group event for each change of a group's properties. It must see all observations of an anonymous id or
 * group, or none.
 */
export class Resolver {
  readonly #links = new Map<string, LinkSeen>()
  readonly #groups = new Map<string, GroupSeen[]>()

  see(one: Seen): void {
    if (one.kind === 'link') {
      const known = this.#links.get(one.anonymous)
      if (!known || byTime(one, known) < 0) this.#links.set(one.anonymous, one)
      return
    }
    const name = JSON.stringify([one.type, one.key])
    const states = this.#groups.get(name)
    if (states) states.push(one)
    else this.#groups.set(name, [one])
  }

  /** Each event's line is appended to `writer` and then announced by `add`. */
  write(
    options: GenerateOptions,
    writer: ByteWriter,
    add: (instant: number, seq: number, kind: LineKind) => void,
  ): void {
    const { groupEventName } = options
    const tail = tailOf(constantsOf(options))
    for (const link of this.#links.values()) {
      writeIdentify(writer, link, tail)
      add(link.instant, link.seq, KINDS.identify)
    }
    for (const states of this.#groups.values()) {
      let before: string | undefined
      for (const state of states.sort(byTime)) {
        // An event that joins a group without its properties changes nothing.
        if (state.json === before || (state.json === '{}' && before !== undefined)) continue
        before = state.json
        writeGroup(writer, state, groupEventName, tail)
        add(state.instant, state.seq, KINDS.group)
      }
    }
  }
}

function byTime(a: Seen, b: Seen): number {
  return a.instant - b.instant || a.seq - b.seq
}

function writeIdentify(writer: ByteWriter, { anonymous, user, instant }: LinkSeen, tail: ByteWriter): void {
  const uuid = uuidV5(POSTHAUL_NAMESPACE, `identify:${user}:${anonymous}`)
  const own = properties([[ANON_DISTINCT_ID, quote(anonymous)]])
  writeEvent(writer, uuid, instant, '$identify', user, own, tail)
}

function writeGroup(
  writer: ByteWriter,
  { type, key, json, instant }: GroupSeen,
  event: string,
  tail: ByteWriter,
): void {
  const uuid = uuidV5(POSTHAUL_NAMESPACE, JSON.stringify(['group', type, key, instant, json]))
  const own = properties([
    [GROUP_TYPE, quote(type)],
    [GROUP_KEY, quote(key)],
    [GROUP_SET, json],
  ])
  writeEvent(writer, uuid, instant, event, groupSender(type, key), own, tail)
}

function quote(text: string): string {
  return JSON.stringify(text)
}

// Shared by all events: it has tables of its own, and there can be an event for every visitor.
const members = new Members()

function properties(own: ReadonlyArray<readonly [Key, string]>): Members {
  members.clear()
  for (const [key, json] of own) {
    const value = Buffer.from(json)
    members.put(key, value, 0, value.length)
  }
  return members
}
