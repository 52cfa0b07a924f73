import {
  type Draft,
  Filtered,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
} from '../mapping/preset.ts'
import { elements, isJson, members } from '../record/json-values.ts'
import { isNobody } from '../record/nobody.ts'
import { KIND } from '../record/tape.ts'
import { parseTime, timeOrNone } from '../record/time.ts'
import { canonicalUuid, uuidV5 } from '../record/uuid.ts'
import { ownOf } from '../text/json.ts'
import { MICROS_PER_MS } from '../text/units.ts'
import { foldClientNames, readUserAgent, setSize } from './client.ts'
import { elementOf, elementsChain } from './elements-chain.ts'
import { NUMBERS, SNOWPLOW_FIELDS, SNOWPLOW_TABLES } from './snowplow/atomic-fields.ts'
import {
  describedBy,
  describeEntities,
  type Entities,
  entitiesOf,
  entityText,
  snake,
} from './snowplow/entities.ts'

/** What a tracker tells of the element that something was done to, by the event's name. */
interface Interaction {
  readonly action: 'click' | 'change' | 'submit'
  /** The element's tag, or the member that tells it. */
  readonly tag: string | { readonly member: string }
  /** Members, in snake case. */
  readonly id: string
  readonly classes: string
  readonly text?: string
  readonly href?: string
  /** What must not go out: somebody typed it. */
  readonly drop?: string
}

const INTERACTIONS: Readonly<Record<string, Interaction>> = {
  link_click: {
    action: 'click',
    tag: 'a',
    id: 'element_id',
    classes: 'element_classes',
    text: 'element_content',
    href: 'target_url',
  },
  button_click: { action: 'click', tag: 'button', id: 'id', classes: 'classes', text: 'label' },
  submit_form: { action: 'submit', tag: 'form', id: 'form_id', classes: 'form_classes' },
  change_form: {
    action: 'change',
    tag: { member: 'node_name' },
    id: 'element_id',
    classes: 'element_classes',
    drop: 'value',
  },
}

/** Gives a click, change or submit the element that the service's own autocapture would have told. */
function describeInteraction(event: string, data: string, draft: Draft): void {
  const kind = ownOf(INTERACTIONS, event)
  if (!kind) return
  const told = new Map(members(data).map(([name, json]) => [snake(name), json]))
  const text = (name: string | undefined) => (name === undefined ? undefined : textIn(told.get(name)))
  const [id, href] = [text(kind.id), text(kind.href)]
  const tag = typeof kind.tag === 'string' ? kind.tag : (text(kind.tag.member) ?? 'input').toLowerCase()
  const content = text(kind.text)
  draft.text('$event_type', kind.action)
  draft.property('$ce_version', '1')
  draft.text('$el_text', content)
  const classes = elements(told.get(kind.classes) ?? '').flatMap((one) => textIn(one) ?? [])
  draft.text('$elements_chain', elementsChain([elementOf({ tag, id, href, classes, text: content })]))
}

function textIn(json: string | undefined): string | undefined {
  return json?.startsWith('"') && json !== '""' ? (JSON.parse(json) as string) : undefined
}

const NAMESPACE = '706f7374-6861-756c-5f73-6e6f77706c6f' // the 16 bytes "posthaul_snowplo"

/** Switches: heartbeats of open pages, and what the IAB's list calls a robot. */
const KEEP_PAGE_PINGS = 'keep-page-pings'
const DROP_BOTS = 'drop-bots'

/** Events that say no more than the ones around them. */
const NOISE = new Set(['focus_form', 'screen_end'])
/** The collector's cookie of somebody who asked for none. */
const NOBODY = /^[0-]*$/
/** A number as JSON writes it. */
const NUMERIC = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const CLICK_IDS: Readonly<Record<string, string>> = {
  Google: 'gclid',
  Microsoft: 'msclkid',
  DoubleClick: 'dclid',
  Facebook: 'fbclid',
}

/**
 * The event of the tracker's plugin for web vitals (iglu:com.snowplowanalytics.snowplow/web_vitals/jsonschema/1-0-0), and the
 * names that the service's library has for four of its members. It measures no more, so the others keep theirs.
 */
const VITALS = { event: 'web_vitals', vendor: 'com.snowplowanalytics.snowplow' } as const
const VITALS_NAMES: ReadonlyMap<string, string> = new Map(
  ['lcp', 'inp', 'cls', 'fcp'].map((name) => [name, `$web_vitals_${name.toUpperCase()}_value`]),
)

/** Snowplow's enriched events: the TSV of its loaders, and rows of a warehouse's `atomic.events`. */
export const snowplow: Preset = {
  vendor: 'snowplow',
  rules: 2,
  ids: ['user_id', 'domain_userid', 'network_userid'],
  fields: SNOWPLOW_FIELDS,
  unpack: [
    'contexts',
    'derived_contexts',
    'unstruct_event',
    ...Object.keys(SNOWPLOW_FIELDS).filter((name) => /^contexts_.*\d$/.test(name)),
  ],
  recognises: [
    ['event_id', 'collector_tstamp', 'event', 'event_name', 'event_vendor'],
    ['event_id', 'collector_tstamp', 'event', 'v_tracker'],
  ],
  sideTables: SNOWPLOW_TABLES,
  events: {
    page_view: '$pageview',
    screen_view: '$screen',
    application_install: 'Application Installed',
    application_background: 'Application Backgrounded',
    application_foreground: 'Application Opened',
    ...Object.fromEntries(Object.keys(INTERACTIONS).map((name) => [name, '$autocapture'])),
  },
  empty: [],
  switches: {
    [KEEP_PAGE_PINGS]: 'keeps page_ping, the heartbeat of open pages, as events',
    [DROP_BOTS]: 'leaves out events whose spiders_and_robots entity says spiderOrRobot',
  },
  eventName,
  uuid,
  distinctId: (record) => record.text('user_id') ?? cookieOf(record) ?? networkOf(record),
  anonymousId: cookieOf,
  timestamp,
  perform,
}

function eventName(record: RecordView): string | undefined {
  const name = record.text('event_name')
  if (record.text('event') === 'struct') return record.text('se_action') ?? 'struct'
  return name ?? describedBy(selfDescribing(record))?.name ?? record.text('event')
}

/** The event inside `unstruct_event`, with its schema; '' where there is none. */
function selfDescribing(record: RecordView): string {
  if (record.object('unstruct_event') === undefined) return ''
  return record.entries('unstruct_event').find(([name]) => name === 'data')?.[1] ?? ''
}

/** The id is the event's own, but for those that came after another event with the same id. */
function uuid(record: RecordView): string | undefined {
  const id = record.text('event_id')
  if (id === undefined) throw new Rejection('event_id_missing', 'event_id is missing')
  const fingerprint = record.text('fingerprint')
  const first = record.text('first_fingerprint')
  // Asked for, so that it is not said to be left out: the first row was chosen by it.
  record.text('first_collected')
  if (first !== undefined && fingerprint !== undefined && first !== fingerprint)
    return uuidV5(NAMESPACE, JSON.stringify([id, fingerprint]))
  return canonicalUuid(id) ?? uuidV5(NAMESPACE, JSON.stringify([id]))
}

function cookieOf(record: RecordView): string | undefined {
  const own = record.text('domain_userid')
  if (own !== undefined) return own
  const id = entityText(entitiesOf(record), 'client_session', 'user_id')
  return id === undefined || isNobody(id) ? undefined : id
}

function networkOf(record: RecordView): string | undefined {
  const id = record.text('network_userid')
  return id === undefined || NOBODY.test(id) ? undefined : id
}

/** The tracker's own statement, else the time that the pipeline corrected, else that of its arrival. */
function timestamp(record: RecordView, { sourceTimezone }: PresetOptions): number {
  const text = record.text('true_tstamp') ?? record.text('derived_tstamp') ?? record.text('collector_tstamp')
  if (text === undefined) throw new Rejection('timestamp_missing', 'derived_tstamp is missing')
  return parseTime(text, sourceTimezone)
}

function perform(record: RecordView, draft: Draft, { switches }: PresetOptions): void {
  const event = eventName(record) ?? ''
  if (record.text('event') === 'page_ping' && !switches.has(KEEP_PAGE_PINGS)) throw new Filtered('page_ping')
  if (NOISE.has(event)) throw new Filtered(event)
  const first = record.text('first_delivery')
  if (first !== undefined && first < (record.text('collector_tstamp') ?? first))
    throw new Filtered('delivered_again')
  const entities = entitiesOf(record)
  if (switches.has(DROP_BOTS) && entityText(entities, 'spiders_and_robots', 'spider_or_robot') === 'true')
    throw new Filtered('bot')
  writeNumbers(record, draft)
  describeSelf(record, draft, event)
  describeClient(entities, draft)
  describeEntities(entities, draft)
  const vendor = record.text('event_vendor')
  if (
    vendor !== undefined &&
    !vendor.startsWith('com.snowplowanalytics.') &&
    vendor !== 'com.google.analytics'
  )
    draft.copy('$snowplow_vendor', 'event_vendor')
  setClickId(record, draft)
  setSession(record, draft, entities)
  readUserAgent(draft)
  foldClientNames(draft, 'snowplow')
}

/** The members of a self-describing event are properties, whichever column they come in. */
function describeSelf(record: RecordView, draft: Draft, event: string): void {
  const nested = describedBy(selfDescribing(record))?.data
  const column = record.json('self_describing')
  const opened = column?.startsWith('"') ? (JSON.parse(column) as string).trim() : column
  const data = nested ?? opened
  if (data === undefined || !data.startsWith('{') || !isJson(data)) {
    if (column !== undefined && record.kind('self_describing') !== KIND.null)
      draft.copy('$snowplow_data', 'self_describing')
    return
  }
  describeInteraction(event, data, draft)
  const drop = ownOf(INTERACTIONS, event)?.drop
  const isVitals = event === VITALS.event && record.text('event_vendor') === VITALS.vendor
  if (isVitals) draft.event = '$web_vitals'
  for (const [member, json] of members(data)) {
    const name = (isVitals && VITALS_NAMES.get(member)) || member
    if (name === drop) draft.leaveOut(`${name} of ${event}`)
    else draft.property(name, json, `$snowplow_${name}`)
  }
  if (event !== 'screen_view') return
  const screen = members(data).find(([name]) => name === 'name')?.[1]
  if (screen !== undefined) draft.property('$screen_name', screen)
}

/** What the sizes and networks of entities are to the service. */
function describeClient(entities: Entities, draft: Draft): void {
  for (const [member, name] of [
    ['viewport', '$viewport'],
    ['resolution', '$screen'],
  ] as const)
    if (!draft.has(`${name}_width`)) setSize(draft, entityText(entities, 'browser_context', member), name)
  const network = entityText(entities, 'mobile_context', 'network_type')
  if (network !== undefined) draft.property('$network_wifi', String(network === 'wifi'))
}

function writeNumbers(record: RecordView, draft: Draft): void {
  for (const [column, name] of Object.entries(NUMBERS)) {
    const text = record.text(column)
    if (text !== undefined) draft.property(name, NUMERIC.test(text) ? text : JSON.stringify(text))
  }
}

function setClickId(record: RecordView, draft: Draft): void {
  const network = record.text('mkt_network')
  const name = ownOf(CLICK_IDS, network ?? '')
  if (name !== undefined && !draft.has(name)) draft.copy(name, 'mkt_clickid')
}

/** A mobile session says when it began; of one on the web the earliest event does. */
function setSession(record: RecordView, draft: Draft, entities: Entities): void {
  const web = record.text('domain_sessionid')
  const mobile = (member: string) => entityText(entities, 'client_session', member)
  const id = web ?? mobile('session_id')
  const began = web === undefined ? mobile('first_event_timestamp') : sessionBegan(record)
  if (id === undefined || began === undefined) return
  const start = timeOrNone(began)
  if (start === undefined) draft.unusable('the start of a session is no time')
  else {
    const owner = cookieOf(record) ?? draft.distinctId
    draft.session({ id, owner, start: Math.floor(start / MICROS_PER_MS) })
  }
}

/** The time of a session's earliest row, the best that it has. */
function sessionBegan(record: RecordView): string | undefined {
  const [stated, derived, collected] = ['session_true', 'session_derived', 'session_collector'].map((slot) =>
    record.text(slot),
  )
  return stated ?? derived ?? collected
}
