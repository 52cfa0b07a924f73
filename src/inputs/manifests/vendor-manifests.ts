import { posix } from 'node:path'
import { z } from 'zod'
import { MS_PER_DAY } from '../../text/units.ts'

/**
 * What a vendor's manifest says was delivered at one time for one thing that is delivered again and again: a table, a day.
 */
export interface Delivery {
  /** What is delivered again: a table's name, or a day's. */
  readonly of: string
  /** Rises with each delivery. */
  readonly order: number
  /** True when it replaces the earlier ones; false when it adds to them. */
  readonly whole: boolean
  /** The files: addresses in the vendor's bucket, or paths below the manifest. */
  readonly files: readonly string[]
  readonly table: string | undefined
  /** True while the vendor may still deliver it anew. */
  readonly unsettled?: boolean
}

export interface ManifestKind {
  readonly vendor: string
  isNamed(name: string): boolean
  /** The folder that holds the files of the manifest: '' for the one that the user named. */
  baseOf(name: string): string
  /** The last so many names in an address must be those of the file: a bucket or a folder above may have been left out. */
  readonly tail: number
  /** What it lists. Undefined for a file that has the name and not the form. */
  deliveries(content: unknown): readonly Delivery[] | undefined
  /**
   * What becomes of a file below the base that no manifest names. `book` is the vendor's own bookkeeping. `tables`: those of
   * which the manifests name files.
   */
  unnamed(path: string, tables: ReadonlySet<string | undefined>): 'read' | 'left' | 'book'
}

/** `manifests/sync_<n>.json` of Heap Connect to S3. Its other members are of no use here. */
const heapManifest = z.object({
  dump_id: z.coerce.number().int().nonnegative(),
  tables: z.array(
    z.object({ name: z.string().min(1), files: z.array(z.string()), incremental: z.boolean() }),
  ),
})

/** Heap: a manifest a sync. A table that is not incremental was sent anew, whole. */
export const heapManifests: ManifestKind = {
  vendor: 'Heap',
  isNamed: (name) => /(?:^|\/)sync_\d+\.json$/.test(name),
  baseOf: (name) => {
    const folder = posix.dirname(name)
    return posix.basename(folder) === 'manifests' ? posix.dirname(folder) : folder
  },
  // sync_852/pageviews/part-….avro
  tail: 3,
  deliveries: (content) => {
    const found = heapManifest.safeParse(content)
    return found.data?.tables.map(({ name, files, incremental }) => ({
      of: name,
      order: found.data.dump_id,
      whole: !incremental,
      files,
      table: name,
    }))
  },
  // The files of a sync without a manifest may not be all there yet. Other files are the user's own.
  unnamed: (path) => (/^sync_\d+\//.test(path) ? 'left' : 'read'),
}

/** A day's data is sent again when it is final: 7 to 9 days later. */
const SETTLES_AFTER_DAYS = 10

const files = z.array(z.string()).nullish()
const several = z.object({ files }).nullish()

const day = z.object({
  periodId: z.string().refine((text) => Number.isFinite(Date.parse(text))),
  allEvents: several,
  matchedEvents: z.array(z.object({ id: z.string(), files })).nullish(),
})

const exported = z.object({
  counter: z.number(),
  rootUrl: z.string().nullish(),
  pageDefinitionsFile: files,
  featureDefinitionsFile: files,
  trackTypeDefinitionsFile: files,
  guideDefinitionsFile: files,
  timeDependent: z.array(day).nullish(),
  accounts: several,
  visitors: several,
})

/** `exportmanifest.json` of Pendo's Data Sync: the exports of the last 30 days. */
const pendoManifest = z.object({ exports: z.array(exported) })

/** Files that the newest export has anew, and their tables. */
const REPLACED: readonly (readonly [string, (from: z.infer<typeof exported>) => z.infer<typeof files>])[] = [
  ['allpages', (from) => from.pageDefinitionsFile],
  ['allfeatures', (from) => from.featureDefinitionsFile],
  ['alltracktypes', (from) => from.trackTypeDefinitionsFile],
  ['allguides', (from) => from.guideDefinitionsFile],
  ['accounts', (from) => from.accounts?.files],
  ['visitors', (from) => from.visitors?.files],
]

/** Pendo: a manifest an application, and one each for accounts and visitors. */
export const pendoManifests: ManifestKind = {
  vendor: 'Pendo',
  isNamed: (name) => posix.basename(name) === 'exportmanifest.json',
  baseOf: (name) => posix.dirname(name),
  // <export>/allevents.avro
  tail: 2,
  deliveries: (content) => {
    const found = pendoManifest.safeParse(content)
    if (!found.success) return undefined
    const days = found.data.exports.flatMap(({ timeDependent }) => timeDependent ?? [])
    const newest = Math.max(...days.map(({ periodId }) => Date.parse(periodId)))
    const settled = newest - SETTLES_AFTER_DAYS * MS_PER_DAY
    return found.data.exports.flatMap((one) => [...definitionsIn(one), ...eventsIn(one, settled)])
  },
  // The manifest forgets exports after 30 days: their events are still history, their definitions are old.
  unnamed: (path, tables) => {
    const [name = ''] = posix.basename(path).split(/[.-]/)
    if (name === 'billofmaterials' || name === 'metadataschema') return 'book'
    return tables.has(name) && REPLACED.some(([table]) => table === name) ? 'left' : 'read'
  },
}

function definitionsIn(one: z.infer<typeof exported>): Delivery[] {
  return REPLACED.flatMap(([table, filesOf]) => {
    const found = addressed(filesOf(one), one.rootUrl)
    return found.length === 0 ? [] : [{ of: table, order: one.counter, whole: true, files: found, table }]
  })
}

/**
 * The events of each day, and those that match a page or a feature. Lists without files replace the earlier ones too: an
 * edited rule may match nothing any more. A day without `allEvents` keeps those that it had.
 */
function eventsIn(
  { counter, rootUrl, timeDependent }: z.infer<typeof exported>,
  settled: number,
): Delivery[] {
  return (timeDependent ?? []).flatMap(({ periodId, allEvents, matchedEvents }) => {
    const of = { order: counter, whole: true, unsettled: Date.parse(periodId) > settled }
    const matched = (matchedEvents ?? []).map(({ id, files }) => ({
      ...of,
      of: `${id} on ${periodId}`,
      files: addressed(files, rootUrl),
      table: `matched${id.split('/')[0]}Events`,
    }))
    if (!allEvents) return matched
    const events = {
      of: `events on ${periodId}`,
      files: addressed(allEvents.files, rootUrl),
      table: 'allevents',
    }
    return [{ ...of, ...events }, ...matched]
  })
}

function addressed(names: z.infer<typeof files>, rootUrl: string | null | undefined): string[] {
  return (names ?? []).map((name) => (name.includes('://') || !rootUrl ? name : `${rootUrl}/${name}`))
}
