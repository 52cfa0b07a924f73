import {
  type Draft,
  Filtered,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
} from '../mapping/preset.ts'
import type { SideTable } from '../mapping/side-table.ts'
import { parseTime } from '../record/time.ts'
import { uuidV5 } from '../record/uuid.ts'
import { MICROS_PER_MS } from '../text/units.ts'
import { foldClientNames } from './client.ts'
import { elementOf, elementsChain } from './elements-chain.ts'
import { requiredTimeText } from './required.ts'

/** Anonymous users who were identified: all their events are of another user since. Warehouses have applied it already. */
const MIGRATIONS: SideTable = {
  name: 'user_migrations',
  help: 'without it, what S3 files hold of a user before they were identified stays apart',
  on: { from_user_id: ['user_id'] },
  as: 'joined_migration',
  several: 'last',
  expected: false,
}

const USERS: SideTable = {
  name: 'users',
  help: "without it, events belong to Heap's user_id, not to the identity that your program gave",
  on: { user_id: ['joined_migration.to_user_id', 'user_id'] },
  as: 'joined_user',
  several: 'last',
  expected: true,
  alsoRecords: true,
}

const SESSIONS: SideTable = {
  name: 'sessions',
  help: 'without it, events have no $session_id, since only a session tells when it began',
  on: { session_id: ['session_id'] },
  as: 'joined_session',
  several: 'first',
  expected: true,
}

/** The table of a record in lower case, without its schema; undefined where nothing names one. */
function heapTable(record: RecordView): string | undefined {
  return record.text('table')?.toLowerCase().split('.').at(-1)
}

function isUser(record: RecordView): boolean {
  return (
    heapTable(record) === 'users' ||
    (record.text('event_id') === undefined &&
      (record.kind('identity') ?? record.kind('joindate')) !== undefined)
  )
}

/** What Heap saw happen, for a row of a label that a user of Heap has defined over such events. */
const RAW_KINDS = new Set(['view page', 'click', 'submit', 'change', 'touch'])

/**
 * True for the table of an event that a program sent by name: it has a row for each time. All other tables are labels,
 * which select events that may be in other tables too.
 */
function isCustomEvent(table: string, type: string | undefined): boolean {
  return type !== undefined && !RAW_KINDS.has(type) && slug(type) === slug(table)
}

/** Heap writes names of tables in lower case, with `_` for what is no letter or digit. */
function slug(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\d]+/gu, '_')
}

const NAMESPACE = '706f7374-6861-756c-5f68-6561705f5f5f' // the 16 bytes "posthaul_heap___"

/** Switch: labels, which overlap. */
const LABELS = 'labels'

/** Heap (Contentsquare Data Connect): rows of its tables, from S3, a warehouse or its support. */
export const heap: Preset = {
  vendor: 'heap',
  rules: 1,
  ids: ['user_id', 'identity', 'known_as', 'migrated_to'],
  fields: {
    $table: '@table',
    event_id: '@event_id',
    user_id: '@user_id',
    session_id: '@session_id',
    time: '@time',
    type: '@type',
    library: ['@library', '$heap_library'],
    platform: '@platform',
    browser: '@browser',
    device_type: '$device_type',
    device: '$device_model',
    carrier: '$network_carrier',
    app_name: '$app_name',
    app_version: '$app_version',
    heap_app_name: '$heap_app_name',
    heap_app_version: '$heap_app_version',
    heap_device_id: '$heap_device_id',
    pageview_id: '$heap_pageview_id',
    session_time: [],

    domain: ['@domain', '$host'],
    path: ['@path', '$pathname'],
    query: '@query',
    hash: '@hash',
    title: 'title',
    heap_previous_page: ['@previous', '$heap_previous_page'],
    view_controller: '@screen',
    screen_a11y_id: '@screen_a11y',
    target_text: ['@target_text', '$el_text'],
    href: '@href',

    // Of the session's first page, in every row of the session.
    ip: '$ip',
    country: '$geoip_country_name',
    region: '$geoip_subdivision_1_name',
    city: '$geoip_city_name',
    referrer: '@referrer',
    landing_page: '$session_entry_url',
    landing_page_query: '$heap_landing_page_query',
    landing_page_hash: '$heap_landing_page_hash',

    identity: '@identity',
    joindate: '@joindate',
    last_modified: '@last_modified',
    initial_landing_page: 'once:$initial_current_url',
    initial_path: 'once:$initial_pathname',
    initial_city: 'once:$initial_geoip_city_name',
    initial_country: 'once:$initial_geoip_country_name',
    initial_region: 'once:$initial_geoip_subdivision_1_name',
    'initial_*': 'once:$*',
    from_user_id: '@from_user_id',
    to_user_id: '@to_user_id',

    joined_migration: '@joined_migration',
    'joined_migration.to_user_id': '@migrated_to',
    'joined_migration.*': [],
    joined_user: '@joined_user',
    'joined_user.identity': '@known_as',
    'joined_user.*': [],
    joined_session: '@joined_session',
    'joined_session.time': '@session_start',
    'joined_session.*': [],
    '*': '*',
  },
  sideTables: [MIGRATIONS, USERS, SESSIONS],
  recognises: [
    ['event_id', 'user_id', 'session_id', 'time', 'library'],
    ['event_id', 'user_id', 'session_id', 'time', 'landing_page'],
    ['user_id', 'identity', 'joindate', 'last_modified'],
    ['user_id', 'identity', 'joined_user', 'joindate'],
  ],
  events: { pageviews: '$pageview', users: '$set' },
  empty: [],
  switches: { [LABELS]: 'take the rows of labels too: one click has a row in each label that selects it' },
  eventName,
  uuid: (record) => {
    const id = isUser(record) ? record.text('user_id') : record.text('event_id')
    if (id === undefined)
      throw new Rejection('event_id_missing', 'event_id is missing: is this a row of Heap?')
    const table = isUser(record) ? 'users' : (heapTable(record) ?? '')
    return uuidV5(NAMESPACE, JSON.stringify([table, id, timestamp(record)]))
  },
  distinctId,
  anonymousId: (record) =>
    isUser(record) && record.kind('joined_user') === undefined && record.text('identity') !== undefined
      ? (record.text('migrated_to') ?? record.text('user_id'))
      : undefined,
  timestamp,
  perform,
}

function eventName(record: RecordView): string {
  if (isUser(record)) return 'users'
  const table = heapTable(record)
  if (table === 'all_events') {
    throw new Rejection('all_events', 'all_events repeats all tables without their properties: leave it out')
  }
  if (table === 'sessions' || table === '_event_metadata') throw new Filtered(table)
  if (table === 'user_migrations' || record.kind('from_user_id') !== undefined)
    throw new Filtered('user_migration')
  if (table !== undefined) return table
  throw new Rejection(
    'table_missing',
    'nothing names the table: call the file <table>.csv, or its folder <table>',
  )
}

/** The identity of the user whom the row belongs to by now, else their number. */
function distinctId(record: RecordView): string | undefined {
  const own = isUser(record) ? record.text('identity') : undefined
  return record.text('known_as') ?? own ?? record.text('migrated_to') ?? record.text('user_id')
}

/** UTC. The row of a user has the time when it changed, or the one when they came. */
function timestamp(record: RecordView): number {
  if (!isUser(record)) return timeOf(requiredTimeText(record, 'time'))
  for (const slot of ['last_modified', 'joindate']) {
    const text = record.text(slot)
    if (text !== undefined && text !== 'Invalid date') return timeOf(text)
  }
  throw new Rejection('timestamp_missing', 'last_modified and joindate are missing')
}

/** Microseconds. CSV files write the zone as a word. */
function timeOf(text: string): number {
  return parseTime(text.replace(/ UTC$/, ''), undefined)
}

function perform(record: RecordView, draft: Draft, options: PresetOptions): void {
  if (isUser(record)) {
    draft.describePerson()
    return
  }
  const [table, type] = [heapTable(record) ?? '', record.text('type')]
  if (table !== 'pageviews' && !isCustomEvent(table, type) && !options.switches.has(LABELS)) {
    throw new Filtered('label_not_asked_for')
  }
  draft.copy('$heap_event_id', 'event_id')
  draft.copy('$heap_user_id', 'user_id')
  draft.copy('$heap_session_id', 'session_id')
  if (table === 'pageviews' && /^(ios|android)$/i.test(record.text('library') ?? '')) draft.event = '$screen'
  draft.text('$screen_name', record.text('screen') ?? record.text('screen_a11y'))
  if (type !== 'view page') draft.text(RAW_KINDS.has(type ?? '') ? '$event_type' : '$heap_type', type)
  const href = record.text('href')
  if (href !== undefined) {
    const link = elementOf({ tag: 'a', classes: [], href, text: record.text('target_text') })
    draft.text('$elements_chain', elementsChain([link]))
  }
  setAddress(record, draft)
  setReferrer(record, draft)
  setClient(record, draft)
}

/** Query and hash bring their own ? and #. */
function setAddress(record: RecordView, draft: Draft): void {
  const [domain, path, query, hash] = ['domain', 'path', 'query', 'hash'].map((slot) => record.text(slot))
  if (domain === undefined) return
  draft.text('$current_url', `https://${domain}${path ?? ''}${query ?? ''}${hash ?? ''}`)
}

/** Heap has the referrer of the session. It is that of an event only where the session began with it. */
function setReferrer(record: RecordView, draft: Draft): void {
  const began = record.text('session_start')
  const start = began === undefined ? undefined : timeOf(began)
  const [referrer, previous, domain] = ['referrer', 'previous', 'domain'].map((slot) => record.text(slot))
  const entry = referrer === 'direct' ? '$direct' : referrer
  draft.text('$session_entry_referrer', entry)
  if (start !== undefined && start === timestamp(record)) {
    draft.text('$referrer', entry ?? '$direct')
  } else if (previous !== undefined && domain !== undefined) {
    draft.text('$referrer', /^https?:/.test(previous) ? previous : `https://${domain}${previous}`)
  }
  const id = record.text('session_id')
  if (start === undefined || id === undefined) return
  draft.session({ id, owner: '', start: Math.floor(start / MICROS_PER_MS) })
}

/** `Mac OS X 10.15.7`, `Chrome 125.0.0.0`: the version is what comes after the last blank, if it has digits. */
function setClient(record: RecordView, draft: Draft): void {
  for (const [slot, name] of [
    ['platform', '$os'],
    ['browser', '$browser'],
  ] as const) {
    const text = record.text(slot)
    if (text === undefined) continue
    const [, product = text, version] = /^(.+?) +(\d\S*)$/.exec(text) ?? []
    draft.text(name, product)
    draft.text(`${name}_version`, version)
  }
  foldClientNames(draft, 'heap')
}
