import { basename, posix } from 'node:path'
import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { assertParts, readManifest, unnamedIn } from '../store/dataset.ts'
import { EXPORT_STATE, MANIFEST } from '../store/name.ts'
import type { Store, StoredFile } from '../store/store.ts'
import { type ChooseOptions, chosenByManifests, type DataFile, jsonOfFile } from './manifests/by-manifests.ts'

/** The manifest that the service's batch exports write beside files that belong together: their keys in the bucket. */
const batchExportManifest = z.object({ files: z.array(z.string()) })

/**
 * The files of a folder that count as data: the parts that a dataset's manifest names; else those that the manifests of a
 * vendor mean, and all that no manifest speaks of, but no manifests. Code `input` when a file that a manifest names is
 * missing, or an export has not finished.
 */
export async function datasetFiles(
  store: Store,
  files: readonly StoredFile[],
  options: ChooseOptions,
): Promise<readonly DataFile[]> {
  const names = new Set(files.map((file) => file.name))
  if (names.has(MANIFEST) && isOurs(await jsonOfFile(store, MANIFEST))) {
    const dataset = await readManifest(store)
    await assertParts(store, dataset)
    const unnamed = unnamedIn(dataset, files).map(({ name }) => name)
    if (unnamed.length > 0) options.remark({ what: 'unnamed', vendor: 'the dataset', names: unnamed })
    const parts = new Set(dataset.parts.map((part) => part.file))
    return files.filter(({ name }) => parts.has(name))
  }
  if (names.has(EXPORT_STATE)) throw unfinished(store)
  const manifests = new Set<string>()
  for (const name of names) {
    if (!/(?:^|\/|_)manifest\.json$/.test(name)) continue
    const found = batchExportManifest.safeParse(await jsonOfFile(store, name))
    if (!found.success) continue
    manifests.add(name)
    for (const key of found.data.files) assertThere(store, names, name, key)
  }
  const data = files.filter(({ name }) => !manifests.has(name))
  return chosenByManifests(store, data, options)
}

// Keys begin with a prefix in the bucket, which a copy may have dropped: the files are looked for beside the manifest.
function assertThere(store: Store, names: ReadonlySet<string>, manifest: string, key: string): void {
  if (names.has(posix.join(posix.dirname(manifest), basename(key)))) return
  throw new PosthaulError(`${store.address(manifest)} names ${basename(key)}, which is not beside it`, {
    code: 'input',
    hint: 'copy the whole batch export: all files that its manifest lists',
  })
}

function isOurs(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'tool' in value && 'parts' in value
}

function unfinished(store: Store): PosthaulError {
  return new PosthaulError(`the export in ${store.location} has not finished: it has no ${MANIFEST} yet`, {
    code: 'input',
    hint: 'run the same export command again: it goes on where it was',
  })
}
