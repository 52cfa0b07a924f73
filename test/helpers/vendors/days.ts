import type { Reply } from './fake.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

/** The day that a zone's calendar shows at an instant (milliseconds since the epoch). */
export function dayIn(zone: string, instant: number): string {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' })
  formats.set(zone, format)
  return format.format(instant)
}

/** The days from one to another, both included. */
export function daysOf(from: string, to: string): string[] {
  const days: string[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000) {
    days.push(new Date(at).toISOString().slice(0, 10))
  }
  return days
}

export function jsonReply(value: unknown, status = 200): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}
