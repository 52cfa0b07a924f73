import { row } from '../row.ts'
import { type Parse, ratio, timeZone, utcTime } from '../values.ts'

// What is compared, and with whom.

export const COMPARE_WITH = row({
  flag: '--with <vendor>',
  choices: ['mixpanel', 'amplitude', 'posthog'],
  otherwise: 'the dataset against PostHog alone',
  help: 'whose numbers are asked besides; keys as for export',
})

export const QUESTIONS = row({
  flag: '--questions <file>',
  otherwise: 'events and people of the 20 largest names, and of all',
  help: 'file (YAML or JSON) that says what is asked',
})

export const LIST_REPORTS = row({
  flag: '--list-reports',
  help: "list the vendor's saved reports, and what of them can be compared; compare nothing",
})

export const TOLERANCE = row({
  flag: '--tolerance <share>',
  parse: ratio,
  otherwise: '0 for events, 0.01 for people',
  help: 'how much of a number may stay unexplained, e.g. 0.001',
})

export const VENDOR_ZONE = row({
  flag: '--vendor-zone <zone>',
  parse: timeZone,
  otherwise: 'found by fitting',
  help: "zone of the vendor's days, e.g. America/New_York",
})

export const VENDOR_REGION = row({
  flag: '--vendor-region <name>',
  choices: ['us', 'eu', 'in'],
  default: 'us',
  help: "where the vendor's project lives",
})

const wholeDay: Parse<string> = (text) => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) throw new RangeError('expected a day such as 2024-03-01')
  utcTime(text)
  return text
}

export const SINCE_CUTOVER = row({
  flag: '--since-cutover <day>',
  parse: wholeDay,
  help: 'the whole days from this one on, on which your apps fed both: the vendor against PostHog',
})
