/** More ids than these are not followed: 25 bytes each. */
const MOST_IDS = 1 << 20

/** So many persons are remembered by name while the largest of them are not known yet. */
const REMEMBERED = 64

const JOINED = 1
const USER = 2
const IDENTIFIED = 4

/** What became of two ids. `refused`: the joined id belongs to another person already. */
export type Joined = 'joined' | 'same' | 'refused' | 'too many'

/** A person, by an id of it, and how many ids it has. */
export interface LargePerson {
  readonly id: string
  readonly ids: number
}

/**
 * Follows which ids become one person, by the service's rule: the person of an anonymous id is joined to a user, unless
 * that person is a user's already. A user id that is new to the service is not refused: it joins that other person. Which ids
 * are new can't be told from an input, so such a join counts as refused here, and the finding says both. Ids are kept as hashes of 64 bits, so the memory for a million of them is 27 MB and
 * never more: later ids are not followed.
 */
export class PersonMerges {
  readonly #most: number
  /** Index + 1 of the id whose hash leads there; 0 for none. */
  #slots = new Int32Array(2048)
  #low = new Int32Array(1024)
  #high = new Int32Array(1024)
  #parent = new Int32Array(1024)
  /** Of a person's first id: how many ids the person has. */
  #size = new Int32Array(1024)
  #flags = new Uint8Array(1024)
  #count = 0
  #joins = 0
  #joined = 0
  #users = 0
  #both = 0
  readonly #large = new Map<number, string>()
  #least = 1

  constructor(most = MOST_IDS) {
    this.#most = most
  }

  /** Joins the person of `other` to the person of `user`. `always`: also where it is a user's already. */
  join(user: string, other: string, always: boolean): Joined {
    const [into, from] = [this.#find(user), this.#find(other)]
    if (into < 0 || from < 0) return 'too many'
    this.#mark(into, USER)
    this.#mark(from, JOINED)
    const [root, gone] = [this.#root(into), this.#root(from)]
    if (root === gone) {
      this.#flags[root]! |= IDENTIFIED
      return 'same'
    }
    const isUsers = (this.#flags[gone]! & IDENTIFIED) !== 0
    this.#flags[root]! |= IDENTIFIED
    if (isUsers && !always) return 'refused'
    this.#unite(root, gone, user)
    return 'joined'
  }

  /** Persons that there are fewer, because ids were joined. */
  get joins(): number {
    return this.#joins
  }

  /** Ids that were joined to others, ids that others were joined to, and ids that were both. */
  get ids(): { readonly joined: number; readonly users: number; readonly both: number } {
    return { joined: this.#joined, users: this.#users, both: this.#both }
  }

  /** The persons of the most ids. */
  largest(count: number): LargePerson[] {
    return [...this.#large]
      .map(([root, id]) => ({ id, ids: this.#size[root]! }))
      .sort((a, b) => b.ids - a.ids || (a.id < b.id ? -1 : 1))
      .slice(0, count)
  }

  /** How many persons have more ids than the limit. */
  largerThan(ids: number): number {
    let persons = 0
    for (let i = 0; i < this.#count; i++) if (this.#parent[i] === i && this.#size[i]! > ids) persons++
    return persons
  }

  #mark(at: number, flag: number): void {
    const before = this.#flags[at]!
    if (before & flag) return
    this.#flags[at] = before | flag
    if (flag === JOINED) this.#joined++
    else this.#users++
    if (before & (JOINED | USER)) this.#both++
  }

  #unite(root: number, gone: number, user: string): void {
    // The smaller one moves: chains stay short.
    const [top, below] = this.#size[root]! >= this.#size[gone]! ? [root, gone] : [gone, root]
    this.#parent[below] = top
    this.#size[top]! += this.#size[below]!
    this.#flags[top]! |= IDENTIFIED
    this.#joins++
    const known = this.#large.get(below)
    if (known !== undefined) {
      this.#large.delete(below)
      if (!this.#large.has(top)) this.#large.set(top, known)
    }
    if (this.#size[top]! > this.#least && !this.#large.has(top)) this.#remember(top, user)
  }

  #remember(root: number, user: string): void {
    this.#large.set(root, user)
    if (this.#large.size < 2 * REMEMBERED) return
    // A person that ends among the largest is larger at its last join than all that are forgotten here.
    const order = [...this.#large.keys()].sort((a, b) => this.#size[b]! - this.#size[a]!)
    for (const small of order.slice(REMEMBERED)) this.#large.delete(small)
    this.#least = this.#size[order[REMEMBERED - 1]!]!
  }

  #root(at: number): number {
    let root = at
    while (this.#parent[root] !== root) {
      this.#parent[root] = this.#parent[this.#parent[root]!]!
      root = this.#parent[root]!
    }
    return root
  }

  /** The index of an id, which is added if it is new; -1 if there is no room. */
  #find(id: string): number {
    let [low, high] = [0x9e3779b9 | 0, 0x41c6ce57 | 0]
    for (let i = 0; i < id.length; i++) {
      const unit = id.charCodeAt(i)
      low = Math.imul(low ^ unit, 0x9e3779b1)
      high = Math.imul(high ^ unit, 0x5f356495)
    }
    low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
    high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
    const mask = this.#slots.length - 1
    let slot = low & mask
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const at = this.#slots[slot]! - 1
      if (this.#low[at] === low && this.#high[at] === high) return at
    }
    if (this.#count >= this.#most) return -1
    if (this.#count === this.#low.length) this.#grow()
    const at = this.#count++
    this.#low[at] = low
    this.#high[at] = high
    this.#parent[at] = at
    this.#size[at] = 1
    this.#put(at)
    return at
  }

  #put(at: number): void {
    const mask = this.#slots.length - 1
    let slot = this.#low[at]! & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = at + 1
  }

  #grow(): void {
    const room = this.#low.length * 2
    const wider = (from: Int32Array) => {
      const to = new Int32Array(room)
      to.set(from)
      return to
    }
    this.#low = wider(this.#low)
    this.#high = wider(this.#high)
    this.#parent = wider(this.#parent)
    this.#size = wider(this.#size)
    const flags = new Uint8Array(room)
    flags.set(this.#flags)
    this.#flags = flags
    this.#slots = new Int32Array(room * 2)
    for (let at = 0; at < this.#count; at++) this.#put(at)
  }
}
