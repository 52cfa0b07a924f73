import type { Context } from 'hono'

const PAGE_SIZE = 100

/** The page of a list that `limit` and `offset` of the request name, with links to its neighbours. */
export function offsetPage<T>(c: Context, all: readonly T[]) {
  const limit = positive(c.req.query('limit')) ?? PAGE_SIZE
  const offset = positive(c.req.query('offset')) ?? 0
  const link = (to: number): string => {
    const url = new URL(c.req.url)
    url.searchParams.set('limit', String(limit))
    if (to > 0) url.searchParams.set('offset', String(to))
    else url.searchParams.delete('offset')
    return url.href
  }
  return {
    count: all.length,
    next: offset + limit < all.length ? link(offset + limit) : null,
    previous: offset > 0 ? link(offset - limit) : null,
    results: all.slice(offset, offset + limit),
  }
}

/** As in the service, what is no number, or none above 0, counts as absent. */
function positive(text: string | undefined): number | undefined {
  const value = Number(text)
  return text && Number.isSafeInteger(value) && value > 0 ? value : undefined
}
