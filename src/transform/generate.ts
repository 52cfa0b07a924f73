import { constantsOf, type Provenance, tailOf } from '../mapping/constant-properties.ts'
import type { GroupState } from '../mapping/joined-groups.ts'
import type { ByteWriter } from '../record/byte-writer.ts'
import { writeEvent } from '../record/head.ts'
import { type Key, keyOf } from '../record/keys.ts'
import { Members } from '../record/members.ts'
import { GROUP_EVENT, groupSender } from '../record/rules.ts'
import { POSTHAUL_NAMESPACE, uuidV5, uuidWords } from '../record/uuid.ts'
import { sum } from '../text/lists.ts'
import { MIB } from '../text/units.ts'
import { compareTexts } from '../text/words.ts'
import { isSaid, stateOf } from './after/carry.ts'
import type { LinkSeen } from './first-links.ts'
import { type GatheredFile, groupsOf, readShare, type ShareOrder } from './gather.ts'
import type { Job } from './job.ts'
import type { KnownLink } from './links.ts'
import { eachSeen, type GroupSeen, groupName, hashOfSeen, type Observation } from './observations.ts'
import { KINDS, type LineKind, type Segment } from './run/frame.ts'
import { RunWriter } from './run/writer.ts'
import { type DoPieces, generatedName, type PieceOptions, type Task } from './task.ts'
import { LineFile, type WrittenFile } from './work-file.ts'

const ANON_DISTINCT_ID = keyOf('$anon_distinct_id')
const GROUP_TYPE = keyOf('$group_type')
const GROUP_KEY = keyOf('$group_key')
const GROUP_SET = keyOf('$group_set')
/** What generated events say themselves: no rule of the user's may change it. */
const LINK_OWN = [ANON_DISTINCT_ID]
const GROUP_OWN = [GROUP_TYPE, GROUP_KEY, GROUP_SET]

/** Bytes of observations resolved at once; as objects they take about ten times as much. */
const SHARE_BYTES = MIB
/** The least number of shares when there is more than one, so that workers can take them side by side. */
const FEW = 4

export interface GenerateOptions extends Provenance {
  /** What the mapping file sets on every event, as JSON text. */
  readonly set: Readonly<Record<string, string>>
}

export interface Generated {
  readonly segments: readonly Segment[]
  /** Lines of links.ndjson that say the same, for the transforms of later windows, and how many. */
  readonly linksFile: WrittenFile
  readonly links: number
}

/** Turns the observations in `seen` into events, all but those that earlier datasets have, in the order of their hashes. */
export async function generateAll(
  doPieces: DoPieces,
  { after }: Pick<Job, 'after'>,
  seen: readonly WrittenFile[],
  options: PieceOptions<Generated> = {},
): Promise<Generated[]> {
  const isLinked = after.length > 0
  const carried = isLinked ? await doPieces<WrittenFile>([{ type: 'carry', seen }]) : []
  const all = [...carried, ...seen]
  const shares = sharesOf(all)
  const gathered = await doPieces<GatheredFile[]>(
    groupsOf(all).map((some, group) => ({ type: 'gather', group, shares, seen: some })),
  )
  const files = gathered.flat()
  const tasks = Array.from({ length: shares }, (_, share): Task => {
    return { type: 'generate', share, shares, gathered: files }
  })
  return doPieces<Generated>(tasks, options)
}

/** Into how many shares the observations in `files` fall; a function of the files alone. */
export function sharesOf(files: readonly WrittenFile[]): number {
  const total = sum(files, ({ bytes }) => bytes)
  return Math.max(total < SHARE_BYTES ? 1 : FEW, Math.ceil(total / SHARE_BYTES))
}

/** Resolves one share of gathered observations into generated events: a run beside them in `folder`, as units have. */
export function generateShare(
  { gathered, share, shares }: ShareOrder,
  folder: string,
  options: GenerateOptions,
): Generated {
  const name = generatedName(share, shares)
  const runs = new RunWriter(folder, name)
  const file = new LineFile(folder, `${name}.links`)
  let links = 0
  const resolver = new Resolver()
  try {
    for (const one of gathered) eachSeen(readShare(folder, one, share), (seen) => resolver.see(seen))
    resolver.write(options, runs.lines, (one, kind) => {
      runs.add(one.instant, one.seq, kind)
      file.write(linkLine(knownOf(one)))
      links++
    })
    runs.flush()
  } finally {
    file.close()
  }
  return { segments: runs.segments, linksFile: file.written, links }
}

function knownOf(one: Observation): KnownLink {
  const { instant: at } = one
  if (one.kind === 'link') return { anonymous: one.anonymous, user: one.user, at }
  return { type: one.type, key: one.key, state: stateOf(one.json), at }
}

/**
 * Turns observations into events: one `$identify` for each anonymous id, to its first user at their first meeting,
 * and one group event for each change of a group's properties. What earlier datasets have said (after/carry.ts) is not
 * said again. It must see all observations of an anonymous id or group, or none.
 */
export class Resolver {
  readonly #links = new Map<string, LinkSeen>()
  readonly #groups = new Map<string, GroupSeen[]>()

  see(one: Observation): void {
    if (one.kind === 'link') {
      const known = this.#links.get(one.anonymous)
      // A user whom an earlier dataset named stays, though one who came first may be seen late.
      if (!known || isSaid(one) || (!isSaid(known) && byTime(one, known) < 0))
        this.#links.set(one.anonymous, one)
      return
    }
    const name = groupName(one.type, one.key)
    const states = this.#groups.get(name)
    if (states) states.push(one)
    else this.#groups.set(name, [one])
  }

  /**
   * Each event's line is appended to `writer` and then announced by `add`: in the order of the hashes of what they are of,
   * so that the shares of any division, one after the other, have one order.
   */
  write(options: GenerateOptions, writer: ByteWriter, add: (one: Observation, kind: LineKind) => void): void {
    const { set } = options
    const constants = constantsOf(options)
    const linkTail = tailOf(constants, set, LINK_OWN)
    const groupTail = tailOf(constants, set, GROUP_OWN)
    for (const { of } of this.#inOrder()) {
      if (Array.isArray(of)) {
        for (const state of changesOf(of)) {
          writeGroup(writer, state, groupTail)
          add(state, KINDS.group)
        }
      } else if (!isSaid(of)) {
        writeIdentify(writer, of, linkTail)
        add(of, KINDS.identify)
      }
    }
  }

  #inOrder(): Ranked[] {
    const all: Ranked[] = []
    for (const [name, of] of this.#links) all.push({ hash: hashOfSeen(of), name, of })
    for (const of of this.#groups.values()) {
      const { type, key } = of[0]!
      all.push({ hash: hashOfSeen(of[0]!), name: JSON.stringify([type, key]), of })
    }
    return all.sort((a, b) => a.hash - b.hash || compareTexts(a.name, b.name))
  }
}

interface Ranked {
  readonly hash: number
  readonly name: string
  readonly of: LinkSeen | GroupSeen[]
}

/** The states of one group that differ from the one before, without those that were said already. */
function* changesOf(states: GroupSeen[]): Generator<GroupSeen> {
  // Digests are made only where there is one to compare with.
  const digested = states.some(isSaid)
  let before: string | undefined
  for (const state of states.sort(byTime)) {
    if (isSaid(state)) {
      before = state.json
      continue
    }
    // An event that joins a group without its properties changes nothing.
    if (state.json === '{}' && before !== undefined) continue
    const now = digested ? stateOf(state.json) : state.json
    if (now === before) continue
    before = now
    yield state
  }
}

function byTime(a: Observation, b: Observation): number {
  return a.instant - b.instant || a.seq - b.seq
}

/** The uuid of the `$identify` that links two ids. */
export function identifyUuid(user: string, anonymous: string): string {
  return uuidV5(POSTHAUL_NAMESPACE, `identify:${user}:${anonymous}`)
}

/** The uuid of the event that tells a group's properties as they are from `instant` on. */
export function groupUuid({ type, key, json }: GroupState, instant: number): string {
  return uuidV5(POSTHAUL_NAMESPACE, JSON.stringify(['group', type, key, instant, json]))
}

function writeIdentify(writer: ByteWriter, { anonymous, user, instant }: LinkSeen, tail: ByteWriter): void {
  writeEvent(writer, {
    uuid: uuidWords(identifyUuid(user, anonymous)),
    instant,
    event: '$identify',
    distinctId: user,
    properties: properties([[ANON_DISTINCT_ID, JSON.stringify(anonymous)]]),
    tail,
  })
}

function writeGroup(writer: ByteWriter, { type, key, json, instant }: GroupSeen, tail: ByteWriter): void {
  const uuid = uuidWords(groupUuid({ type, key, json }, instant))
  const own = properties([
    [GROUP_TYPE, JSON.stringify(type)],
    [GROUP_KEY, JSON.stringify(key)],
    [GROUP_SET, json],
  ])
  const distinctId = groupSender(type, key)
  writeEvent(writer, { uuid, instant, event: GROUP_EVENT, distinctId, properties: own, tail })
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

/** A link as a line of links.ndjson, with its line end. Apart from what reads links: each worker would load that too. */
export function linkLine(link: KnownLink): string {
  return `${JSON.stringify(link)}\n`
}
