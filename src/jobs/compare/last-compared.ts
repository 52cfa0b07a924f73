import { z } from 'zod'
import { type Cell, storeCell } from '../../state/cell.ts'
import { CellKind, GZIPPED } from '../../state/cell-kind.ts'
import { openStore } from '../../store/index.ts'
import { VERSION } from '../../version.ts'
import type { StatePlace } from '../import-state/state-place.ts'
import type { ValueOf } from '../result-parts.ts'
import { compareResult } from './result.ts'

/*
 * What the last finished `compare` found: `<input>.compared.json.gz`, beside the state of the import.
 *
 * It is for pages: `report` shows it. It names the datasets by the hashes of their content, so that it is not shown for one
 * that was made anew. It is replaced whole, and nothing depends on it. It holds the result without single numbers.
 */
const schema = z.object({
  tool: z.string(),
  compared_at: z.iso.datetime(),
  /** `arrival.sha256` of each dataset. */
  datasets: z.array(z.string()),
  /** Where its page was written; null for none. */
  page: z.string().nullable(),
  result: compareResult,
})

export type LastCompared = ValueOf<typeof schema>

export const LAST_COMPARED = new CellKind({ name: 'last comparison', schema, version: 1, form: GZIPPED })

/** Keeps what a comparison found beside the state of the import. */
export async function keepCompared(
  place: StatePlace,
  { datasets, page, result }: Pick<LastCompared, 'datasets' | 'page' | 'result'>,
): Promise<void> {
  const charts = result.charts.map((chart) => ({ ...chart, cells: [] }))
  const kept = { datasets, page, result: { ...result, charts } }
  const head = { tool: `posthaul ${VERSION}`, compared_at: new Date().toISOString() }
  await LAST_COMPARED.save(await cellIn(place), schema.parse({ ...head, ...kept }))
}

/** What the last comparison kept; undefined if none did. */
export async function lastCompared(place: StatePlace): Promise<LastCompared | undefined> {
  return (await LAST_COMPARED.load(await cellIn(place)))?.value
}

async function cellIn({ location, compared }: StatePlace): Promise<Cell> {
  return storeCell(await openStore(location), compared)
}
