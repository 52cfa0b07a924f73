import { createHmac } from 'node:crypto'
import { Id } from '../record/id.ts'
import { members as cutMembers } from '../record/json-values.ts'
import { keys } from '../record/keys.ts'
import type { Members } from '../record/members.ts'
import { countOne, type Notes } from '../record/notes.ts'
import { memoize, textIn } from '../record/text.ts'
import type { EventDraft } from './draft.ts'
import { HASHED } from './fates.ts'
import type { GroupState } from './joined-groups.ts'
import type { Link } from './mapped.ts'
import type { Mapping } from './mapping.ts'

/** In `properties.hash`: the ids themselves. */
const IDS = 'distinct_id'
/** Properties under which presets keep ids; `$<vendor>_distinct_id` too. */
const IDS_KEPT = ['$user_id', '$device_id', '$distinct_id']
/** Objects of properties that an event can have among its own. */
const HOLDERS = ['$set', '$set_once', '$group_set']

/** What the summary says where hashing one property hides nothing. */
const CLEAR_ID =
  'properties.hash: the value is also the distinct_id, which is sent as it is; list distinct_id too'

export function sentLink(values: PrivateValues | undefined, link: Link | undefined): Link | undefined {
  if (values === undefined || link === undefined) return link
  return { anonymous: values.sentId(link.anonymous), user: values.sentId(link.user) }
}

/** Puts keyed hashes in the place of values that a mapping file names under `properties.hash`. */
export class PrivateValues {
  readonly hidesIds: boolean
  /** Names under `properties.hash` that no event had so far. */
  readonly unmet: Set<string>
  /** By each name that a private value can have, those under `properties.hash`. */
  readonly #names = new Map<string, readonly string[]>()
  readonly #hash: (text: string) => string
  readonly #hashId: (id: string) => string

  /** `vendor`: a value that lost its name is kept under `$<vendor>_<name>`, and is as private there. */
  constructor({ hash, properties }: Mapping, vendor: string, key: string | undefined) {
    if (key === undefined) throw new Error('properties.hash has no key')
    this.hidesIds = hash.includes(IDS)
    this.unmet = new Set(hash.filter((name) => name !== IDS))
    const add = (listed: string, name: string) => {
      for (const one of [name, `$${vendor}_${name.replace(/^\$/, '')}`])
        this.#names.set(one, [...(this.#names.get(one) ?? []), listed])
    }
    for (const name of this.unmet) {
      add(name, name)
      if (Object.hasOwn(properties.rename, name)) add(name, properties.rename[name]!)
    }
    if (this.hidesIds) for (const name of IDS_KEPT) add(name, name)
    this.#hash = (text) => createHmac('sha256', key).update(text).digest('hex')
    this.#hashId = memoize(this.#hash)
  }

  sentId(clear: Id): Id {
    return this.hidesIds ? Id.ofText(this.#hashId(clear.text)) : clear
  }

  /**
   * Hides values of a draft before its last step. `link` is as the source has it. Counts it if a private value is the
   * distinct_id, which stays clear.
   */
  hide(draft: EventDraft, link: Link | undefined, { unusable }: Pick<Notes, 'unusable'>): void {
    const ids = [draft.id.text, ...(link ? [link.anonymous.text, link.user.text] : [])]
    let clear = false
    const isPrivate = (name: string, text: string) => {
      const listed = this.#names.get(name)
      if (listed !== undefined) {
        for (const one of listed) this.unmet.delete(one)
        if (text === ids[0] && !this.hidesIds) clear = true
        return true
      }
      return this.hidesIds && (ids.includes(text) || isLinkedId(draft.event, name))
    }
    const all = { property: draft.properties, set: draft.toSet, once: draft.toSetOnce }
    for (const into of ['property', 'set', 'once'] as const) {
      for (const [name, json] of textsOf(all[into])) {
        const hidden =
          into === 'property' && HOLDERS.includes(name)
            ? this.#inside(json, isPrivate)
            : this.#value(name, json, isPrivate)
        if (hidden !== json) draft.rewrite(into, name, hidden, HASHED)
      }
    }
    draft.groupStates.forEach((state: GroupState, index) => {
      const json = this.#inside(state.json, isPrivate)
      if (json !== state.json) draft.groupStates[index] = { ...state, json }
    })
    if (clear) countOne(unusable, CLEAR_ID)
  }

  #inside(json: string, isPrivate: (name: string, text: string) => boolean): string {
    if (!json.startsWith('{')) return json
    const before = cutMembers(json)
    const after = before.map(([name, inner]) => [name, this.#value(name, inner, isPrivate)] as const)
    if (after.every(([, inner], index) => inner === before[index]![1])) return json
    return `{${after.map(([name, inner]) => `${JSON.stringify(name)}:${inner}`).join(',')}}`
  }

  /** Text is hashed as text; a number, a boolean, an array or an object as it is written. */
  #value(name: string, json: string, isPrivate: (name: string, text: string) => boolean): string {
    const text = textIn(json)
    if (!isPrivate(name, text) || json === 'null' || text === '') return json
    return `"${this.#hash(text)}"`
  }
}

function isLinkedId(event: string, name: string): boolean {
  if (event === '$identify') return name === '$anon_distinct_id'
  return name === 'alias' && (event === '$create_alias' || event === '$merge_dangerously')
}

function textsOf(members: Members): Array<[name: string, json: string]> {
  const texts: Array<[string, string]> = []
  members.visit((key, value, start, end) => texts.push([keys.text(key), value.toString('utf8', start, end)]))
  return texts
}
