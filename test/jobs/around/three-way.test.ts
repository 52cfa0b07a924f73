import { describe, expect, test } from 'vitest'
import { type Fields, type LastPush, planFields, wantedTags } from '../../../src/jobs/around/three-way.ts'

const push = (sent: Fields, left: Fields, pending = false): LastPush => ({ before: {}, sent, left, pending })

/** What becomes of a description: set, kept, refused or alike. */
function become(
  want: string | undefined,
  theirs: string | undefined,
  last?: LastPush,
  overwrite = false,
): string {
  const of = (text: string | undefined) => (text === undefined ? {} : { description: text })
  const { set, kept, refused } = planFields('events', of(want), of(theirs), { last, overwrite })
  return 'description' in set
    ? `set ${set.description}`
    : kept.length > 0
      ? 'kept'
      : refused.length > 0
        ? 'refused'
        : 'alike'
}

const A = { description: 'a' }
const B = { description: 'b' }

describe('what becomes of one field', () => {
  test.each([
    ['nothing anywhere', undefined, undefined, undefined, 'alike'],
    ['the folder alone says it', 'a', undefined, undefined, 'set a'],
    ['a person alone says it', undefined, 'p', undefined, 'alike'],
    ['a person says it in other words, nothing was pushed', 'a', 'p', undefined, 'kept'],
    ['both say the same', 'a', 'a', undefined, 'alike'],
    ['pushed before, and still there', 'a', 'a', push(A, A), 'alike'],
    ['the folder was edited since', 'b', 'a', push(A, A), 'set b'],
    ['a person edited since', 'a', 'p', push(A, A), 'kept'],
    ['both were edited since', 'b', 'p', push(A, A), 'kept'],
    ['a person emptied it since', 'a', undefined, push(A, A), 'kept'],
    ['the folder was emptied since', undefined, 'a', push(A, A), 'set undefined'],
    ['the server does not keep it', 'a', undefined, push(A, {}), 'refused'],
    ['the server does not keep it, and the folder was edited', 'b', undefined, push(A, {}), 'set b'],
    ['the push was cut short before it was done', 'a', undefined, push(A, {}, true), 'set a'],
    ['the push was cut short after it was done', 'a', 'a', push(A, {}, true), 'alike'],
    ['the push of an edit was cut short before it was done', 'b', 'a', push(B, A, true), 'set b'],
    ['the push touched other fields only', 'a', 'p', push({ tags: ['x'] }, { description: 'p' }), 'kept'],
  ] as const)('%s', (_, want, theirs, last, becomes) => {
    expect(become(want, theirs, last)).toBe(becomes)
  })

  test.each([
    ['p', undefined],
    ['p', push(A, A)],
    [undefined, push(A, {})],
  ] as const)('with overwrite the folder wins over %s', (theirs, last) => {
    expect(become('a', theirs, last, true)).toBe('set a')
  })
})

test('tags of others stay, those that the folder has no more go, and their order says nothing', () => {
  expect(wantedTags([' Core '], ['theirs'], undefined)).toEqual(['core', 'theirs'])
  const last = { ...push({ tags: ['a', 'b', 'theirs'] }, {}), before: { tags: ['theirs'] } }
  expect(wantedTags(['a'], ['a', 'b', 'theirs', 'later'], last)).toEqual(['a', 'later', 'theirs'])
  const { set } = planFields(
    'events',
    { tags: ['a', 'b'] },
    { tags: ['b', 'a'] },
    { last: undefined, overwrite: false },
  )
  expect(set).toEqual({})
})
