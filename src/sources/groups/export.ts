import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { PosthaulError } from '../../errors.ts'
import type { Groups, GroupType } from '../../service/groups.ts'
import { isQueryRefused } from '../../service/query.ts'
import { findManifest } from '../../store/dataset.ts'
import { acquireLock } from '../../store/lock.ts'
import type { EventsManifest } from '../../store/manifest.ts'
import { openStore } from '../../store/open.ts'
import type { Store } from '../../store/store.ts'
import { readByQuery, tryQuery } from './query.ts'
import { readByList } from './rest.ts'
import { GROUPS, sealGroups } from './seal.ts'
import { Spool } from './spool.ts'

/** Types that are read at once; the service's allowance is shared by all of them anyway. */
const AT_ONCE = 3

export type Via = 'rest' | 'query'

export interface GroupsExportOptions {
  readonly types: readonly GroupType[]
  readonly out: string
  /** How groups are read; left out, the query endpoint if the key may use it. */
  readonly via: Via | undefined
  readonly gzip: boolean
  readonly bigIntegersAsStrings: boolean
  /** Microseconds since the epoch. */
  readonly now: number
  /** Told after every page how many groups of the type are on disk. */
  readonly onPage: (type: GroupType, total: number) => void
}

/** Reads groups into a dataset of group events; the same call goes on where one before was cut short. */
export async function exportGroups(groups: Groups, options: GroupsExportOptions): Promise<EventsManifest> {
  const store = await openStore(options.out)
  await refuseOthers(store)
  const work = workFolder(options.out)
  await mkdir(work, { recursive: true })
  const lock = await acquireLock(join(work, 'lock'))
  const spools: Spool[] = []
  try {
    for (const type of options.types) spools.push(await openSpool(groups, type, work, options.via))
    await readAll(groups, spools, options)
    const { gzip, now, bigIntegersAsStrings } = options
    const seal = { store, work: join(work, 'runs'), gzip, now, bigIntegersAsStrings }
    const manifest = await sealGroups(spools, seal)
    for (const spool of spools.splice(0)) await spool.close()
    await rm(work, { recursive: true, force: true })
    return manifest
  } finally {
    for (const spool of spools) await spool.close()
    await lock.release()
  }
}

async function readAll(
  groups: Groups,
  spools: readonly Spool[],
  options: GroupsExportOptions,
): Promise<void> {
  const limit = pLimit(AT_ONCE)
  const failures: unknown[] = []
  const read = async (spool: Spool, type: GroupType) => {
    if (spool.next === null) return
    const from = { next: spool.next, seen: spool.seen }
    const pages = spool.head.via === 'rest' ? readByList(groups, type, from) : readByQuery(groups, type, from)
    let total = spool.rows
    for await (const batch of pages) {
      await spool.add(batch)
      total += batch.groups.length
      options.onPage(type, total)
      // One type's failure ends the run; the others stop at a whole page.
      if (failures.length > 0) return
    }
  }
  const each = spools.map((spool, i) =>
    limit(() => read(spool, options.types[i]!).catch((error) => void failures.push(error))),
  )
  await Promise.all(each)
  if (failures.length > 0) throw failures[0]
}

async function openSpool(
  groups: Groups,
  type: GroupType,
  work: string,
  via: Via | undefined,
): Promise<Spool> {
  const path = join(work, `type-${type.index}.groups`)
  const head = { origin: groups.api.origin, project: groups.projectId, index: type.index, type: type.name }
  // A run that goes on reads as it began: the two ways number their pages differently.
  const way = via ?? (await Spool.peek(path))?.via ?? (await defaultVia(groups, type))
  return Spool.open(path, { ...head, via: way })
}

async function defaultVia(groups: Groups, type: GroupType): Promise<Via> {
  try {
    await tryQuery(groups, type)
    return 'query'
  } catch (error) {
    if (isQueryRefused(error)) return 'rest'
    throw error
  }
}

async function refuseOthers(store: Store): Promise<void> {
  const found = await findManifest(store)
  if (!found || found.manifest.source.kind === GROUPS) return
  throw new PosthaulError(`${store.location} holds another dataset, which the groups would replace`, {
    code: 'usage',
    hint: 'name another folder as --out',
  })
}

/** Where pages are kept until the dataset is whole: inside the folder, where stores do not look, or beside us. */
function workFolder(out: string): string {
  if (!out.includes('://')) return join(out, '.groups-export')
  return join('.posthaul', `groups-export-${createHash('sha256').update(out).digest('hex').slice(0, 12)}`)
}
