import { eventLine, type TestEvent } from './events.ts'

const DAY = 86_400_000
const START = Date.UTC(2024, 0, 1)
const DAYS = 20

/**
 * Lines in PostHog's form, of people with several ids: anonymous ones before a login, aliases, links over three ids, two users
 * of one device, profiles of people who do nothing, groups that others change, and ids that stand for nobody. About 25 lines a
 * person, in any order.
 */
export function peopleHistory(random: () => number, people: number): string[] {
  const lines: string[] = []
  const pick = (n: number) => Math.floor(random() * n)
  const add = (event: string, id: string, properties: TestEvent['properties'] = {}) =>
    lines.push(
      eventLine({
        uuid: `00000000-0000-4000-8000-${lines.length.toString(16).padStart(12, '0')}`,
        timestamp: new Date(START + pick(DAYS * DAY)).toISOString().replace('Z', '000Z'),
        event,
        distinct_id: id,
        properties,
      }),
    )
  for (let person = 0; person < people; person++) {
    const ids = [`user-${person}`]
    const company = `c${person % Math.ceil(people / 5)}`
    for (let device = 0; device < person % 4; device++) {
      ids.push(`device-${person}-${device}`)
      add('$identify', ids[0]!, { $anon_distinct_id: ids.at(-1)! })
    }
    if (person % 7 === 0) {
      ids.push(`mail-${person}@example.com`)
      add('$create_alias', ids[person % ids.length]!, { alias: ids.at(-1)! })
    }
    // Somebody else's device: two users are one person then.
    if (person % 50 === 3) add('$identify', `user-${person}`, { $anon_distinct_id: `device-${person - 1}-0` })
    add('$set', ids[0]!, { $set: { plan: person % 3 } })
    if (person % 11 === 5) continue
    const isActive = person % 100 === 9
    for (let n = 5 + pick(isActive ? 400 : 30); n > 0; n--) {
      const groups = person % 2 === 0 ? { $groups: { company } } : {}
      add(`did ${pick(9)}`, ids[pick(ids.length)]!, { n, ...groups })
    }
    if (person % 5 === 0)
      add('$groupidentify', ids[0]!, { $group_type: 'company', $group_key: company, $group_set: { person } })
    if (person % 20 === 0) add('did 0', ['anonymous', 'null', '0'][pick(3)]!)
    if (person % 20 === 1) add('$identify', ids[0]!, { $anon_distinct_id: 'anonymous' })
  }
  return lines
}
