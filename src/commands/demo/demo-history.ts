import { seededRandom } from '../../sandbox/faults/dice.ts'
import { SECONDS_PER_DAY } from '../../text/units.ts'

const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789']

/** What is drawn: the same seed gives the same history on every machine. */
function randomOf(seed: number) {
  const next = seededRandom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!
  return {
    pick,
    /** A whole number from `least` to `most`, both included. */
    between: (least: number, most: number) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability: number) => next() < probability,
    token: (length: number) => Array.from({ length }, () => pick(LETTERS)).join(''),
  }
}

type Random = ReturnType<typeof randomOf>

const FIRST_SECOND = Date.UTC(2024, 2, 1) / 1000
const DAYS = 30

const PLACES = [
  { $city: 'Vienna', $region: 'Vienna', mp_country_code: 'AT' },
  { $city: 'Lyon', $region: 'Auvergne-Rhône-Alpes', mp_country_code: 'FR' },
  { $city: 'Portland', $region: 'Oregon', mp_country_code: 'US' },
  { $city: 'São Paulo', $region: 'São Paulo', mp_country_code: 'BR' },
  { $city: 'Osaka', $region: 'Ōsaka', mp_country_code: 'JP' },
]
const BROWSERS = [
  { $browser: 'Chrome', $browser_version: 122, $os: 'Windows' },
  { $browser: 'Safari', $browser_version: 17.3, $os: 'Mac OS X' },
  { $browser: 'Firefox', $browser_version: 123, $os: 'Linux' },
  { $browser: 'Mobile Safari', $browser_version: 17.3, $os: 'iOS' },
]
const COMPANIES = ['acme', 'globex', 'initech', 'umbrella', 'hooli', 'stark', 'wayne', 'wonka']
const INDUSTRIES = ['retail', 'mining', 'software']
const PAGES = ['/', '/pricing', '/docs', '/blog/why-history-matters', '/signup', '/app', '/app/reports']
const SEARCHES = [
  '',
  '',
  '',
  '?utm_source=newsletter&utm_medium=email&utm_campaign=spring',
  '?utm_source=ads',
]
const ACTIONS = ['Report Created', 'Report Shared', 'Invite Sent', 'Plan Changed', 'Export Started']

/**
 * A made-up company's history as Mixpanel exports it: about `count` lines over 30 days, oldest first, with anonymous
 * visits, sign-ups, companies with their profiles, a few events twice, and a few broken lines. A function of the seed.
 */
export function makeHistory(count: number, seed = 1): string[] {
  const random = randomOf(seed)
  const visitors = Array.from({ length: Math.ceil(count / 25) }, (_, index) => makeVisitor(index, random))
  const span = DAYS * SECONDS_PER_DAY
  const lines = COMPANIES.map((name, index) => JSON.stringify(makeCompany(name, index)))
  for (let i = 0; i < count; i++) {
    const second = FIRST_SECOND + Math.floor((i * span) / count)
    lines.push(JSON.stringify(makeEvent(random.pick(visitors), second, random)))
    // Mixpanel's exports repeat events that its libraries sent twice.
    if (random.chance(0.002)) lines.push(lines.at(-1)!)
  }
  return withBrokenLines(lines, random)
}

/** A group's profile. It comes before the events that name the group: a group type exists from its first event on. */
function makeCompany(key: string, index: number): object {
  return {
    $distinct_id: key,
    $properties: {
      $name: `${key[0]!.toUpperCase()}${key.slice(1)} Ltd`,
      industry: INDUSTRIES[index % INDUSTRIES.length],
      seats: 10 + ((index * 37) % 90),
    },
    $exported_at: new Date(FIRST_SECOND * 1000).toISOString(),
    $group_type: 'company',
  }
}

function makeVisitor(index: number, random: Random) {
  return {
    device: `${random.token(8)}-${random.token(12)}`.toLowerCase(),
    user: `user-${1000 + index}`,
    company: random.pick(COMPANIES),
    place: random.pick(PLACES),
    browser: random.pick(BROWSERS),
    /** Second of the visit in which the visitor becomes known. */
    signsUpAt: FIRST_SECOND + random.between(0, DAYS * SECONDS_PER_DAY),
  }
}

function makeEvent(visitor: ReturnType<typeof makeVisitor>, second: number, random: Random): object {
  const known = second >= visitor.signsUpAt
  const path = random.pick(PAGES)
  const isView = !known || random.chance(0.6)
  const event = isView ? '$mp_web_page_view' : random.pick(ACTIONS)
  return {
    event,
    properties: {
      time: second,
      distinct_id: known ? visitor.user : `$device:${visitor.device}`,
      $device_id: visitor.device,
      ...(known && { $user_id: visitor.user, company: visitor.company }),
      $insert_id: random.token(16),
      ...visitor.browser,
      ...visitor.place,
      $current_url: `https://www.example.com${path}${random.pick(SEARCHES)}`,
      $screen_height: 1117,
      $screen_width: 1728,
      mp_lib: 'web',
      $lib_version: '2.49.0',
      ...(isView
        ? {
            current_page_title: `Example | ${path}`,
            current_domain: 'www.example.com',
            current_url_path: path,
          }
        : { seats: random.between(1, 40), amount: random.between(100, 99_999) / 100 }),
      $mp_api_endpoint: 'api-js.mixpanel.com',
      mp_processing_time_ms: second * 1000 + random.between(100, 4000),
    },
  }
}

/** Adds what an export of several years contains: torn lines, an event without a user or a name, a wrong time. */
function withBrokenLines(lines: readonly string[], random: Random): string[] {
  const broken = [
    '{"event":"$mp_web_page_view","properties":{"time":17095',
    'terminated early',
    '{"event":"Report Created","properties":{"time":1709600000,"$insert_id":"nobody0000000001"}}',
    '{"event":"","properties":{"time":1709600001,"distinct_id":"user-1001","$insert_id":"noname0000000001"}}',
    '{"event":"Report Shared","properties":{"time":"yesterday","distinct_id":"user-1002","$insert_id":"notime01"}}',
  ]
  const all = [...lines]
  for (const line of broken) all.splice(random.between(1, all.length - 1), 0, line)
  return all
}
