import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { AskedProject } from './api.ts'
import { type AskedOf, ServiceError, shapeError } from './errors.ts'
import { cutPage, type Page } from './next-page.ts'

/** A count in a row. Most servers write it as a number, some as its digits. */
export const countCell = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
])

/** A time in UTC, as `sqlUtc` has it. */
export const timeCell = z.string().regex(/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,6})?Z?$/)

/** A day: `2024-03-01`. */
export const dayCell = z.iso.date()

/** The most rows that one query returns. */
export const MAX_ROWS = 50_000

/** What the query endpoint is asked. */
interface Asked {
  readonly query: string
  /** What it is about, for errors. */
  readonly what: string
  /** The caller can ask a smaller query: one that is too much is not tried again, but throws a ServiceError that is `heavy`. */
  readonly canShrink?: boolean
}

/** The same, and how a row of the answer is read. */
interface AskedRows<T> extends Asked {
  readonly row: z.ZodType<T>
}

async function answerTo({ api, projectId }: AskedProject, { query, what, canShrink = false }: Asked) {
  const subject: AskedOf = { what, scope: 'query:read', projectId }
  const body = { query: { kind: 'HogQLQuery', query }, refresh: 'force_blocking' }
  return await api.query(`/api/projects/${projectId}/query/`, body, subject, canShrink)
}

/** Runs a query and returns its rows, each an array, with their text. */
export async function runQuery(project: AskedProject, asked: Asked): Promise<Page> {
  return cutPage(project.api, await answerTo(project, asked), asked.what)
}

/** Runs a query and reads its rows. The error of an unexpected shape names row and column. */
export async function askRows<T>(project: AskedProject, asked: AskedRows<T>): Promise<T[]> {
  const page = z.object({ results: z.array(asked.row) })
  return project.api.read(await answerTo(project, asked), page, asked.what).results
}

/**
 * Asks for up to `most` of these ids at once, and for half as many where that is too much for the service.
 */
export async function inShares<T>(
  ids: readonly string[],
  most: number,
  ask: (some: readonly string[], canShrink: boolean) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  if (ids.length === 0) return []
  if (ids.length <= most) {
    try {
      return await ask(ids, ids.length > 1)
    } catch (error) {
      if (!(error instanceof ServiceError && error.heavy) || ids.length < 2) throw error
    }
  }
  const middle = ids.length > most ? most : Math.ceil(ids.length / 2)
  return [
    ...(await inShares(ids.slice(0, middle), most, ask)),
    ...(await inShares(ids.slice(middle), most, ask)),
  ]
}

/** Runs a query that has one row, whatever there is, and reads it. */
export async function askRow<T>(project: AskedProject, asked: AskedRows<T>): Promise<T> {
  const rows = await askRows(project, asked)
  if (rows.length === 1) return rows[0]!
  throw shapeError(project.api.origin, asked.what, `one row is expected, and ${rows.length} came`)
}

/** Throws if the last row of a page is that of the page before: what answers from memory would be asked without end. */
export function assertOnward({ api }: AskedProject, what: string, before: unknown, last: unknown): void {
  if (last !== undefined && isDeepStrictEqual(before, last))
    throw shapeError(api.origin, what, 'the page before came again')
}

/** True if the key may not use the query endpoint: then the list endpoints are left. */
export function isQueryRefused(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 403 || error.status === 404)
}

/** A text as a literal of HogQL, the service's query language. */
export function sqlText(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** A time column as text in UTC, whatever the project's time zone: `2024-03-01 12:34:56.789123`. */
export function sqlUtc(column: string): string {
  return `toString(toTimeZone(${column}, 'UTC'))`
}
