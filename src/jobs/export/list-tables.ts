import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import type { VendorSource } from '../../sources/index.ts'
import type { ExportListResult } from './result.ts'

/** What a database has that an export could read. */
export async function listTables<V extends VendorSource>(
  vendor: V,
  values: Parameters<Awaited<ReturnType<V['load']>>['order']>[0],
  io: Pick<Io, 'env' | 'stdin' | 'interrupted'>,
): Promise<ExportListResult> {
  const work = await vendor.load()
  if (!work.tables) throw new PosthaulError(`${vendor.name} has no tables`, { code: 'usage' })
  const { about, shapes, tables } = await work.tables(values, io)
  return {
    version: 1,
    command: 'export --list',
    vendor: vendor.name,
    server: about,
    shapes: [...shapes],
    tables: tables.map((table) => ({
      schema: table.schema ?? null,
      name: table.name,
      view: table.isView,
      rows: table.rows ?? null,
      bytes: table.bytes ?? null,
      first: table.span?.[0] ?? null,
      last: table.span?.[1] ?? null,
      times: [...table.times],
      keys: [...table.keys],
      problem: table.problem ?? null,
    })),
  }
}
