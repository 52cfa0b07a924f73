/*
 * The keys that projects have had, in `project-keys.json` beside the ledgers. Ledgers, checkpoints and what is kept beside
 * them name a project by the fingerprint of its key. A key can be replaced in the project's settings; the project then
 * keeps the name that its first key gave it. So checkpoints go on, and both caps count over the change.
 *
 * WHAT IT PROVES. A key is here only because the user said which key it replaces, with --replaces-key, and that one has a
 * ledger here. The file is written after what was sent by the new key alone is counted in the ledger of the first, so a
 * run that dies between the two does both again: entries of the same imports take the place of each other. What is known here
 * is told to the user's own ledger, if that is elsewhere (`homeTargetOf`), which may know of more.
 */
import { z } from 'zod'
import { Ledger, type LedgerTarget, ledgerName, withEntry } from '../delivery/ledger.ts'
import { PosthaulError } from '../errors.ts'
import { storeCell } from '../state/cell.ts'
import { CellKind, refused } from '../state/cell-kind.ts'
import type { Store } from '../store/store.ts'
import { VERSION } from '../version.ts'

/** The fingerprints of a project's keys, the first one first. */
const projectSchema = z.object({ host: z.string(), keys: z.array(z.string()).min(2) })

export const PROJECT_KEYS = new CellKind({
  name: 'project keys',
  schema: z.object({ tool: z.string(), projects: z.array(projectSchema) }),
  version: 1,
  refusal: refused({
    code: 'mismatch',
    says: 'says which keys were replaced',
    otherwise: ', or move it away and say it again with --replaces-key',
  }),
})

const NAME = 'project-keys.json'

/** The fingerprints of all keys of the project that has this key, the first one first; the key alone if it replaced none. */
export async function keysOf(store: Store, key: string): Promise<readonly string[]> {
  const projects = (await PROJECT_KEYS.load(storeCell(store, NAME)))?.value.projects ?? []
  return projects.find(({ keys }) => keys.includes(key))?.keys ?? [key]
}

/**
 * The project that a key belongs to, by the name under which its ledger and its checkpoints know it. `replaces`: the
 * fingerprint of the key that this one replaced, if the user says so; code `usage` if no import was made by that one, and
 * `mismatch` if the key is known to have replaced another.
 */
export async function targetOf(
  store: Store,
  { host, key }: LedgerTarget,
  replaces: string | undefined,
): Promise<LedgerTarget> {
  const known = await keysOf(store, key)
  if (replaces === undefined || known.includes(replaces)) return { host, key: known[0]!, keys: known }
  if (known.length > 1) {
    throw new PosthaulError(`the project key replaced ${known.at(-2)!}, says ${store.address(NAME)}`, {
      code: 'mismatch',
      hint: `leave --replaces-key out, or name that one`,
    })
  }
  const keys = [...(await keysOf(store, replaces)), key]
  const target = { host, key: keys[0]!, keys }
  if (!(await ledgerOf(store, target).read())) {
    throw new PosthaulError(`no import into ${host} was made by the key ${target.key}`, {
      code: 'usage',
      hint: `name the key that the checkpoint names; its ledger has to be in ${store.location}`,
    })
  }
  await countTogether(store, target, { host, key })
  await remember(store, target)
  return target
}

/** The project of `target` as the user's own store names it, where it counts what was sent by any of the keys. */
export async function homeTargetOf(
  home: Store,
  { host, key, keys = [key] }: LedgerTarget,
): Promise<LedgerTarget> {
  const projects = (await PROJECT_KEYS.load(storeCell(home, NAME)))?.value.projects ?? []
  const known =
    projects.find((one) => one.host === host && one.keys.some((one) => keys.includes(one)))?.keys ?? []
  if (keys.length === 1 || keys.every((one) => known.includes(one))) {
    const all = known.length > 0 ? known : keys
    return { host, key: all[0]!, keys: all }
  }
  const target = { host, key, keys: [...new Set([...keys, ...known])] }
  // The others that are known are counted by the first of them.
  const alone = target.keys.filter((one) => one !== key && (one === known[0] || !known.includes(one)))
  for (const one of alone) await countTogether(home, target, { host, key: one })
  await remember(home, target)
  return target
}

/** Counts what was sent by a key before it was known whose it is. */
async function countTogether(store: Store, target: LedgerTarget, alone: LedgerTarget): Promise<void> {
  const ledger = ledgerOf(store, target)
  const found = await ledgerOf(store, alone).read()
  if (!found) return
  // Those that have no entry any more get one.
  const others = { checkpoint: alone.key, import_id: alone.key, base: 0, claimed: 0 }
  const entries = [...found.imports, { ...others, delivered: found.others, saved_at: found.started_at }]
  await ledger.change(found.started_at, (state) => ({
    ...entries.filter(({ delivered, claimed }) => delivered + claimed > 0).reduce(withEntry, state),
    most_lanes: Math.max(state.most_lanes, found.most_lanes),
  }))
}

async function remember(store: Store, { host, keys = [] }: LedgerTarget): Promise<void> {
  const cell = storeCell(store, NAME)
  const loaded = await PROJECT_KEYS.load(cell)
  const others = loaded?.value.projects.filter((one) => !one.keys.some((key) => keys.includes(key))) ?? []
  const projects = [...others, { host, keys: [...keys] }]
  await PROJECT_KEYS.save(cell, { tool: `posthaul ${VERSION}`, projects }, loaded ?? 'absent')
}

/** The ledger of a project. `home`: the user's own, if that is another. */
export function ledgerOf(store: Store, target: LedgerTarget, home?: Ledger): Ledger {
  return new Ledger(storeCell(store, ledgerName(target)), target, home)
}
