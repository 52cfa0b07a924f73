import type { Random } from './random.ts'
import { visitorAt } from './visitor.ts'

const PAGES = ['/', '/pricing', '/docs', '/blog/why-history-matters', '/signup', '/app', '/app/reports']
const ACTIONS = ['Report Created', 'Report Shared', 'Invite Sent', 'Plan Changed', 'Export Started']

/** One line of an Amplitude export: about 1.6 kB. Most of its fields are null, or internal to Amplitude. */
export function amplitudeRecord(index: number, millis: number, seed: number, random: Random): object {
  const { device, user, place, browser, known } = visitorAt(index, seed, random)
  const path = random.pick(PAGES)
  const time = (later: number) => new Date(millis + later).toISOString().replace('T', ' ').replace('Z', '000')
  return {
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
    user_id: random.next() < known ? user : null,
    user_properties: { initial_referrer: 'EMPTY', initial_utm_source: 'newsletter', plan: 'team' },
    uuid: random.uuid(),
    version_name: null,
  }
}
