import { posix } from 'node:path'
import { z } from 'zod'
import type { ManifestKind } from './delivery.ts'

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
