import type { EventTrace, PartTrace } from '../studio/trace.ts'
import { plural } from '../text/words.ts'

type RecordFact = readonly [word: string, text: string]

/** What there is to say of a record and its event besides their members: each in a sentence, under a word. */
export function factsOf({ event, link }: PartTrace): RecordFact[] {
  const links = (ids: NonNullable<PartTrace['link']>) =>
    `the anonymous id ${ids.anonymous_id} to ${ids.user_id}: an $identify is made of it, unless the id was another's before`
  return [...(event ? eventFacts(event) : []), ...(link ? [['links', links(link)] as const] : [])]
}

function eventFacts(event: EventTrace): RecordFact[] {
  const { uuid, twin, gives_way } = event
  const groups = event.groups.map(({ type, key }) => `${type} ${key}`).join(', ')
  const all: ReadonlyArray<readonly [word: string, text: string | false]> = [
    ['uuid', `${uuid}, ${uuidWords(event)}`],
    [
      'twin',
      twin > 0 &&
        `the record is the same to the byte as ${plural(twin, 'record')} before it, and has no id: its uuid is told apart by that number`,
    ],
    ['groups', groups],
    ...event.group_states.map(({ type, key }) => {
      const text = `it tells the properties of ${type} ${key}; a change of them becomes an event of its own`
      return ['group', text] as const
    }),
    [
      'gives way',
      gives_way && 'another record with this uuid, which tells the event better, is kept in its place',
    ],
  ]
  return all.flatMap(([word, text]) => (text ? [[word, text] as const] : []))
}

function uuidWords({ uuid_from: from, uuid_members }: EventTrace): string {
  const members = uuid_members.join(', ')
  if (from === 'uuid') return `the record's own, in ${members}`
  if (from === 'id')
    return `version 5 of ${members === '' ? "the record's own id" : members}: the same in every export`
  return 'version 5 of the whole record, which has no id of its own'
}
