import { APART_EVENT } from '../record/index.ts'

/** The quotas of the service: each of these kinds of event has its own. */
export const METERS = ['events', 'exceptions', 'surveys', 'ai'] as const
export type Meter = (typeof METERS)[number]

/** The meters in the user's words. */
export const METER_WORDS: Readonly<Record<Meter, string>> = {
  events: 'of the events',
  exceptions: 'of the $exception events',
  surveys: 'of the survey events',
  ai: 'of the $ai_ events',
}

const SURVEYS = /^survey (?:sent|shown|dismissed)$/

/** The meter that an event counts on. Undefined for events that a query of `events` may not find, though they arrived. */
export function meterOf(event: string, properties: Readonly<Record<string, unknown>>): Meter | undefined {
  if (event === '$exception') return 'exceptions'
  if (event.startsWith('$ai_')) return 'ai'
  if (SURVEYS.test(event)) return properties.$product_tour_id === undefined ? 'surveys' : 'events'
  return event === APART_EVENT || event.startsWith('$$') || event.startsWith('$snapshot')
    ? undefined
    : 'events'
}
