import type { Asked, Reply } from './odd-server.ts'

/** A group as the list endpoint gives it, invented. */
export interface FakeGroup {
  readonly group_type_index: number
  readonly group_key: string
  readonly group_properties: unknown
  readonly created_at: string
}

const PLANS = ['free', 'pro', 'enterprise']

/** So many invented companies, newest first. */
export function companies(count: number): FakeGroup[] {
  return Array.from({ length: count }, (_, i) => ({
    group_type_index: 0,
    group_key: `company-${String(count - i).padStart(4, '0')}`,
    group_properties: { name: `Company ${count - i}`, plan: PLANS[i % 3], seats: (i * 7) % 90 },
    created_at: new Date(Date.UTC(2024, 0, 1) + (count - i) * 3_600_000).toISOString().replace('Z', '123Z'),
  }))
}

const PAGE = 100

/** Answers of a current server: types, list, find, projects. Undefined for anything else. */
export function groupsAnswer(groups: readonly FakeGroup[], { path }: Asked, url: string): Reply | undefined {
  const at = new URL(path, url)
  if (at.pathname === '/api/projects/1/groups_types/') {
    return {
      body: [
        { group_type: 'company', group_type_index: 0, name_singular: null, name_plural: null },
        { group_type: 'team', group_type_index: 1, name_singular: null, name_plural: null },
      ],
    }
  }
  const ofType = groups.filter((g) => String(g.group_type_index) === at.searchParams.get('group_type_index'))
  if (at.pathname === '/api/projects/1/groups/') {
    const start = Number(at.searchParams.get('cursor') ?? 0)
    const search = (at.searchParams.get('search') ?? '').toLowerCase()
    const found = ofType.filter(
      ({ group_key, group_properties }) =>
        search === '' ||
        group_key.toLowerCase() === search ||
        JSON.stringify(group_properties).toLowerCase().includes(search),
    )
    at.searchParams.set('cursor', String(start + PAGE))
    return {
      body: {
        next: start + PAGE < found.length ? at.href : null,
        previous: null,
        results: found.slice(start, start + PAGE),
      },
    }
  }
  if (at.pathname === '/api/projects/1/groups/find/') {
    const group = ofType.find((g) => g.group_key === at.searchParams.get('group_key'))
    return group ? { body: { ...group, notebook: null } } : notFound('Not found.')
  }
  return undefined
}

/** Answers the query that exports make: the page of groups after a key. */
export function queryAnswer(groups: readonly FakeGroup[], { path, body }: Asked): Reply | undefined {
  if (path !== '/api/projects/1/query/') return undefined
  const { query } = JSON.parse(body) as { query: { query: string } }
  const [, index, after, limit] = / index = (\d+)(?: AND key > '(.*)')? ORDER BY key LIMIT (\d+)$/.exec(
    query.query,
  )!
  const rows = groups
    .filter((g) => g.group_type_index === Number(index) && (after === undefined || g.group_key > after))
    .sort((a, b) => (a.group_key < b.group_key ? -1 : 1))
    .slice(0, Math.min(Number(limit), PAGE))
    .map((g) => [g.group_key, JSON.stringify(g.group_properties), g.created_at])
  return { body: { results: rows, columns: ['key', 'properties', 'created_at'], hasMore: false } }
}

export function noScope(scope: string): Reply {
  return {
    status: 403,
    body: {
      type: 'x',
      code: 'permission_denied',
      detail: `API key missing required scope '${scope}'`,
      attr: null,
    },
  }
}

export function notFound(detail: string): Reply {
  return { status: 404, body: { type: 'invalid_request', code: 'not_found', detail, attr: null } }
}
