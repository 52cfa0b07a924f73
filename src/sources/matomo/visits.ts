import { members } from '../../record/index.ts'
import type { PieceCall } from '../source.ts'
import { cutShort, VendorError } from '../vendor-client.ts'
import { askMatomo, elementsOf, type Matomo, refusal } from './reporting-api.ts'

/** A site's day, in its own zone: `2024-03-01`. */
export interface SiteDay {
  readonly site: string
  readonly day: string
}

/** Visits asked for at once, to begin with. */
const PAGE = 500
/** What Matomo says when a query took longer than `live_query_max_execution_time`. */
const TOO_LONG = /execution_time|execution time|took too long|timed? ?out|too many (?:visits|rows)|\blimit\b/i

/** All visits of a day, a line each, as Matomo has them; `from` is added to each as its member `(export)`. */
export async function* visitsOfDay(
  matomo: Matomo,
  { site, day }: SiteDay,
  from: Readonly<Record<string, string>>,
  call: PieceCall,
): AsyncGenerator<Buffer> {
  const end = `,"(export)":${JSON.stringify(from)}}\n`
  const seen = new Set<string>()
  let limit = PAGE
  for (let offset = 0; ; ) {
    const page = {
      ...{ idSite: site, period: 'day', date: day, filter_sort_order: 'asc' },
      ...{ filter_limit: String(limit), filter_offset: String(offset) },
    }
    const answer = await askMatomo(matomo, 'Live.getLastVisitsDetails', page, call.signal)
    if ('refusal' in answer) {
      limit = halved(matomo, answer.refusal, limit, day)
      continue
    }
    const visits = elementsOf(answer.json, matomo.client)
    for (const visit of visits) {
      const id = members(visit).find(([name]) => name === 'idVisit')?.[1]
      if (!/^["\d]/.test(id ?? '')) throw cutShort(`${matomo.client.vendor} answered 200, but with no visits`)
      if (seen.has(id!))
        throw cutShort(`${matomo.client.vendor} gave a visit of ${day} twice: its pages moved`)
      seen.add(id!)
      yield Buffer.from(visit.slice(0, visit.lastIndexOf('}')) + end)
    }
    if (visits.length < limit) return
    offset += visits.length
  }
}

/** A shorter page, where the long one took Matomo too long. */
function halved(matomo: Matomo, words: string, limit: number, day: string): number {
  if (!TOO_LONG.test(words)) throw refusal(matomo.client, words)
  if (limit > 1) return Math.ceil(limit / 2)
  throw new VendorError(`${matomo.client.vendor} can't give a single visit of ${day}: ${words}`, {
    code: 'config',
    fate: 'reject',
    hint: 'raise live_query_max_execution_time in its config',
  })
}
