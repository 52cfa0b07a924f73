import { seeded } from './random.ts'

const DAY = 86_400_000

export interface HistoryOptions {
  readonly seed: number
  /** About so many bytes of records. */
  readonly bytes: number
  readonly days: number
  /** How many people there are. There are about as many anonymous ids. */
  readonly people: number
  /** Share of lines that can't become events. */
  readonly broken?: number
  /** The longest text in a record. */
  readonly longest?: number
}

/**
 * An Amplitude-shaped history as NDJSON, piece by piece: visits before and after logins, groups whose properties
 * change, records sent twice, records without an id, broken lines. The order is roughly that of time, as in exports. A
 * few days have most of the records.
 */
export function* history({
  seed,
  bytes,
  days,
  people,
  broken = 0.01,
  longest = 200,
}: HistoryOptions): Generator<string> {
  const random = seeded(seed)
  const pick = (n: number) => Math.floor(random() * n)
  const start = Date.UTC(2024, 0, 1)
  let [written, n] = [0, 0]
  let last = ''
  while (written < bytes) {
    const lines: string[] = []
    for (let i = 0; i < 500; i++, n++) {
      const progress = Math.min(1, written / bytes)
      // Three busy days, and late arrivals from anywhere.
      const day =
        random() < 0.1 ? pick(days) : random() < 0.5 ? Math.floor(progress * 3) : Math.floor(progress * days)
      const time = new Date(start + Math.min(day, days - 1) * DAY + pick(DAY)).toISOString()
      const person = pick(people)
      const company = person % 50
      if (random() < broken) lines.push(BROKEN[pick(BROKEN.length)]!)
      else if (random() < 0.02 && last !== '') lines.push(last)
      else {
        last = JSON.stringify({
          event_type: EVENTS[pick(EVENTS.length)],
          event_time: `${time.slice(0, 19).replace('T', ' ')}.${String(pick(1_000_000)).padStart(6, '0')}`,
          ...(random() < 0.7 && { user_id: `user-${person}` }),
          device_id: `device-${person}-${pick(2)}`,
          ...(random() < 0.8 && { uuid: uuidOf(n, seed) }),
          session_id: start + person,
          groups: { company: [`company ${company}`] },
          group_properties: {
            company: { [`company ${company}`]: { plan: day % 3, name: `Company é${company}` } },
          },
          event_properties: { n, text: 'x'.repeat(pick(longest)), big: 12345678901234567000 },
          platform: 'Web',
        })
        lines.push(last)
      }
    }
    const text = `${lines.join('\n')}\n`
    written += text.length
    yield text
  }
}

const EVENTS = ['Order Placed', '[Amplitude] Page Viewed', 'Search', '__proto__', 'é"vent']

const BROKEN = [
  '{"event_type":"cut',
  '{"event_type":5,"user_id":"u"}',
  '{"event_type":"E","device_id":"d","event_time":"25:61"}',
  '[]',
]

function uuidOf(n: number, seed: number): string {
  return `${n.toString(16).padStart(8, '0')}-304d-11e6-934f-${(seed % 2 ** 40).toString(16).padStart(12, '0')}`
}
