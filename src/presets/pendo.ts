import {
  type Draft,
  Filtered,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
} from '../mapping/preset.ts'
import type { SideTable } from '../mapping/side-table.ts'
import { members, objectJson } from '../record/json-values.ts'
import { GROUP_EVENT, groupSender } from '../record/rules.ts'
import { canonicalUuid, uuidV5 } from '../record/uuid.ts'
import { foldClientNames, readUserAgent } from './client.ts'
import { checkClock, describeElementPath, metadataOf, metadataTime, setPlace } from './pendo/visitors.ts'
import { changeGroup, requiredTime } from './required.ts'

type Kind = 'Page' | 'Feature' | 'TrackType'

/** A page, a feature or a kind of track event may match an event; several of one kind may. */
function matches(kind: Kind): SideTable {
  return {
    name: `matched${kind}Events`,
    folder: `matchedEvents/${kind}`,
    help: `which ${WORDS[kind]} an event belongs to`,
    on: { periodId: ['periodId'], eventId: ['eventId'] },
    as: `joined_${kind}_match`,
    several: foldMatches,
    expected: false,
  }
}

function definitions(kind: Kind): SideTable {
  return {
    name: `all${kind}s`,
    help: `names of ${WORDS[kind]}s`,
    on: {
      [`id|${kind[0]!.toLowerCase()}${kind.slice(1)}Id|matchableId`]: [`joined_${kind}_match.matchableId`],
    },
    as: `joined_${kind}`,
    several: foldDefinitions,
    expected: false,
  }
}

const WORDS: Readonly<Record<Kind, string>> = {
  Page: 'page',
  Feature: 'feature',
  TrackType: 'kind of track event',
}

const GUIDES: SideTable = {
  name: 'allGuides',
  help: 'names of guides',
  on: { 'id|guideId': ['guideId'] },
  as: 'joined_guide',
  several: foldDefinitions,
  expected: false,
}

const PENDO_SIDE_TABLES: readonly SideTable[] = [
  matches('Page'),
  definitions('Page'),
  matches('Feature'),
  definitions('Feature'),
  matches('TrackType'),
  definitions('TrackType'),
  GUIDES,
]

/**
 * Of the rows that match one event: `matchableId`, the least of their ids, whatever the order of the rows; and
 * `matchableIds`, all of them, where there are several.
 */
function foldMatches(held: string | undefined, row: string): string {
  const ids = new Set([...idsOf(held), ...idsOf(row)])
  const sorted = [...ids].sort()
  const all = sorted.length > 1 ? `,"matchableIds":${JSON.stringify(sorted)}` : ''
  return sorted.length === 0 ? '{}' : `{"matchableId":${JSON.stringify(sorted[0])}${all}}`
}

/** Each export has all definitions: the one that was changed last stands; of equals the greater text, whatever the order. */
function foldDefinitions(held: string | undefined, row: string): string {
  if (held === undefined) return row
  const [before, now] = [changedAt(held), changedAt(row)]
  return now > before || (now === before && row > held) ? row : held
}

/** Times of one export have one form: numbers of milliseconds, or text that sorts as they do. */
function changedAt(row: string): string {
  return new Map(members(row)).get('lastUpdatedAt') ?? ''
}

function idsOf(row: string | undefined): string[] {
  const known = new Map(members(row ?? '{}'))
  const several = known.get('matchableIds')
  if (several !== undefined) return JSON.parse(several) as string[]
  const one = known.get('matchableId')
  // A manifest writes ids with their kind; the files of definitions don't.
  return one?.startsWith('"')
    ? [(JSON.parse(one) as string).replace(/^(?:Page|Feature|TrackType)\//, '')]
    : []
}

const NAMESPACE = '706f7374-6861-756c-5f70-656e646f5f5f' // the 16 bytes "posthaul_pendo__"

/** Names of the records that tell who someone is; no program sends events of these names. */
const [IDENTITY, VISITOR] = ['$pendo_identity', '$pendo_visitor']

/** Kinds of events and the names of theirs; a kind that is not here keeps its own. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['load', '$pageview'],
  ['click', '$autocapture'],
  ['change', '$autocapture'],
  ['submit', '$autocapture'],
  ['pollResponse', 'survey sent'],
  ['identify', IDENTITY],
  ['metadata', IDENTITY],
  ['meta', IDENTITY],
  ['guideSeen', 'guide seen'],
  ['guideAdvanced', 'guide advanced'],
  ['guideDismissed', 'guide dismissed'],
  ['guideSnoozed', 'guide snoozed'],
  ['guideTimeout', 'guide timeout'],
  ['guideActivity', 'guide activity'],
  ['appOpened', 'Application Opened'],
  ['appBackground', 'Application Backgrounded'],
  ['screenView', '$screen'],
  ['pageview', '$screen'],
])

/** Files of an export that hold no events. */
const NO_EVENTS: ReadonlyMap<string, string> = new Map([
  ['exportmanifest', 'manifest'],
  ['billofmaterials', 'manifest'],
  ['metadataschema', 'metadata_schema'],
])

/** Pendo: what Data Sync writes of events, visitors and accounts. */
export const pendo: Preset = {
  vendor: 'pendo',
  rules: 1,
  ids: ['visitor_id', 'old_visitor_id', 'id'],
  groupType: 'account',
  fields: {
    $table: '@table',
    eventId: '@event_id',
    periodId: '@period_id',
    eventType: '@event_type',
    eventClass: '$pendo_event_class',
    eventSource: '$pendo_event_source',
    appId: ['@app_id', '$pendo_app_id'],
    applicationId: ['@app_id', '$pendo_app_id'],
    visitorId: '@visitor_id',
    oldVisitorId: '@old_visitor_id',
    accountId: '@account_id',
    browserTimestamp: '@time',
    receivedTimestamp: '@received',
    trackTypeName: '@track_name',
    matchableId: '@matchable_id',
    version: [],

    url: '$current_url',
    title: ['@title', 'title'],
    language: '$browser_language',
    browser: '$browser',
    userAgent: '$raw_user_agent',
    remoteIp: '$ip',
    country: '@country',
    region: '@region',
    city: '$geoip_city_name',
    latitude: '$geoip_latitude',
    longitude: '$geoip_longitude',
    elementPath: '@element_path',
    loadTime: '$pendo_load_time',
    guideId: '$pendo_guide_id',
    guideStepId: '$pendo_guide_step_id',
    destinationStepId: '$pendo_destination_step_id',
    pollId: '@poll_id',
    pollResponse: '@poll_response',
    'propertiesJson.*': '*',

    'joined_Page_match.matchableId': '$pendo_page_id',
    'joined_Page_match.matchableIds': '$pendo_page_ids',
    'joined_Page.name': '$pendo_page_name',
    'joined_Page.*': [],
    'joined_Feature_match.matchableId': '$pendo_feature_id',
    'joined_Feature_match.matchableIds': '$pendo_feature_ids',
    'joined_Feature.name': '$pendo_feature_name',
    'joined_Feature.*': [],
    'joined_TrackType_match.matchableId': '$pendo_track_type_id',
    'joined_TrackType_match.matchableIds': '$pendo_track_type_ids',
    'joined_TrackType.name': '@track_type_name',
    'joined_TrackType.*': [],
    'joined_guide.name': '$pendo_guide_name',
    'joined_guide.*': [],

    id: '@id',
    metadata: '@metadata',
    'metadata.auto.lastupdated': '@last_updated',
    'metadata.auto.lastvisit': '@last_visit',
    'metadata.auto.firstvisit': '@first_visit',
    'metadata.auto.*': [],
    'metadata.*': [],
    agent: '@agent',
    custom: '@custom',
    'auto.lastupdated': '@last_updated',
    'auto.lastvisit': '@last_visit',
    'auto.firstvisit': '@first_visit',
    'auto.*': [],
    'auto__*': [],

    exports: '@exports',
    avroFieldName: '@avro_field_name',
    numEvents: '@count',
    numMinutes: '@minutes',
    '*': '*',
  },
  unpack: ['elementPath', 'agent', 'custom'],
  sideTables: PENDO_SIDE_TABLES,
  recognises: [
    ['periodId', 'eventId', 'visitorId', 'browserTimestamp'],
    ['eventId', 'eventType', 'visitorId', 'browserTimestamp'],
    ['visitorId', 'accountId', 'numEvents', 'numMinutes'],
    ['id', 'metadata.auto.lastvisit'],
    ['id', 'metadata.auto.firstvisit'],
    ['id', 'auto.lastvisit'],
  ],
  events: { [IDENTITY]: '$set', [VISITOR]: '$set' },
  empty: [],
  switches: {
    'unsettled-days': 'read the newest 10 days too, though Pendo may still change them',
  },
  eventName,
  uuid,
  distinctId,
  anonymousId: (record) => {
    const [user, old] = [record.text('visitor_id'), record.text('old_visitor_id')]
    return isAnonymous(old) && !isAnonymous(user) ? old : undefined
  },
  timestamp: (record) => (kindOf(record) === 'event' ? requiredTime(record, 'time') : metadataTime(record)),
  perform,
}

function isAnonymous(visitor: string | undefined): boolean {
  return visitor?.startsWith('_PENDO_T_') ?? false
}

function tableOf(record: RecordView): string {
  return record.text('table')?.toLowerCase() ?? ''
}

function kindOf(record: RecordView): 'event' | 'visitor' | 'account' {
  const table = tableOf(record)
  if (table === 'visitors') return 'visitor'
  if (table === 'accounts') return 'account'
  if (record.kind('event_id') !== undefined || record.kind('event_type') !== undefined) return 'event'
  if (record.kind('id') === undefined && record.kind('visitor_id') === undefined) {
    return record.kind('account_id') === undefined ? 'event' : 'account'
  }
  return record.kind('metadata') === undefined && record.kind('agent') === undefined ? 'event' : 'visitor'
}

function eventName(record: RecordView): string | undefined {
  refuseOthers(record)
  const kind = kindOf(record)
  if (kind !== 'event') return kind === 'visitor' ? VISITOR : GROUP_EVENT
  const type = record.text('event_type')
  if (type === 'track') return record.text('track_name') ?? record.text('track_type_name') ?? type
  return type === undefined ? undefined : (NAMES.get(type) ?? type)
}

function refuseOthers(record: RecordView): void {
  const reason = NO_EVENTS.get(tableOf(record))
  if (reason !== undefined) throw new Filtered(reason)
  if (record.kind('exports') !== undefined) throw new Filtered('manifest')
  if (record.kind('avro_field_name') !== undefined) throw new Filtered('metadata_schema')
  if (record.kind('matchable_id') !== undefined) throw new Filtered('matched_event')
  if (record.kind('event_id') !== undefined) return
  if (record.kind('count') !== undefined || record.kind('minutes') !== undefined) {
    throw new Rejection(
      'aggregated',
      'numEvents and numMinutes are sums of a day or an hour, from the aggregation API: export events by Data Sync',
    )
  }
}

/** Ids are unique within an application and a day. A visitor or an account has none: one is made of the content. */
function uuid(record: RecordView): string | undefined {
  if (kindOf(record) !== 'event') return undefined
  const id = record.text('event_id')
  if (id === undefined)
    throw new Rejection('event_id_missing', 'eventId is missing: is this a row of Data Sync?')
  const [app, period] = [record.text('app_id') ?? '', record.text('period_id') ?? '']
  return canonicalUuid(id) ?? uuidV5(NAMESPACE, JSON.stringify([app, period, id]))
}

function distinctId(record: RecordView): string | undefined {
  const kind = kindOf(record)
  if (kind === 'event') return record.text('visitor_id')
  if (kind === 'visitor') return record.text('id') ?? record.text('visitor_id')
  const key = accountKey(record)
  return key === undefined ? undefined : groupSender('account', key)
}

function accountKey(record: RecordView): string | undefined {
  return record.text('id') ?? record.text('account_id')
}

function perform(record: RecordView, draft: Draft, options: PresetOptions): void {
  const kind = kindOf(record)
  if (kind === 'event') describeEvent(record, draft, options)
  else if (kind === 'account')
    changeGroup(draft, options.groupType, accountKey(record) ?? '', objectJson(metadataOf(record)))
  else {
    draft.describePerson()
    for (const [name, json] of metadataOf(record)) draft.set(name, json)
  }
}

function describeEvent(record: RecordView, draft: Draft, options: PresetOptions): void {
  const type = record.text('event_type')
  if (type === 'focus') throw new Filtered('focus')
  draft.copy('$pendo_event_id', 'event_id')
  draft.copy('$pendo_id', 'id')
  draft.copy('$pendo_old_visitor_id', 'old_visitor_id')
  draft.text('$pendo_event_type', type)
  const account = record.text('account_id')
  if (account !== undefined) draft.group(options.groupType, account)
  if (type === 'track' && draft.event === 'track') draft.unusable('a track event without its name')
  if (draft.event === '$autocapture') {
    draft.text('$event_type', type ?? '')
    draft.property('$ce_version', '1')
  }
  const title = record.text('title')
  if (draft.event === '$screen') draft.text('$screen_name', title)
  describeElementPath(record, draft)
  const isPoll = type === 'pollResponse'
  draft.copy(isPoll ? '$survey_id' : '$pendo_poll_id', 'poll_id')
  draft.copy(isPoll ? '$survey_response' : '$pendo_poll_response', 'poll_response')
  setPlace(record, draft)
  checkClock(record, draft)
  readUserAgent(draft)
  foldClientNames(draft, 'pendo')
}
