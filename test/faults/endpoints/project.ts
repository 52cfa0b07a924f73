import { checkProject } from '../../../src/checks/preflight/project.ts'
import { systemTools } from '../../../src/checks/preflight/subject.ts'
import { fileDeletion, findDeletion, previewDeletion } from '../../../src/service/deletion-requests.ts'
import { eventQuota } from '../../../src/service/event-quota.ts'
import { Groups, groupPages } from '../../../src/service/groups.ts'
import { ingestionWarnings } from '../../../src/service/ingestion-warnings.ts'
import { listProjects, ownerAmong, projectOwners } from '../../../src/service/key-owner.ts'
import { projectRules } from '../../../src/service/project-rules.ts'
import { patience } from '../../helpers/patience.ts'
import type { Received } from '../kit/received.ts'
import { all, type Endpoint, json, KEY, PROJECT_KEY, project, UUID, Verdict } from './endpoint.ts'

const TYPE = { index: 0, name: 'company', since: null }
const PROJECTS = [1, 2, 3].map((id) => ({ id, name: `Zürich ${id}`, api_token: `phc_answers_${id}` }))
const OWNER = { id: 1, name: 'Zürich', api_token: PROJECT_KEY.reveal() }
const group = (key: string, index = 0) => ({
  group_type_index: index,
  group_key: key,
  group_properties: { city: 'Zürich' },
  created_at: '2024-01-31T00:00:00Z',
})
const TYPES = [{ group_type: 'company', group_type_index: 0, created_at: '2024-01-31T00:00:00Z' }]
const WARNINGS = [{ type: 'cannot_merge', severity: 'warning', count: 4, samples: [{ event_uuid: UUID }] }]
const QUOTAS = { limited: { events: { limited: false, usage: 9, limit: 10 } } }
const REQUEST = { id: 'request-1', status: 'pending', submission_id: 'mine' }

/** A list of two pages. */
const twoPages =
  (path: string, first: unknown, second: unknown) =>
  ({ path: asked }: Received) =>
    asked.includes('offset=1')
      ? { next: null, results: [second] }
      : { next: `${path}${path.includes('?') ? '&' : '?'}offset=1`, results: [first] }

const isDoctor: Partial<Record<string, unknown>> = {
  '/api/projects/1/': OWNER,
  '/api/projects/1/quota_limits/': QUOTAS,
  '/api/projects/1/query/': { results: [[1]] },
  '/api/projects/1/groups_types/': TYPES,
}

const isRule: Partial<Record<string, unknown>> = {
  '/api/projects/1/event_filter/': { mode: 'disabled', filter_tree: null },
  '/api/projects/1/event_ingestion_restrictions/': [],
  '/api/projects/1/event_definitions/': { next: null, results: [{ name: 'a', enforcement_mode: 'allow' }] },
  '/api/projects/1/hog_functions/': { next: null, results: [] },
}

/** Where `path` is answered wrong, and that is said. */
const teller = (path: string) => ({
  struck: new RegExp(`^(?:GET|POST) ${path.replaceAll('/', '\\/')}(?:\\?|$)`),
  isLikeAnother: true,
  // 404 and 204: a server has no quotas, no warnings, or no rules. The rest is as good as nothing, or right once more.
  believes:
    /^(?:404|204|null)|^(?:an empty array|no rows|objects for arrays|1.5 for numbers|the first answer again and again)$/,
})
const TELLS = { proof: 'word', client: 'teller' } as const

/** What drops or changes the project's events. */
function rules(path: string): Endpoint {
  const row = project({
    ...teller(path),
    name: `rules: ${path}`,
    right: ({ path: asked }: Received) => isRule[asked.split('?')[0]!],
    ask: async (api) => {
      const { unread } = await projectRules({ api, projectId: '1' })
      return unread.length > 0 ? new Verdict(`could not read ${unread}`) : 'none'
    },
  })
  return { ...row, ...TELLS }
}

/** What doctor says of the project. */
function doctor(path: string): Endpoint {
  return {
    ...teller(path),
    ...TELLS,
    name: `doctor: ${path}`,
    right: ({ path: asked }) => json(isDoctor[asked.split('?')[0]!] ?? WARNINGS),
    ask: async ({ origin, signal, clock }) => {
      const of = { source: 'cli', from: 'a test' } as const
      const io = { env: {}, stdin: process.stdin, interrupted: signal }
      const findings = await checkProject(
        { origin: { value: origin, ...of }, personalKey: KEY, projectId: { value: '1', ...of } },
        { projectKey: PROJECT_KEY, sends: true },
        { ...systemTools(io), clock, patienceMs: patience(1000) },
      )
      const wrong = findings.find(({ level }) => level !== 'ok')
      if (wrong) return new Verdict(`found: ${wrong.level}`)
      const isWhose = findings.some(({ text }) => text.includes('zoe@example.com'))
      return isWhose ? 'ready' : new Verdict('goes on without it')
    },
  }
}

/** What the program asks of a project besides queries. */
export const PROJECT: readonly Endpoint[] = [
  project({
    name: 'projects',
    nothing: [[]],
    struck: /^GET \/api\/projects\/(?:\?|$)/,
    right: twoPages('/api/projects/', PROJECTS[0], PROJECTS[1]),
    ask: listProjects,
  }),
  project({
    name: 'the project of a key',
    struck: /^GET \/api\/projects\/1\/$/,
    project: '1',
    right: OWNER,
    other: { ...OWNER, id: 2 },
    ask: async (api) => ownerAmong(await projectOwners(api), PROJECT_KEY, api.settings),
  }),
  project({
    name: 'what the key may do',
    nothing: [undefined],
    isLikeAnother: true,
    struck: /^GET \/api\/personal_api_keys\/@current\/$/,
    right: { label: 'Zürich', scopes: ['*'], scoped_teams: [1, 2], scoped_organizations: [] },
    ask: (api) => api.personalKey(),
  }),
  project({
    name: 'quotas',
    nothing: [undefined],
    isOptional: true,
    struck: /^GET \/api\/projects\/1\/quota_limits\/$/,
    // Null is a usage that isn't known, and no limit. Of what is used a person is told.
    believes: /^null for values|^1\.5/,
    right: QUOTAS,
    ask: (api) => eventQuota({ api, projectId: '1' }),
  }),
  project({
    name: 'ingestion warnings',
    nothing: [[]],
    isOptional: true,
    struck: /^GET \/api\/projects\/1\/ingestion_warnings_v2\/\?/,
    right: WARNINGS,
    ask: (api) => ingestionWarnings({ api, projectId: '1' }, '2024-01-31T00:00:00Z'),
  }),
  project({
    name: 'group types',
    nothing: [[]],
    isLikeAnother: true,
    struck: /^GET \/api(?:\/projects)?\/1\/groups_types\/$/,
    right: TYPES,
    ask: (api) => new Groups({ api, projectId: '1' }).types(),
  }),
  project({
    name: 'groups, page by page',
    believes: /^(?:no rows|objects for arrays|arrays for objects)$/,
    isLikeAnother: true,
    struck: /^GET \/api\/projects\/1\/groups\/\?/,
    right: twoPages('/api/projects/1/groups/?group_type_index=0', group('a'), group('b')),
    other: { next: null, results: [group('a', 1)] },
    ask: (api) => all(groupPages(new Groups({ api, projectId: '1' }), TYPE)),
  }),
  project({
    name: 'a group',
    nothing: [undefined],
    believes: /^arrays for objects$/,
    isLikeAnother: true,
    struck: /^GET \/api\/projects\/1\/groups\/find\/\?/,
    right: group('a'),
    other: group('b'),
    ask: (api) => new Groups({ api, projectId: '1' }).find(TYPE, 'a'),
  }),
  project({
    name: 'definitions of group properties',
    nothing: [{}],
    isLikeAnother: true,
    struck: /^GET \/api\/projects\/1\/groups\/property_definitions\/$/,
    right: { 0: [{ name: 'Zürich', count: 3 }] },
    ask: (api) => new Groups({ api, projectId: '1' }).propertyDefinitions(),
  }),
  project({
    name: 'values of a group property',
    nothing: [[]],
    isLikeAnother: true,
    struck: /^GET \/api\/projects\/1\/groups\/property_values\/\?/,
    right: { results: [{ name: 'Zürich', count: 3 }] },
    ask: (api) => new Groups({ api, projectId: '1' }).propertyValues(TYPE, 'city'),
  }),
  project({
    name: 'the preview of a deletion',
    struck: /^POST \/api\/projects\/1\/data_deletion_requests\/preview\/$/,
    right: { count: 5 },
    ask: (api) => previewDeletion({ api, projectId: '1' }, 'SELECT 1'),
  }),
  project({
    name: 'a request for deletion',
    struck: /^POST \/api\/projects\/1\/data_deletion_requests\/$/,
    status: 201,
    right: REQUEST,
    other: { ...REQUEST, id: 'request-2', submission_id: 'not mine' },
    ask: (api) => fileDeletion({ api, projectId: '1' }, { query: 'SELECT 1', submission_id: 'mine' }),
  }),
  project({
    name: 'requests for deletion',
    nothing: [undefined],
    isLikeAnother: true,
    struck: /^GET \/api\/projects\/1\/data_deletion_requests\/(?:\?|$)/,
    right: twoPages('/api/projects/1/data_deletion_requests/', { ...REQUEST, submission_id: 'x' }, REQUEST),
    ask: (api) => findDeletion({ api, projectId: '1' }, ({ submission_id: of }) => of === 'mine'),
  }),
  ...Object.keys(isRule).map(rules),
  ...Object.keys(isDoctor).map(doctor),
  doctor('/api/projects/1/ingestion_warnings_v2/'),
]
