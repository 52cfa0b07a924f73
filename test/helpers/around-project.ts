import { AroundFolder } from '../../src/around/around-folder.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'

/** How much of each kind a made-up project has. */
export interface ProjectSizes {
  readonly events: number
  readonly properties: number
  readonly annotations: number
  /** Members of each cohort. */
  readonly cohorts: readonly number[]
  readonly reports: number
  readonly dashboards: number
}

const UNITS = ['order', 'page', 'plan', 'team', 'invoice', 'search', 'video', 'level'] as const
const DEEDS = ['opened', 'paid', 'changed', 'left', 'shared', 'über "quoted"'] as const

/** The project API of a sandbox, as a person's browser asks it. */
export function projectApi({
  url,
  personalKey,
  projectId,
}: Pick<Sandbox, 'url' | 'personalKey' | 'projectId'>) {
  return async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const isForm = body instanceof FormData
    const answer = await fetch(`${url}/api/projects/${projectId}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${personalKey}`,
        ...(!isForm && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json() as Promise<Record<string, unknown>>
  }
}

export const eventName = (n: number): string => `${UNITS[n % 8]} ${DEEDS[n % 6]} ${n}`

/** Sends the events that bring the people and the properties of a project, and names the events. */
export async function sendHistory(sandbox: Sandbox, { properties, cohorts }: ProjectSizes): Promise<void> {
  const people = Math.max(1, ...cohorts)
  const names = Array.from({ length: properties }, (_, n) => `property ${n}`)
  const event = (n: number) => ({
    event: eventName(n % 3),
    uuid: `0190aaaa-0000-7000-8000-${String(n).padStart(12, '0')}`,
    distinct_id: `user ${n}`,
    timestamp: '2026-03-01T12:00:00Z',
    properties:
      n > 0
        ? {}
        : { ...Object.fromEntries(names.map((name) => [name, 'x'])), $set: { plan: 'pro', born: '1999' } },
  })
  for (let from = 0; from < people; from += 5000) {
    const batch = Array.from({ length: Math.min(5000, people - from) }, (_, i) => event(from + i))
    const answer = await fetch(`${sandbox.url}/batch/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: sandbox.projectKey, batch, historical_migration: true }),
    })
    if (!answer.ok) throw new Error(await answer.text())
  }
}

/** Makes what lies around the events of a made-up project, as people would. */
export async function describeProject(
  sandbox: Sandbox,
  sizes: ProjectSizes,
  random: () => number,
): Promise<void> {
  const api = projectApi(sandbox)
  const chance = (share: number) => random() < share
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const words = () => ({
    ...(chance(0.8) && {
      description: `What happens when: ${one(DEEDS)},\n${one(UNITS)} # ${Math.floor(random() * 1000)}`,
    }),
    ...(chance(0.3) && { tags: [one(UNITS), one(['core', 'growth', 'old'])] }),
    ...(chance(0.5) ? (chance(0.4) ? { verified: true } : {}) : chance(0.2) ? { hidden: true } : {}),
  })
  const there = new Map(
    ((await api('GET', 'event_definitions/?limit=1000')).results as { name: string; id: string }[]).map(
      ({ name, id }) => [name, id],
    ),
  )
  for (let n = 0; n < sizes.events; n++) {
    const id = there.get(eventName(n))
    if (id) await api('PATCH', `event_definitions/${id}/`, words())
    else await api('POST', 'event_definitions/', { name: eventName(n), ...words() })
  }
  for (const type of ['event', 'person']) {
    const found = (await api('GET', `property_definitions/?type=${type}&limit=2000`)).results as {
      id: string
    }[]
    for (const { id } of found) {
      if (chance(0.2))
        await api('PATCH', `property_definitions/${id}/`, {
          property_type: one(['DateTime', 'Numeric', 'Boolean']),
        })
      await api('PATCH', `property_definitions/${id}/`, words())
    }
  }
  for (let n = 0; n < sizes.annotations; n++) {
    const day = String(1 + (n % 28)).padStart(2, '0')
    await api('POST', 'annotations/', {
      content: `Release ${n}: ${one(DEEDS)}`,
      date_marker: `2026-02-${day}T09:00:00+01:00`,
      scope: 'project',
    })
  }
  for (const [n, members] of sizes.cohorts.entries()) {
    const form = new FormData()
    form.set('name', n % 4 === 0 ? 'Best customers' : `Cohort ${n}`)
    form.set('is_static', 'true')
    form.set('csv', new File([Array.from({ length: members }, (_, i) => `user ${i}`).join('\n')], 'm.csv'))
    await api('POST', 'cohorts/', form)
  }
  await makeBoards(sizes, api, random)
}

async function makeBoards(
  sizes: ProjectSizes,
  api: ReturnType<typeof projectApi>,
  random: () => number,
): Promise<void> {
  const boards: number[] = []
  for (let n = 0; n < sizes.dashboards; n++) {
    const { id } = await api('POST', 'dashboards/', {
      name: `Board ${n}`,
      description: n % 2 ? 'weekly' : '',
      pinned: n === 0,
      tags: n % 3 ? [] : ['team'],
    })
    boards.push(Number(id))
  }
  for (let n = 0; n < sizes.reports; n++) {
    const on = n % 3 === 0 ? [] : [boards[n % boards.length]!]
    // Names are not unique in a project.
    await api('POST', 'insights/', {
      name: `Chart ${n % 60}`,
      query: queryOf(n, sizes),
      dashboards: on,
      saved: true,
      tags: n % 5 ? [] : ['kpi'],
    })
  }
  for (const id of boards) {
    const { tiles } = await api('GET', `dashboards/${id}/`)
    const placed = (tiles as { id: number }[]).map((tile, i) => ({
      id: tile.id,
      layouts: { sm: { x: 6 * (i % 2), y: 5 * Math.floor(random() * 40), w: 6, h: 5 } },
    }))
    await api('PATCH', `dashboards/${id}/`, {
      tiles: [...placed, { text: { body: `# Board ${id}` }, layouts: { sm: { x: 0, y: 300, w: 12, h: 1 } } }],
    })
  }
}

function queryOf(n: number, { events, cohorts }: ProjectSizes): object {
  const node = (at: number) => ({ kind: 'EventsNode', event: eventName(at % events), math: 'total' })
  const people = { key: 'id', type: 'cohort', value: 1 + (n % Math.max(1, cohorts.length)) }
  const source = [
    {
      kind: 'TrendsQuery',
      series: [node(n)],
      interval: 'week',
      ...(n % 4 === 0 && cohorts.length > 0 && { properties: [people] }),
    },
    { kind: 'FunnelsQuery', series: [node(n), node(n + 1)], funnelsFilter: { funnelWindowInterval: 7 } },
    {
      kind: 'RetentionQuery',
      retentionFilter: { targetEntity: { id: eventName(n % events), type: 'events' }, period: 'Week' },
    },
    { kind: 'PathsQuery', pathsFilter: {} },
  ][n % 10 === 9 ? 3 : n % 3]!
  return { kind: 'InsightVizNode', source }
}

const KINDS = ['events', 'properties', 'annotations', 'cohorts', 'reports', 'dashboards'] as const

/** What a folder holds, without what differs from project to project: ids, links, times, and the tag of a push. */
export async function heldIn(path: string) {
  const folder = new AroundFolder(path)
  // Tiles of what can't be made again are nowhere else.
  const reports = (await folder.read('reports'))!.filter(({ kind }) => kind !== 'PathsQuery')
  const names = new Map(reports.map(({ id, name }) => [id, name]))
  const cohorts = new Map(
    (await folder.read('cohorts'))!.map(({ id, name, members }) => [id, `${name} ${members}`]),
  )
  const plain = (key: string, value: unknown): unknown => {
    if (['id', 'link', 'more', 'file'].includes(key)) return undefined
    if (key === 'tags') return none((value as string[]).filter((tag) => tag !== 'posthaul'))
    if (key === 'report') return names.get(String(value)) ?? value
    if (key === 'tiles')
      return (value as { report?: string }[]).filter(({ report }) => !report || names.has(report))
    const cohort = value as { type?: string; value?: number } | null
    if (cohort?.type === 'cohort') return cohorts.get(String(cohort.value))
    return value
  }
  const rows = await Promise.all(KINDS.map(async (kind) => [kind, (await folder.read(kind))!] as const))
  const text = ([kind, list]: (typeof rows)[number]) => [
    kind,
    list.map((row) => JSON.stringify(row, plain)).sort(),
  ]
  return Object.fromEntries(rows.map(text)) as Record<(typeof KINDS)[number], string[]>
}

const none = (list: string[]) => (list.length > 0 ? list : undefined)
