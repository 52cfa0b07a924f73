import {
  type Draft,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
  type Target,
} from '../mapping/preset.ts'
import { members, objectJson } from '../record/json-values.ts'
import { isNobody } from '../record/nobody.ts'
import { GROUP_EVENT } from '../record/rules.ts'
import { KIND } from '../record/tape.ts'
import { foldClientNames, readUserAgent } from './client.ts'
import { changeGroup, eventText, requiredTime } from './required.ts'

/** v5(nil, "PostHog"): the namespace in which the service's Segment destination makes uuids of messageIds since May 2024. */
export const MESSAGE_NAMESPACE = '671bc869-c8ec-5bcb-9bb5-8d788bd20513'

/** Also where a messageId is a UUID. */
export const MESSAGE_UUID = { slot: 'messageId', namespace: MESSAGE_NAMESPACE }

/** The fields of every call in Segment's event spec, which RudderStack follows too. */
const FIELDS: Readonly<Record<string, Target>> = {
  type: '@type',
  event: '@event',
  timestamp: '@timestamp',
  messageId: '@messageId',
  userId: '@userId',
  previousId: '@previousId',
  groupId: '@groupId',
  traits: '@traits',
  'traits.groupType': '@groupType',
  'traits.*': [],

  'properties.url': ['@url', 'url'],
  'properties.path': ['@path', 'path'],
  'properties.referrer': ['@referrer', 'referrer'],
  'properties.name': ['@name', 'name'],
  'properties.viewport_width': '$viewport_width',
  'properties.viewport_height': '$viewport_height',
  'properties.*': '*',

  'context.page.url': '$current_url',
  'context.page.path': '$pathname',
  'context.page.referrer': '$referrer',
  'context.page.title': 'title',
  'context.page.*': 'context_page_*',
  'context.ip': '$ip',
  'context.userAgent': '$raw_user_agent',
  'context.locale': '$locale',
  'context.timezone': '$timezone',
  'context.os.name': '$os',
  'context.os.version': '$os_version',
  'context.os.*': 'context_os_*',
  // device.type is "ios" or "android" here, which is not what the service means by $device_type.
  'context.device.id': '$device_id',
  'context.device.manufacturer': '$device_manufacturer',
  'context.device.model': '$device_model',
  'context.device.name': '$device_name',
  'context.device.*': 'context_device_*',
  'context.app.name': '$app_name',
  'context.app.version': '$app_version',
  'context.app.build': '$app_build',
  'context.app.namespace': '$app_namespace',
  'context.app.*': 'context_app_*',
  'context.network.carrier': '$network_carrier',
  'context.network.wifi': '$network_wifi',
  'context.network.bluetooth': '$network_bluetooth',
  'context.network.cellular': '$network_cellular',
  'context.network.*': 'context_network_*',
  'context.screen.width': '$screen_width',
  'context.screen.height': '$screen_height',
  'context.screen.*': 'context_screen_*',
  'context.campaign.source': 'utm_source',
  'context.campaign.medium': 'utm_medium',
  'context.campaign.term': 'utm_term',
  'context.campaign.content': 'utm_content',
  'context.campaign.name': 'utm_campaign',
  'context.campaign.*': 'utm_*',
  'context.library.*': 'context_library_*',
  'context.traits.*': 'set:*',
  'context.groupId': '@contextGroupId',
  'context.*': 'context_*',

  name: ['@callName', 'name'],
  // What the pipeline needed to carry the call: a key of the source, where the call was to go, what the library packed.
  writeKey: [],
  integrations: '@integrations',
  _metadata: [],
  '*': '*',
}

/** What the pipeline adds beside the call. It is kept under `$<vendor>_<name>`: bare it looks like the owner's property. */
const ENVELOPE = [
  'anonymousId',
  'version',
  'channel',
  'projectId',
  'sentAt',
  'receivedAt',
  'receivedAtMs',
  'originalTimestamp',
  'request_ip',
  'rudderId',
  'sourceId',
  'source_id',
  'destinationId',
  'destination_id',
]

/** Of those, what functions read besides. A device's own clock is the time of calls that never got a corrected one. */
const READ_TOO: Readonly<Record<string, readonly string[]>> = {
  anonymousId: ['@anonymousId'],
  originalTimestamp: ['@timestamp'],
}

interface SpecVendor extends Pick<Preset, 'vendor' | 'rules' | 'recognises' | 'groupType'> {
  /** What its names are kept under, where that is not the vendor: `segment` for `$segment_os`. */
  readonly label?: string
  readonly fields?: Preset['fields']
  perform?(record: RecordView, draft: Draft): void
}

/** The preset of a vendor whose records are calls of Segment's event spec. */
export function specPreset({ fields, perform, label, ...vendor }: SpecVendor): Preset {
  const names = label ?? vendor.vendor
  return {
    ...vendor,
    fields: { ...FIELDS, ...envelopeOf(names), ...fields },
    ids: ['userId', 'anonymousId'],
    events: {},
    empty: [],
    eventName,
    uuid: MESSAGE_UUID,
    distinctId: (record) => record.id('userId') ?? record.id('anonymousId'),
    anonymousId: (record) => record.id('anonymousId'),
    timestamp: (record, options) => requiredTime(record, 'timestamp', options.sourceTimezone),
    perform(record, draft, options) {
      CALLS.get(record.text('type'))?.(record, draft, options)
      const member = record.first('contextGroupId')
      if (member !== undefined) draft.group(options.groupType, member)
      perform?.(record, draft)
      readUserAgent(draft)
      foldClientNames(draft, names)
    },
  }
}

function eventName(record: RecordView): string | undefined {
  const type = record.text('type')
  switch (type) {
    case 'track':
      return eventText(record, 'event')
    case 'page':
      return '$pageview'
    case 'screen':
      return '$screen'
    case 'identify':
      return linksTwoIds(record) ? '$identify' : '$set'
    case 'group':
      return GROUP_EVENT
    case 'alias':
      return '$create_alias'
    case undefined:
      throw new Rejection('type_missing', 'type is missing: is this a call at all?')
    default:
      throw new Rejection('type_unknown', `no event is made of calls of type ${JSON.stringify(type)}`)
  }
}

/** An identify call without a user only sets traits: as `$identify` it would prevent the later link. */
function linksTwoIds(record: RecordView): boolean {
  const [user, anonymous] = [record.text('userId'), record.text('anonymousId')]
  return user !== undefined && anonymous !== undefined && user !== anonymous
}

function envelopeOf(vendor: string): Record<string, Target> {
  return Object.fromEntries(ENVELOPE.map((name) => [name, [...(READ_TOO[name] ?? []), `$${vendor}_${name}`]]))
}

const CALLS = new Map<string | undefined, (record: RecordView, draft: Draft, options: PresetOptions) => void>(
  [
    ['track', setTraits],
    ['identify', setTraits],
    ['page', viewPage],
    ['screen', viewScreen],
    ['group', describeGroup],
    ['alias', aliasUser],
  ],
)

/** Page calls repeat context.page in their properties; calls from servers have only the properties. */
function viewPage(record: RecordView, draft: Draft): void {
  setTraits(record, draft)
  for (const [slot, property] of Object.entries(PAGE_PROPERTIES)) {
    const value = record.text(slot)
    if (value !== undefined && !draft.has(property)) draft.text(property, value)
  }
}

const PAGE_PROPERTIES = { url: '$current_url', path: '$pathname', referrer: '$referrer' } as const

function viewScreen(record: RecordView, draft: Draft): void {
  setTraits(record, draft)
  const name = record.text('callName') ?? record.text('name') ?? record.text('event')
  if (name !== undefined && !draft.has('$screen_name')) draft.text('$screen_name', name)
}

function aliasUser(record: RecordView, draft: Draft): void {
  const previous = record.text('previousId')
  if (previous === undefined) throw new Rejection('previous_id_missing', 'alias without a previousId')
  if (isNobody(previous) || isNobody(draft.distinctId)) {
    throw new Rejection('junk_id', 'alias of an id that stands for nobody in particular')
  }
  draft.text('alias', previous)
}

function setTraits(record: RecordView, draft: Draft): void {
  for (const [name, json] of record.entries('traits')) draft.set(name, json)
}

/** The traits of a group call are the group's, not the user's. */
function describeGroup(record: RecordView, draft: Draft, { groupType }: PresetOptions): void {
  const key = record.first('groupId')
  if (key === undefined) throw new Rejection('group_key_missing', 'group call without a groupId')
  const [named, traits = '{}'] = [record.text('groupType'), record.object('traits')]
  // Without the trait that names the type.
  const own = () => objectJson(record.entries('traits').filter(([name]) => name !== 'groupType'))
  changeGroup(draft, named ?? groupType, key, named === undefined ? traits : own())
}

/** Segment's S3 logs and warehouse-bound files: gzipped JSON lines, one call a line. */
export const segment = specPreset({
  vendor: 'segment',
  rules: 2,
  // What the service's Segment destination calls the groups of its users.
  groupType: 'segment_group',
  recognises: [
    ['type', 'timestamp', 'messageId'],
    ['type', 'timestamp', 'anonymousId'],
    ['type', 'timestamp', 'userId'],
  ],
  perform: setAmplitudeSession,
})

/** The spec has no sessions. A call that is to go to Amplitude too says there when its session began, in milliseconds. */
function setAmplitudeSession(record: RecordView, draft: Draft): void {
  if (record.kind('integrations') !== KIND.object) return
  const amplitude = record.entries('integrations').find(([name]) => name === 'Actions Amplitude')?.[1]
  const id = members(amplitude ?? '')
    .find(([name]) => name === 'session_id')?.[1]
    .replaceAll('"', '')
  if (id === undefined || id === '-1' || id === 'null') return
  draft.session({ id, owner: record.text('anonymousId') ?? draft.distinctId, start: undefined })
}

/** RudderStack's object-storage dumps: Segment's spec, with the request's address and sessions besides. */
export const rudderstack = specPreset({
  vendor: 'rudderstack',
  rules: 2,
  groupType: 'company',
  // Segment's members, and one that only RudderStack adds.
  recognises: ['rudderId', 'request_ip', 'context.sessionId'].flatMap((own) => [
    ['type', 'messageId', 'timestamp', own],
    ['type', 'messageId', 'originalTimestamp', own],
  ]),
  fields: {
    // After context.ip in the table, so it serves where the SDK saw no address.
    request_ip: '$ip',
    'context.page.referring_domain': '$referring_domain',
    'context.sessionId': ['@sessionId', 'context_sessionId'],
  },
  perform: setSession,
})

/** The SDKs name a session by its start: milliseconds on the web, seconds on phones. Other ids are the app's own. */
export function setSession(record: RecordView, draft: Draft): void {
  const id = record.text('sessionId')
  if (id === undefined) return
  draft.session({ id, owner: record.text('anonymousId') ?? draft.distinctId, start: undefined })
}
