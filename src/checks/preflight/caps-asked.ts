import { OPEN_EVENTS, OPEN_PER_MINUTE } from '../../delivery/caps.ts'
import { leastPerMinute, ratePerSecond } from '../../delivery/pacer.ts'
import { number, span } from '../../text/words.ts'
import { type Finding, findingsOf } from '../finding.ts'
import type { InputSize } from './input-size.ts'
import type { CapsAsked, Subject } from './subject.ts'

const caps = findingsOf('caps')
const time = findingsOf('time')

/** Bytes of an unpacked record, where nobody has counted them: between the 600 of Mixpanel's and the 1,600 of Amplitude's. */
const BYTES_OF_RECORD = 1000

/** Whether the caps may be so high, whether they let the whole input through, and how long that takes. */
export function checkCaps({ caps: asked }: Subject, input: InputSize | undefined): Finding[] {
  if (!asked) return []
  return [...allowed(asked), ...needed(asked, input)]
}

function allowed({ perMinute, events, lanes, granted }: CapsAsked): Finding[] {
  const most = {
    perMinute: Math.max(OPEN_PER_MINUTE, granted?.perMinute ?? 0),
    events: Math.max(OPEN_EVENTS, granted?.events ?? 0),
  }
  const approval = granted
    ? `what was approved${granted.reference ? ` (${granted.reference})` : ''}`
    : undefined
  const over = (what: string, cap: number, limit: number): Finding[] =>
    cap <= limit
      ? []
      : [
          caps.error(`the cap of ${number(cap)} ${what} is over ${approval ?? 'what is open to everyone'}`, {
            cause: `up to ${number(limit)} ${what} are allowed`,
            remedy: approval
              ? 'lower the cap, or ask the service for more and write down what it grants'
              : 'lower the cap, or ask the service: posthaul check writes the request; then add --approved',
          }),
        ]
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
