import { readdir } from 'node:fs/promises'
import { posix } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { isS3 } from '../store/s3-location.ts'
import { partitionsOf } from './partitions.ts'

/** How a table's log lies beside its files, and what it is called. */
const LOGS = [
  { kind: 'a Delta table', log: '_delta_log', isLog: () => true },
  { kind: 'a Hudi table', log: '.hoodie', isLog: () => true },
  { kind: 'an Iceberg table', log: 'metadata', isLog: (name: string) => name.endsWith('.metadata.json') },
]

/**
 * Refuses files of a table whose log says which of them still count: those that it removed lie beside the others until they are
 * vacuumed, and their rows would come back. Of a bucket only what was listed is known.
 */
export async function refuseTableLogs(files: Iterable<{ readonly path: string }>): Promise<void> {
  const folders = new Set<string>()
  const listed = new Map<string, string[]>()
  for (const { path: address } of files) {
    const path = isS3(address) ? address.replace(/\?.*$/, '') : address
    const folder = posix.dirname(path)
    if (isS3(path) && LOGS.some(({ log }) => posix.basename(folder) === log))
      listed.set(folder, [...(listed.get(folder) ?? []), path])
    if (!path.endsWith('.parquet')) continue
    const table =
      path
        .split('/')
        .slice(0, -1 - partitionsOf(path).length)
        .join('/') || '.'
    folders.add(table)
    if (posix.basename(table) === 'data') folders.add(posix.dirname(table))
  }
  for (const folder of folders) {
    for (const { kind, log, isLog } of LOGS) {
      const place = `${folder}/${log}`
      const names = isS3(folder) ? (listed.get(place) ?? []) : await readdir(place).catch(() => [])
      if (!names.some(isLog)) continue
      throw new PosthaulError(
        `${folder} is ${kind}, and the files that still count are those that ${log} names`,
        {
          code: 'input',
          hint: `posthaul doesn't read ${log}: rows that were deleted or changed would come back. Write the rows that the table has into a folder of their own, as Parquet, and name that folder`,
        },
      )
    }
  }
}
