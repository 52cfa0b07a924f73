import { createWriteStream } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { VENDORS, type VendorSource, vendorNamed } from '../../sources/index.ts'
import { fileError, scratchFolder } from '../../store/index.ts'
import { firstFew } from '../../text/index.ts'
import type { InitValues } from './order.ts'

/** Private files of what is read more than once. */
export interface Spooled {
  readonly path: string
  remove(): Promise<void>
}

/** Copies standard input to a private file, since inputs are read more than once. A killed run's file goes with the next run. */
export async function spoolStdin({
  stdin,
  interrupted,
}: Pick<Io, 'stdin' | 'interrupted'>): Promise<Spooled> {
  if (stdin.isTTY) {
    throw new PosthaulError('- is standard input, and nothing is piped into it', {
      code: 'usage',
      hint: 'pipe the records in, for example: zcat events.gz | posthaul init -',
    })
  }
  const folder = await scratchFolder('posthaul-stdin-')
  const path = join(folder, 'stdin')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await pipeline(stdin, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal: interrupted })
  } catch (error) {
    await remove()
    interrupted.throwIfAborted()
    throw fileError(error, 'write', path)
  }
  return { path, remove }
}

/** The database that is looked at in place of files; undefined for files. */
export function databaseOf(
  files: readonly string[],
  { table, query, like }: InitValues,
): VendorSource | undefined {
  if (table.length === 0 && query === undefined && like === undefined) return undefined
  const [name = '', ...others] = files
  if (VENDORS.some((one) => one.name === name) && others.length === 0) return vendorNamed(name)
  throw new PosthaulError('--table, --query and --like are of a database, and files were named', {
    code: 'usage',
    hint: 'name the database in place of files: posthaul init postgres --table app.events',
  })
}

/** Keeps the first rows of tables in private files, called as the tables are. */
export async function spoolTables(
  vendor: VendorSource,
  values: InitValues,
  io: Io,
): Promise<Spooled & { readonly asked: string }> {
  const { sample } = await vendor.load()
  if (!sample) throw new PosthaulError(`${vendor.name} has no tables`, { code: 'usage' })
  const { table, query, like, only, schema } = values
  const place = vendor.rows.some(({ flag }) => flag?.startsWith('--dataset '))
    ? { dataset: schema }
    : { schema }
  const folder = await scratchFolder('posthaul-tables-')
  // Beside them the folder has its lease, which is no record.
  const path = join(folder, 'tables')
  await mkdir(path)
  const given = { table, query, like, ...place, only: only.map(({ column, value }) => `${column}=${value}`) }
  const remove = () => rm(folder, { recursive: true, force: true })
  const names: string[] = []
  try {
    let isEmpty = true
    for await (const { table: name, lines } of sample(given, io)) {
      names.push(name)
      if (lines.length === 0) continue
      isEmpty = false
      await writeFile(join(path, `${name}.ndjson`), lines, { flag: 'wx', mode: 0o600 })
    }
    if (isEmpty) throw noRows(names, query)
  } catch (error) {
    await remove()
    throw error
  }
  return { path, asked: `the first rows of ${firstFew(names, 3)}`, remove }
}

function noRows(names: readonly string[], query: string | undefined): PosthaulError {
  return new PosthaulError(`there are no rows in ${firstFew(names, 3)}`, {
    code: 'input',
    hint:
      query === undefined
        ? 'name a table that has rows: add --list to export to see them'
        : 'of a query with {from} and {to} the last 30 days are looked at: leave the two out here',
  })
}
