import type { Random } from './random.ts'
import { ofKind, type Shape } from './shape.ts'
import { visitorAt } from './visitor.ts'

const PAGES = ['/', '/pricing', '/docs', '/blog/why-history-matters', '/signup', '/app', '/app/reports']
const ACTIONS = ['Report Created', 'Report Shared', 'Invite Sent', 'Plan Changed', 'Export Started']

/** What is null in an event that a server sent. */
const WEB = ['device_family', 'device_id', 'device_model', 'device_type', 'language', 'os_name', 'os_version']
/** What a record may have null, in an order of its own. */
const OPTIONAL = [
  'city',
  'country',
  'region',
  'language',
  'os_version',
  'ip_address',
  'platform',
  'device_type',
]

/**
 * One line of an Amplitude export: about 1.6 kB. Most of its fields are null, or internal to Amplitude. A shape that is
 * given says which of them, and what the product's own are.
 */
export function amplitudeRecord(
  index: number,
  millis: number,
  seed: number,
  random: Random,
  shape?: Shape,
): object {
  const { device, user, place, browser, known } = visitorAt(index, seed, random)
  const path = random.pick(PAGES)
  const time = (later: number) => new Date(millis + later).toISOString().replace('T', ' ').replace('Z', '000')
  const record = {
    $insert_id: random.uuid(),
    $schema: null,
    amplitude_id: 500_000_000_000 + index,
    app: 401_733,
    city: place[0],
    client_event_time: time(0),
    client_upload_time: time(1200),
    country: place[3],
    data: {},
    data_type: 'event',
    device_brand: null,
    device_carrier: null,
    device_family: browser[2],
    device_id: device,
    device_manufacturer: null,
    device_model: browser[2],
    device_type: browser[2],
    dma: null,
    event_id: random.below(100_000),
    event_properties: {
      '[Amplitude] Page Location': `https://example.com${path}?ref=${random.hex(8)}`,
      '[Amplitude] Page Path': path,
      '[Amplitude] Page Title': `Example | ${path}`,
      '[Amplitude] Page Domain': 'example.com',
      referrer: 'https://news.example.org/today',
      amount: random.below(1_000_000) / 100,
      seats: random.below(40),
    },
    event_time: time(0),
    event_type: random.next() < 0.6 ? '[Amplitude] Page Viewed' : random.pick(ACTIONS),
    global_user_properties: {},
    group_properties: {},
    groups: {},
    idfa: null,
    ip_address: `192.0.2.${random.below(256)}`,
    language: 'English',
    library: 'amplitude-ts/2.3.1',
    location_lat: null,
    location_lng: null,
    os_name: browser[0],
    os_version: String(browser[1]),
    paying: null,
    plan: {},
    platform: 'Web',
    processed_time: time(3100),
    region: place[1],
    server_received_time: time(1400),
    server_upload_time: time(1500),
    session_id: millis - (millis % 1_800_000),
    user_creation_time: time(-86_400_000),
    user_id: (shape?.known ?? random.next() < known) ? user : null,
    user_properties: { initial_referrer: 'EMPTY', initial_utm_source: 'newsletter', plan: 'team' },
    uuid: random.uuid(),
    version_name: null,
  }
  return shape === undefined ? record : shaped(record, shape, random)
}

interface Fields extends Record<string, unknown> {
  event_type: string
  event_properties: Record<string, unknown>
  user_properties: Record<string, unknown>
}

function shaped(record: Fields, shape: Shape, random: Random): object {
  const lacking = OPTIONAL.filter((_, place) => shape.lacks(place))
  for (const name of shape.web ? lacking : [...WEB, ...lacking]) record[name] = null
  const own = Object.keys(record.event_properties)
  own.forEach((name, place) => {
    if (!shape.web || shape.lacks(OPTIONAL.length + place)) delete record.event_properties[name]
  })
  shape.own.forEach(({ name, kind }, place) => {
    const properties = place % 4 === 3 ? record.user_properties : record.event_properties
    properties[name] = ofKind(kind, random)
  })
  // One product in some keeps groups.
  if (shape.lacks(20)) record.groups = { company: [`company-${random.below(500)}`] }
  if (shape.event !== undefined) record.event_type = shape.event
  return record
}
