import { childPlace } from '../mapping/explode.ts'
import {
  type Draft,
  Filtered,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
} from '../mapping/preset.ts'
import { KIND } from '../record/tape.ts'
import { uuidV5 } from '../record/uuid.ts'
import { MICROS_PER_SECOND } from '../text/units.ts'
import { foldClientNames, setSize } from './client.ts'
import { VISIT_FIELDS } from './matomo/visit-fields.ts'
import { exported, siblings, timestamp } from './matomo/wall-clock.ts'

const NAMESPACE = '706f7374-6861-756c-5f6d-61746f6d6f5f' // the 16 bytes "posthaul_matomo_"

const KEEP_GOALS = 'keep-goals'
const EVENT_CATEGORIES = 'event-categories'

/** Kinds of action and the names of their events; a kind of a plugin keeps its own. */
const NAMES = new Map([
  ['action', '$pageview'],
  ['search', 'site search'],
  ['outlink', 'outlink click'],
  ['download', 'file download'],
])

/** Matomo: visits of Live.getLastVisitsDetails, an event for each action; rows of its database in the same form. */
export const matomo: Preset = {
  vendor: 'matomo',
  rules: 1,
  ids: ['userId', 'visitorId'],
  readsBaseUrl: true,
  explode: { member: 'actionDetails', siblings },
  fields: VISIT_FIELDS,
  recognises: [['idSite', 'idVisit', 'visitorId', 'actionDetails']],
  events: {},
  empty: ['Unknown', 'unknown', 'UNK', 'unk', 'xx', 'Keyword not defined'],
  switches: {
    [KEEP_GOALS]: 'keep goals, each of which repeats another action, as "goal: <name>"',
    [EVENT_CATEGORIES]: 'name events "<category> - <action>" in place of "<action>"',
  },
  eventName,
  uuid,
  distinctId,
  anonymousId: (record) => record.id('visitorId'),
  timestamp,
  perform,
}

function eventName(record: RecordView, options: PresetOptions): string | undefined {
  const type = record.text('type')
  if (type === undefined) {
    throw new Rejection(
      'type_missing',
      'the record has no actionDetails with a type: it is no visit of Matomo',
    )
  }
  if (type === 'event') {
    const [category, action] = [record.text('eventCategory'), record.text('eventAction')]
    return options.switches.has(EVENT_CATEGORIES) && category !== undefined
      ? `${category} - ${action}`
      : action
  }
  if (type === 'content')
    return record.text('contentInteraction') === undefined ? 'content impression' : 'content interaction'
  if (type === 'goal') return `goal: ${record.text('goalName') ?? record.text('goalId') ?? ''}`
  return NAMES.get(type) ?? type
}

function distinctId(record: RecordView): string | undefined {
  if (record.kind('visitorId') === KIND.false) {
    throw new Rejection(
      'token_anonymous',
      'visitorId is false: the token of the export may not see visitors; export with one that has view access',
    )
  }
  return userId(record) ?? record.text('visitorId')
}

function userId(record: RecordView): string | undefined {
  return record.kind('userId') === KIND.false ? undefined : record.text('userId')
}

/** Every action has a row of its own in Matomo's tables, whose number is the key; goals and orders are told by others. */
function uuid(record: RecordView, options: PresetOptions): string | undefined {
  const [site, visit] = [Number(record.text('idSite')), Number(record.text('idVisit'))]
  const key = keyOf(record, options)
  if (key === undefined || !Number.isSafeInteger(site) || !Number.isSafeInteger(visit)) return undefined
  const base = baseUrl(record, options) ?? ''
  return uuidV5(NAMESPACE, JSON.stringify([base, site, visit, record.text('type'), key]))
}

function keyOf(record: RecordView, options: PresetOptions): string | undefined {
  switch (record.text('type')) {
    case 'goal':
      return `goal:${record.text('goalId') ?? ''}:${record.text('goalPageId') ?? ''}`
    case 'ecommerceOrder':
      return `order:${record.text('orderId') ?? ''}`
    case 'ecommerceAbandonedCart':
      // In UTC, so that rows of the database give the same.
      return `cart:${timestamp(record, options) / MICROS_PER_SECOND}`
    default:
      return record.text('pageId')
  }
}

function baseUrl(record: RecordView, options: PresetOptions): string | undefined {
  return options.baseUrl ?? exported(record, 'base_url')
}

function perform(record: RecordView, draft: Draft, options: PresetOptions): void {
  const type = record.text('type')
  if (childPlace(record)?.number === 1) tellOfVisit(record, draft, options)
  if (type === 'goal' && !options.switches.has(KEEP_GOALS)) throw new Filtered('goal')
  setAddress(record, draft, type)
  setReferrer(record, draft)
  setSize(draft, record.text('resolution'), '$screen')
  const variables = record.json('customVariables')
  if (variables !== undefined && !/^(?:\[\s*\]|null|"")$/.test(variables))
    draft.copy('customVariables', 'customVariables')
  const country = record.text('countryCode')
  if (country !== undefined && country !== 'xx') draft.text('$geoip_country_code', country.toUpperCase())
  const start = Number(record.text('firstAction'))
  const visit = record.text('idVisit')
  if (visit !== undefined && start > 0) {
    draft.session({ id: visit, owner: record.text('visitorId') ?? draft.distinctId, start: start * 1000 })
  }
  foldClientNames(draft, 'matomo')
}

/** Once a visit. */
function tellOfVisit(record: RecordView, draft: Draft, options: PresetOptions): void {
  const lost = record.text('truncated')
  if (lost !== undefined && lost !== '0') {
    draft.unusable(
      'truncatedActionsCount: visits of which Matomo left actions out; raise visitor_log_maximum_actions_per_visit in its config and export them again',
    )
  }
  if (baseUrl(record, options) === undefined) {
    draft.unusable(
      'base_url: visits whose ids are made without it; name it in a mapping file, or ids of two Matomos can be the same',
    )
  }
}

/** A link's own address is where it led to; the page that it was on is a sibling's. */
function setAddress(record: RecordView, draft: Draft, type: string | undefined): void {
  const page = childPlace(record)?.page
  if (type === 'outlink' || type === 'download') {
    draft.copy(type === 'outlink' ? '$external_click_url' : 'url', 'url')
    if (typeof page === 'string') draft.text('$current_url', page)
  } else draft.copy('$current_url', 'url')
}

function setReferrer(record: RecordView, draft: Draft): void {
  const type = record.text('referrerType')
  if (type === 'direct') draft.text('$referrer', '$direct')
  if (type !== 'campaign') return
  const url = record.text('url') ?? ''
  for (const [name, slot] of CAMPAIGN) {
    const value = record.text(slot)
    // What the page's own address says is nearer to the event.
    if (value !== undefined && !url.includes(`${name}=`)) draft.text(name, value)
  }
}

const CAMPAIGN = [
  ['utm_campaign', 'referrerName'],
  ['utm_term', 'referrerKeyword'],
] as const
