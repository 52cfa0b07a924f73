import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Every file of a dataset, by name, to compare with those of another: the manifest is without the time it was made. */
export function datasetFiles(folder: string): Map<string, string> {
  const textOf = (name: string) =>
    readFileSync(join(folder, name), 'latin1').replace(/"created_at": "[^"]*"/, '')
  return new Map(
    readdirSync(folder)
      .sort()
      .map((name) => [name, textOf(name)]),
  )
}
