import { expect, test } from 'vitest'
import { matches, RulesSeen } from '../../src/checks/rules-seen.ts'
import type { EventTree, ProjectRule } from '../../src/service/project-rules.ts'
import { headed, makeEvent } from '../helpers/events.ts'

const condition = { type: 'condition', operator: 'exact' } as const
const named = (value: string): EventTree => ({ ...condition, field: 'event_name', value })
const of = (value: string): EventTree => ({
  ...condition,
  field: 'distinct_id',
  operator: 'contains',
  value,
})
const and = (...children: EventTree[]): EventTree => ({ type: 'and', children })
const or = (...children: EventTree[]): EventTree => ({ type: 'or', children })
const not = (child: EventTree): EventTree => ({ type: 'not', child })

/** Each tree, held against the event `paid` of `bot-7`. */
test.each<[string, EventTree, boolean]>([
  ['its name', named('paid'), true],
  ['a name that it begins with', named('pai'), false],
  ['another case', named('Paid'), false],
  ['a part of its id', of('ot-'), true],
  ['the whole id', { ...of('bot-7'), operator: 'exact' } as EventTree, true],
  ['a part, asked for as the whole', { ...of('bot'), operator: 'exact' } as EventTree, false],
  ['both', and(named('paid'), of('bot')), true],
  ['both, where one is not so', and(named('paid'), of('ann')), false],
  ['one of both', or(named('left'), of('bot')), true],
  ['none of both', or(named('left'), of('ann')), false],
  ['not another name', not(named('left')), true],
  ['not this one', not(or(named('left'), named('paid'))), false],
  ['all of nothing', and(), false],
  ['one of nothing', or(), false],
  ['whatever is not one of nothing', not(or()), true],
])('%s', (_, tree, expected) => {
  expect(matches(tree, { event_name: 'paid', distinct_id: 'bot-7' })).toBe(expected)
})

const rule = (deed: ProjectRule['deed'], tree: EventTree, name = ''): ProjectRule => ({ deed, name, tree })

test('an event is counted once for each deed, and each rule that matches is named', () => {
  const seen = new RulesSeen([
    rule('drops', named('paid'), 'first'),
    rule('drops', not(named('left')), 'second'),
    rule('drops', named('never'), 'third'),
    rule('transforms', not(or()), 'all'),
  ])
  expect(seen.needsIds).toBe(false)
  seen.add('paid', 3)
  seen.add('signup', 2)
  seen.add('left', 1)
  seen.add('paid', 1)
  expect(seen.found).toEqual([
    {
      deed: 'drops',
      count: 6,
      names: new Map([
        ['paid', 4],
        ['signup', 2],
      ]),
      rules: ['first', 'second'],
    },
    expect.objectContaining({ deed: 'transforms', count: 7, rules: ['all'] }),
  ])
})

test('lines are looked at by name and id', () => {
  const seen = new RulesSeen([rule('filters', and(named('é "x"'), of('bot')))])
  expect(seen.needsIds).toBe(true)
  const events = [
    ['é "x"', 'bot-1'],
    ['é "x"', 'ann'],
    ['other', 'bot-1'],
  ] as const
  for (const [event, distinct_id] of events) seen.look(...headed({ ...makeEvent(1), event, distinct_id }))
  expect(seen.found).toMatchObject([{ count: 1, names: new Map([['é "x"', 1]]) }])
})

test('no rules, nothing found', () => {
  const seen = new RulesSeen([])
  seen.add('a', 1)
  expect([seen.isEmpty, seen.needsIds, seen.found]).toEqual([true, false, []])
})
