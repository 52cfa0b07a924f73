import { createRequire } from 'node:module'
import { leastPerMinute, OPEN_EVENTS, OPEN_PER_MINUTE, ratePerSecond } from '../../delivery/pacer.ts'
import { assertGoing } from '../../errors.ts'
import { isS3 } from '../../store/s3-location.ts'
import { number, span } from '../../text/words.ts'
import { type Finding, findingsOf, hasErrors } from '../finding.ts'
import { checkDisk, type InputSize, type Measured, measure } from './disk-room.ts'
import { checkPlaces } from './places.ts'
import type { CapsAsked, Subject, Tools } from './subject.ts'
import { checkTarget } from './target.ts'
import { checkVendors } from './vendor-logins.ts'

/** The oldest Node that posthaul runs on, from package.json. */
const OLDEST: string = createRequire(import.meta.url)('../../../package.json').engines.node.replace('>=', '')

const ofNode = findingsOf('node')

/** Whether this Node is new enough. */
export function checkNode({ node }: Pick<Tools, 'node'>): Finding[] {
  if (node.localeCompare(OLDEST, 'en', { numeric: true }) < 0) {
    const remedy = 'install a newer Node: https://nodejs.org'
    return [ofNode.error(`Node ${node} is too old`, { cause: `posthaul needs ${OLDEST} or newer`, remedy })]
  }
  return [ofNode.ok(`Node ${node}`)]
}

/**
 * Looks whether a migration can begin: nothing is sent, and nothing is kept but what a probe removes again. What a check
 * can't find out is a note. The checks run side by side; a server that is silent is waited for as long as `tools` say.
 * Throws only for a bug, and code `interrupted`.
 */
export async function preflight(subject: Subject, tools: Tools): Promise<Finding[]> {
  const places = checkPlaces(subject, tools)
  const measured = places.then((found) => measureAfter(found, subject))
  const found = await Promise.all([
    checkNode(tools),
    measured.then(({ findings }) => findings),
    measured.then(({ input }) => checkDisk(subject, input, tools)),
    checkTarget(subject, tools),
    checkVendors(subject, tools),
    places,
    measured.then(({ input }) => checkCaps(subject, input)),
  ])
  // What was asked when the signal came is not known, so no finding is true any more.
  assertGoing(tools.signal)
  return found.flat()
}

/** A bucket that can't be read would be asked again and again: the probe waits for less. */
async function measureAfter(places: readonly Finding[], { input }: Subject): Promise<Measured> {
  const locations = input === undefined ? [] : 'dataset' in input ? [input.dataset] : input.files
  if (!locations.some(isS3) || !hasErrors(places)) return measure(input)
  const cause = "what can't be read or written must be mended first"
  return { findings: [findingsOf('input').note('the size of the input is not known', { cause })] }
}

const caps = findingsOf('caps')
const time = findingsOf('time')

/** Bytes of an unpacked record, where nobody has counted them: between the 600 of Mixpanel's and the 1,600 of Amplitude's. */
const BYTES_OF_RECORD = 1000

/** Whether the caps may be so high, whether they let the whole input through, and how long that takes. */
export function checkCaps({ caps: asked }: Pick<Subject, 'caps'>, input: InputSize | undefined): Finding[] {
  return asked ? [...allowed(asked), ...needed(asked, input)] : []
}

function allowed({ perMinute, events, lanes, granted }: CapsAsked): Finding[] {
  const most = {
    perMinute: Math.max(OPEN_PER_MINUTE, granted?.perMinute ?? 0),
    events: Math.max(OPEN_EVENTS, granted?.events ?? 0),
  }
  const approval = granted
    ? `what was approved${granted.reference ? ` (${granted.reference})` : ''}`
    : undefined
  const remedy = approval
    ? 'lower the cap, or ask the service for more and write down what it grants'
    : 'lower the cap, or ask the service: posthaul check writes the request; then add --approved'
  const over = (what: string, cap: number, limit: number): Finding[] => {
    const text = `the cap of ${number(cap)} ${what} is over ${approval ?? 'what is open to everyone'}`
    const cause = `up to ${number(limit)} ${what} are allowed`
    return cap <= limit ? [] : [caps.error(text, { cause, remedy })]
  }
  const least = leastPerMinute(lanes)
  const wrong = [
    ...over('events a minute', perMinute, most.perMinute),
    ...over('events', events, most.events),
  ]
  if (perMinute < least) {
    const remedy = `raise the cap to ${least} at least, or lower the lanes`
    wrong.push(caps.error(`${number(perMinute)} events a minute are too few for ${lanes} lanes`, { remedy }))
  }
  if (wrong.length > 0) return wrong
  const by = approval && (perMinute > OPEN_PER_MINUTE || events > OPEN_EVENTS) ? `, by ${approval}` : ''
  return [caps.ok(`${number(perMinute)} events a minute, ${number(events)} in all${by}`)]
}

function needed(asked: CapsAsked, input: InputSize | undefined): Finding[] {
  if (!input) {
    const perDay = number(ratePerSecond(asked) * 86_400)
    return [time.note(`how long the import takes is not known; it sends up to ${perDay} events a day`)]
  }
  const events = input.events ?? Math.round(input.bytes / BYTES_OF_RECORD)
  const many =
    input.events === undefined ? `about ${number(events)} events (guessed)` : `${number(events)} events`
  const took = span((events / ratePerSecond(asked)) * 1000)
  const found = time.ok(`${many} take ${took} to send at ${number(asked.perMinute)} a minute`)
  if (events <= asked.events) return [found]
  const text = `${many} are more than the cap of ${number(asked.events)}`
  const because = {
    cause: 'an import pauses when the cap is reached',
    remedy: 'ask the service before you send more: posthaul check writes the request',
  }
  return [found, input.events === undefined ? caps.warning(text, because) : caps.error(text, because)]
}
