import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Every file of a dataset, by name, to compare with those of another. */
export function datasetFiles(folder: string): Map<string, string> {
  return new Map(
    readdirSync(folder)
      .sort()
      .map((name) => [name, datasetFile(folder, name)]),
  )
}

/** One of them: the manifest is without the time it was made. */
export function datasetFile(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'latin1').replace(/"created_at": "[^"]*"/, '')
}
