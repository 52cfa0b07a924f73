import type { Survived } from './kills.ts'
import type { Mint } from './mint.ts'
import type { Told } from './service.ts'

/** How many records of each kind were minted. */
export interface Minted {
  readonly lines: number
  readonly twins: number
  readonly broken: number
  readonly poison: number
  readonly events: number
  readonly links: number
}

/** Counts what a mint makes. */
export function countMinted(mint: Mint): Minted {
  let [twins, twinsOfBroken, broken, poison] = [0, 0, 0, 0]
  for (let n = 0; n < mint.records; n++) {
    const fate = mint.fate(n)
    const isTwin = mint.hasTwin(n)
    if (isTwin) twins++
    if (fate === 'poison') poison++
    if (fate !== 'broken') continue
    broken++
    if (isTwin) twinsOfBroken++
  }
  const links = mint.firstLinks().reduce((sum, second) => sum + (second === 0 ? 0 : 1), 0)
  return {
    lines: mint.records + twins,
    twins: twins - twinsOfBroken,
    broken: broken + twinsOfBroken,
    poison,
    events: mint.records - broken,
    links,
  }
}

/** The promises broken by a transform and an import, one line each. */
export function breachesOf(minted: Minted, transform: Survived, imported: Survived, told: Told): string[] {
  const counts = (name: string, found: Survived, expected: Record<string, number>) =>
    Object.entries(expected).flatMap(([count, number]) => {
      const got = found.summary.counts[count]
      return got === number ? [] : [`${name}: ${count} is ${got}, and must be ${number}`]
    })
  const { lines, twins, broken, poison, events, links } = minted
  return [
    ...counts('transform', transform, {
      read: lines,
      written: events,
      rejected: broken,
      filtered: 0,
      duplicate: twins,
      pending: 0,
      generated: links,
    }),
    ...counts('import', imported, {
      read: events + links,
      written: events + links - poison,
      rejected: poison,
      filtered: 0,
      duplicate: 0,
      pending: 0,
    }),
    ...some(told.missing, 'events are missing: records'),
    ...some(told.missingLinks, 'identity links are missing: users'),
    ...some(told.bent, 'events are other bytes than were minted:'),
    ...some(told.disordered, 'events came before an older one of the same user:'),
    ...(told.there === events - poison ? [] : [`${told.there} events are there, not ${events - poison}`]),
    ...(told.links === links ? [] : [`${told.links} identity links are there, not ${links}`]),
  ]
}

function some(list: readonly unknown[], what: string): string[] {
  return list.length === 0 ? [] : [`${list.length} ${what} ${list.slice(0, 5).join(', ')}`]
}

/** Each record with a fate must be among the rejects, lines of NDJSON, exactly as often as it was minted, and no other. */
export function rejectBreaches(rejects: string, mint: Mint, fate: 'broken' | 'poison'): string[] {
  const open = new Map<number, number>()
  for (let n = 0; n < mint.records; n++) {
    if (mint.fate(n) === fate) open.set(n, fate === 'broken' && mint.hasTwin(n) ? 2 : 1)
  }
  const breaches: string[] = []
  for (const line of rejects.split('\n').slice(0, -1)) {
    const { record } = JSON.parse(line) as { record: string }
    const n = Number(/"n":(\d+)/.exec(record)?.[1])
    const left = open.get(n)
    if (left === undefined) breaches.push(`a reject too many of the ${fate}: record ${n}`)
    else if (fate === 'poison' && record !== mint.event(n)) breaches.push(`the reject of record ${n} is bent`)
    else if (left > 1) open.set(n, left - 1)
    else open.delete(n)
  }
  return [...breaches, ...some([...open.keys()], `of the ${fate} are not among the rejects: records`)]
}
