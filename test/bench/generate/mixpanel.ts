import type { Random } from './random.ts'
import { visitorAt } from './visitor.ts'

const PAGES = ['/', '/pricing', '/docs', '/blog/history', '/signup', '/app', '/app/reports']
const ACTIONS = ['Report Created', 'Report Shared', 'Invite Sent', 'Plan Changed', 'Export Started']
const SEARCHES = ['', '', '', '?utm_source=newsletter&utm_medium=email']

/** One line of a Mixpanel raw export: about 650 bytes, 23 properties. `millis` is when it happened. */
export function mixpanelRecord(index: number, millis: number, seed: number, random: Random): object {
  const { device, user, place, browser, known } = visitorAt(index, seed, random)
  const isKnown = random.next() < known
  const path = random.pick(PAGES)
  const seconds = Math.floor(millis / 1000)
  return {
    event: random.next() < 0.6 ? '$mp_web_page_view' : random.pick(ACTIONS),
    properties: {
      time: seconds,
      distinct_id: isKnown ? user : `$device:${device}`,
      $browser: browser[0],
      $browser_version: browser[1],
      $city: place[0],
      $current_url: `https://example.com${path}${random.pick(SEARCHES)}`,
      $device_id: device,
      $insert_id: random.hex(16),
      $lib_version: '2.49.0',
      $mp_event_size: 512,
      $os: browser[2],
      $region: place[1],
      $screen_height: 1117,
      $screen_width: 1728,
      ...(isKnown && { $user_id: user }),
      amount: random.below(1_000_000) / 100,
      current_domain: 'example.com',
      current_page_title: `Example | ${path}`,
      current_url_path: path,
      variant: random.below(4),
      mp_country_code: place[2],
      mp_lib: 'web',
      mp_processing_time_ms: seconds * 1000 + random.below(4000),
      seats: random.below(40),
    },
  }
}
