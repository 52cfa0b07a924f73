import { type Draft, Filtered, type Preset, type RecordView, Rejection } from '../mapping/preset.ts'
import { canonicalJson } from '../record/json-values.ts'
import { isNobody } from '../record/nobody.ts'
import { uuidV5 } from '../record/uuid.ts'
import { eventText, requiredTime } from './required.ts'

/** The 16 ASCII bytes `posthaul_kissmet`. */
const NAMESPACE = '706f7374-6861-756c-5f6b-6973736d6574'

/** Ids that the vendor's library makes for people it does not know: some 28 characters of base64. */
const OWN_ID = /^(?=.*[a-z])(?=.*[A-Z])[\w+/-]{24,31}={0,2}$/

/**
 * Kissmetrics: lines of its data export. One with `_n` is an event of the person `_p`; one with `_p2` says that `_p` and
 * `_p2` are one person; any other states properties of the person.
 */
export const kissmetrics: Preset = {
  vendor: 'kissmetrics',
  rules: 1,
  ids: ['person'],
  empty: [],
  recognises: [
    ['_n', '_p', '_t'],
    ['_p', '_p2', '_t'],
    ['_p', '_t'],
  ],
  // A line that states nothing is left out.
  events: { $set: '$set' },
  reshape: withUuid,

  fields: {
    _n: '@event',
    _p: '@person',
    _p2: '@other',
    _t: '@time',
    '(uuid)': '@uuid',
    url: '$current_url',
    referrer: '$referrer',
    Referrer: '$referrer',
    '*': '*',
  },

  eventName: (record) => eventText(record, 'event') ?? (isAlias(record) ? '$create_alias' : '$set'),
  uuid: (record) => record.text('uuid'),
  distinctId: (record) => (isAlias(record) ? aliasOf(record).known : record.text('person')),
  anonymousId: () => undefined,
  timestamp: (record, { sourceTimezone }) => requiredTime(record, 'time', sourceTimezone),
  perform,
}

/** Lines have no id: what tells them apart is all they hold, in any order. So true repeats are one event. */
function withUuid(json: string): string {
  const text = json.trim()
  const uuid = uuidV5(NAMESPACE, JSON.stringify([canonicalJson(text)]))
  return `${text.slice(0, -1)}${/^\{\s*\}$/.test(text) ? '' : ','}"(uuid)":"${uuid}"}`
}

function isAlias(record: RecordView): boolean {
  return record.text('event') === undefined && record.text('other') !== undefined
}

/**
 * The two ids of an alias. The pair has no direction, and the service takes the alias into the person of the event's
 * own id, unless it knows the alias as a user already. So an id that the vendor made up is the alias.
 */
function aliasOf(record: RecordView): Readonly<Record<'known' | 'alias', string | undefined>> {
  const [person, other] = [record.text('person'), record.text('other')]
  const turned = OWN_ID.test(person ?? '') && !OWN_ID.test(other ?? '')
  return turned ? { known: other, alias: person } : { known: person, alias: other }
}

function perform(record: RecordView, draft: Draft): void {
  const event = record.text('event')
  if (event !== undefined) {
    // Nothing says what a second id would mean beside an event.
    draft.copy('$kissmetrics_p2', 'other')
    const isVisit = draft.event === event && /^visited site$/i.test(event)
    if (isVisit && draft.has('$current_url')) draft.event = '$pageview'
    return
  }
  if (!isAlias(record)) {
    draft.describePerson()
    return
  }
  const { known, alias } = aliasOf(record)
  if (known === undefined || alias === undefined) return
  if (known === alias) throw new Filtered('alias_of_itself')
  if (isNobody(alias)) throw new Rejection('junk_id', 'alias of an id that stands for nobody in particular')
  draft.text('alias', alias)
}
