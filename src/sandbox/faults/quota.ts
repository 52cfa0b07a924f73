import type { Meter } from './fault.ts'

const SURVEY = /^survey (sent|shown|dismissed)$/

/** The meter that counts an event. A survey of a product tour counts as any other event. */
export function meterOf({ event, properties }: { event: string; properties: string }): Meter {
  if (event === '$exception') return 'exceptions'
  if (event.startsWith('$ai_')) return 'ai'
  if (!SURVEY.test(event)) return 'events'
  return '$product_tour_id' in (JSON.parse(properties) as object) ? 'events' : 'surveys'
}
