import type { Engine } from '../../src/pipeline/engine.ts'
import { RecordLoop } from '../../src/pipeline/loop.ts'
import { parsedOrNone } from '../../src/text/json.ts'

type Path = ReadonlyArray<string | number>

/** Members whose values no event shows by design, and why: by path, or by its first or last name. */
export type Unseen = Readonly<Record<string, string>>

/** What became of a record, as far as a value can show in it. */
interface Outcome {
  /** Events, links and groups as JSON, with and without the uuids. */
  readonly text: string
  readonly told: string
  /** Rejects keep their record, and what is filtered is counted by its reason. */
  readonly isCounted: boolean
  readonly noted: string
}

/**
 * Finds the values of a record that are in no event, link or group, though the account of its members doesn't say so: each
 * text and number is replaced by one that occurs nowhere else, and looked for. Returns the number of values, and the paths.
 */
export function lostValues(
  engine: Engine,
  record: string,
  unseen: Unseen,
): { readonly values: number; readonly lost: readonly string[] } {
  const parsed = parsedOrNone(record)
  const leaves = leavesOf(parsed)
  const before = outcomeOf(engine, JSON.stringify(parsed))
  const lost = leaves.filter((path, n) => {
    if (isUnseen(unseen, path)) return false
    const mark = String(73_133_700 + n)
    let isNumber = false
    const changed = withLeaf(parsed, path, (old) => {
      isNumber = typeof old === 'number'
      return isNumber ? Number(mark) : `zq${mark}x`
    })
    const text = JSON.stringify(changed)
    const after = outcomeOf(engine, text)
    if (after.text.includes(mark) || after.isCounted || after.noted !== before.noted) return false
    // A number may become a time or an amount, and an id is hashed into the uuid.
    const isOther = after.told !== before.told
    if (isNumber ? isOther : after.text !== before.text && !isOther) return false
    return !isAccounted(engine, text, path, mark)
  })
  return { values: leaves.length, lost: lost.map((path) => path.join('.')) }
}

function outcomeOf(engine: Engine, record: string): Outcome {
  const made: string[] = []
  let isCounted = false
  engine.mapper.takeNotes()
  const loop = new RecordLoop(engine, {
    take(outcome) {
      if (outcome.status !== 'event') isCounted = true
      else {
        const { text, instant, link, groupStates, givesWay } = outcome
        const ids = link && [link.anonymous.text, link.user.text]
        made.push(text, JSON.stringify([instant, ids, groupStates, givesWay]))
      }
    },
  })
  loop.give(Buffer.from(record))
  const { unusable, ignored_members } = engine.mapper.takeNotes()
  const text = made.join()
  return {
    text,
    told: text.replaceAll(/"uuid":"[^"]*"/g, ''),
    isCounted,
    noted: JSON.stringify([unusable, ignored_members]),
  }
}

/** True if the account of the members says that the value is left out, or what it was used for. To take it costs as much as to map. */
function isAccounted(engine: Engine, record: string, path: Path, mark: string): boolean {
  engine.mapper.takeInventory()
  outcomeOf(engine, record)
  const names = path.filter((key) => typeof key === 'string')
  const [whole, last] = [names.join('.'), names.at(-1)]
  return Object.entries(engine.mapper.takeInventory().members).some(([known, fates]) => {
    // The name of an empty value.
    if (known.includes(mark)) return true
    const words = Object.keys(fates)
    const isOwn = known === whole || known.endsWith(`.${last}`)
    if ((isOwn || whole.startsWith(`${known}.`)) && words.some((word) => word.startsWith('left out')))
      return true
    return isOwn && words.some((word) => /^used: (?!properties)/.test(word))
  })
}

function isUnseen(unseen: Unseen, path: Path): boolean {
  return [path[0], path.at(-1), path.join('.')].some((name) => Object.hasOwn(unseen, String(name)))
}

/** The object or array in a text; undefined for other values. */
function held(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[[{]/.test(value) ? parsedOrNone(value) : undefined
}

/** The paths of all texts and numbers. */
function leavesOf(value: unknown, path: Path = []): Path[] {
  const inner = held(value) ?? value
  if (typeof inner === 'string' || typeof inner === 'number') return [path]
  if (typeof inner !== 'object' || inner === null) return []
  const entries = Array.isArray(inner) ? [...inner.entries()] : Object.entries(inner)
  return entries.flatMap(([key, one]) => leavesOf(one, [...path, key]))
}

/** The value with another leaf. */
function withLeaf(value: unknown, [key, ...rest]: Path, leaf: (old: unknown) => unknown): unknown {
  if (key === undefined) return leaf(value)
  const inner = held(value)
  if (inner !== undefined) return JSON.stringify(withLeaf(inner, [key, ...rest], leaf))
  if (Array.isArray(value)) return value.map((one, i) => (i === key ? withLeaf(one, rest, leaf) : one))
  return Object.fromEntries(
    Object.entries(value as object).map(([name, one]) => [
      name,
      name === key ? withLeaf(one, rest, leaf) : one,
    ]),
  )
}
