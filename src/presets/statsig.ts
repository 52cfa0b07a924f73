import {
  type Draft,
  Filtered,
  type Preset,
  type PresetOptions,
  type RecordView,
  type Target,
} from '../mapping/preset.ts'
import { canonicalJson } from '../record/json-values.ts'
import { isNobody } from '../record/nobody.ts'
import { textIn } from '../record/text.ts'
import { canonicalUuid, uuidV5 } from '../record/uuid.ts'
import { compareTexts } from '../text/words.ts'
import { foldClientNames, readUserAgent } from './client.ts'
import { eventText, requiredTime } from './required.ts'

/** The 16 ASCII bytes `posthaul_statsig`. */
const NAMESPACE = '706f7374-6861-756c-5f73-746174736967'

const KEEP_EXPOSURES = 'keep-exposures'
const EXPOSURE = /^statsig::(?:gate|config|layer)_exposure$/

/** Members of the user, who is under another name in a warehouse. */
function userFields(user: string): Record<string, Target> {
  return {
    [`${user}.userID`]: '@user',
    [`${user}.email`]: 'set:email',
    [`${user}.ip`]: '$ip',
    [`${user}.userAgent`]: '$raw_user_agent',
    [`${user}.country`]: '$geoip_country_code',
    [`${user}.locale`]: '$locale',
    [`${user}.appVersion`]: '$app_version',
    [`${user}.customIDs`]: ['@custom_ids', '$statsig_custom_ids'],
    [`${user}.statsigEnvironment`]: '$statsig_environment',
    [`${user}.custom.*`]: 'set:*',
    [`${user}.*`]: '$statsig_user_*',
  }
}

function metadataFields(metadata: string): Record<string, Target> {
  return {
    [metadata]: '@metadata',
    [`${metadata}.page_url`]: '$current_url',
    [`${metadata}.title`]: 'title',
    [`${metadata}.referrer`]: '$referrer',
    [`${metadata}.os`]: '$os',
    [`${metadata}.os_version`]: '$os_version',
    [`${metadata}.browser_name`]: '$browser',
    [`${metadata}.browser_version`]: '$browser_version',
    [`${metadata}.language`]: '$browser_language',
    [`${metadata}.country`]: '$geoip_country_code',
    [`${metadata}.device_type`]: '$device_type',
    [`${metadata}.deviceType`]: '$device_type',
    // A UUID of version 4, which tells no start: the service would ignore it as a session.
    [`${metadata}.sessionID`]: '$statsig_session_id',
    [`${metadata}.gate`]: ['@flag', 'gate'],
    [`${metadata}.config`]: ['@flag', 'config'],
    [`${metadata}.gateValue`]: ['@response', 'gateValue'],
    [`${metadata}.ruleID`]: ['@response', 'ruleID'],
    [`${metadata}.sdk_key`]: [],
    [`${metadata}.secondaryExposures`]: [],
    [`${metadata}.*`]: '*',
  }
}

/** The name of an event: a record that has one is no body of the webhook. */
const NAMES = ['eventName', 'event_name', 'name']

const EVENT: Readonly<Record<string, Target>> = {
  ...Object.fromEntries(NAMES.map((name) => [name, '@event'])),
  timestamp: '@time',
  time: '@time',
  timeUUID: ['@uuid', 'timeUUID'],
  user_id: '@user',
  stable_id: '@stable',
  'statsigMetadata.stableID': '@stable',
  'statsigMetadata.*': '$statsig_*',
  value: ['@value', 'value'],
  event_value: ['@value', 'value'],
  custom_ids: ['@custom_ids', '$statsig_custom_ids'],
  ...metadataFields('metadata'),
  ...metadataFields('event_metadata'),
  ...userFields('user'),
  ...userFields('user_object'),
  // Beside the user, whose own id comes first.
  userID: ['@user', 'userID'],
  '*': '*',
}

const UNPACK = ['custom_ids', 'user.customIDs', 'user_object.customIDs']

const BODY = 'data'

/**
 * Statsig: events as its webhook sends them (docs.statsig.com/integrations/event_webhook), one by one or as whole bodies
 * `{"data":[…]}`, and rows of its warehouse exports, read by name.
 */
export const statsig: Preset = {
  vendor: 'statsig',
  rules: 4,
  ids: ['user', 'stable'],
  explode: { member: BODY, unless: NAMES },
  empty: [],
  unpack: [...UNPACK, ...UNPACK.map((path) => `${BODY}.${path}`)],
  recognises: [
    ['eventName', 'user', 'timestamp', 'statsigMetadata'],
    ['eventName', 'user', 'timestamp', 'metadata'],
    ['eventName', 'user', 'timestamp', 'timeUUID'],
    ['eventName', 'userID', 'timestamp', 'statsigMetadata'],
    ['eventName', 'userID', 'timestamp', 'timeUUID'],
    ...['user', 'userID'].map((user) => ['eventName', user, 'timestamp'].map((name) => `${BODY}.0.${name}`)),
    ['event_name', 'stable_id', 'timestamp'],
    ['event_name', 'user_object', 'timestamp'],
  ],
  switches: {
    [KEEP_EXPOSURES]: 'send exposures of gates, configs and layers as $feature_flag_called',
  },
  events: {
    'auto_capture::page_view': '$pageview',
    'auto_capture::page_view_end': '$pageleave',
    'auto_capture::click': '$autocapture',
    'statsig::gate_exposure': '$feature_flag_called',
    'statsig::config_exposure': '$feature_flag_called',
    'statsig::layer_exposure': '$feature_flag_called',
  },

  fields: {
    ...EVENT,
    '(child)': '@child',
    ...Object.fromEntries(Object.entries(EVENT).map(([path, target]) => [`${BODY}.${path}`, target])),
  },

  eventName: (record) => eventText(record, 'event'),
  uuid,
  distinctId: (record) => record.text('user') ?? stableId(record),
  anonymousId: (record) => (record.text('user') === undefined ? undefined : stableId(record)),
  timestamp: (record, { sourceTimezone }) => requiredTime(record, 'time', sourceTimezone),
  perform,
}

function stableId(record: RecordView): string | undefined {
  // Most rows have it in both places: asked for first, so that it counts as used.
  const beside = record.text('stable')
  const custom = record.entries('custom_ids').find(([name]) => name === 'stableID' || name === 'stable_id')
  const json = custom?.[1]
  const own = json === undefined ? undefined : textIn(json)
  return own !== undefined && !isNobody(own) ? own : beside
}

/**
 * The webhook's id of the event. Rows of a warehouse have none: what tells them apart is all that was logged. The time counts, not
 * how it is written: a warehouse and a file of its rows write it in their own ways.
 */
function uuid(record: RecordView, { sourceTimezone }: PresetOptions): string | undefined {
  const id = record.text('uuid')
  const own = canonicalUuid(id ?? '')
  if (own !== undefined) return own
  const parts = [record.text('event'), record.text('user'), stableId(record)]
  // By name: another export of the row may have them in another order.
  const logged = record
    .entries('metadata')
    .map(([name, json]) => [name, canonicalJson(json)] as const)
    .sort(([a], [b]) => compareTexts(a, b))
  const time = String(requiredTime(record, 'time', sourceTimezone))
  const text = [...parts, time, record.text('value')].map((part) => part ?? '')
  return uuidV5(NAMESPACE, JSON.stringify([...text, logged, ...(id === undefined ? [] : [id])]))
}

function perform(record: RecordView, draft: Draft, { switches }: PresetOptions): void {
  const source = record.text('event') ?? ''
  if (source === 'statsig::config_change') throw new Filtered('no_user_event')
  if (EXPOSURE.test(source)) {
    if (!switches.has(KEEP_EXPOSURES)) throw new Filtered('exposure')
    draft.copy('$feature_flag', 'flag')
    draft.copy('$feature_flag_response', 'response')
  }
  // The value of a page view is its address.
  if (source === 'auto_capture::page_view' && !draft.has('$current_url')) draft.copy('$current_url', 'value')
  readUserAgent(draft)
  foldClientNames(draft, 'statsig')
}
