import { expect, test } from 'vitest'
import { anonymousOf } from '../../../src/studio/profile/anonymous.ts'
import { kindOf } from '../../../src/studio/profile/kind.ts'
import { profiledMembers } from '../../../src/studio/profile/member.ts'

/** What is taken for an anonymous id in 40 records with a person in the last 20, of four. */
function chosen(name: string, valueAt: (i: number) => unknown) {
  const records = Array.from({ length: 40 }, (_, i) =>
    JSON.stringify({ user: i < 20 ? null : `u${i % 4}`, [name]: valueAt(i) }),
  )
  const profiles = profiledMembers(records).map((member) => ({
    member,
    kind: kindOf(member, false, Date.UTC(2026, 0, 1) * 1000),
    distinct: new Set(member.values).size,
  }))
  const [person, ...others] = profiles
  return anonymousOf(others, person!)
}

test.each([
  ['anonymousId', (i: number) => `a${i % 4}`, true],
  ['ga_client_id', (i: number) => `1.${i % 4}`, true],
  ['Visitor', (i: number) => `v00${i % 8}`, false],
  ['shop_cookie', (i: number) => `ck-${i % 4}`, false],
  // Only its values say it: one person each, and there before anybody is known.
  ['nummer', (i: number) => `n-00${i % 4}`, false],
] as const)('%s is an anonymous id', (name, valueAt, isSure) => {
  expect(chosen(name, valueAt)).toMatchObject({ profile: { member: { name } }, isSure, fills: 20, shared: 0 })
})

test.each([
  ['device', (i: number) => (i % 3 ? 'iPhone' : 'Desktop'), 'a kind of device'],
  ['plan', (i: number) => `plan-${i % 3}`, 'what several people have'],
  ['order', (i: number) => `o-00${i}`, 'another one in each record'],
  ['visitor', (i: number) => `shared-${i % 3}`, 'ids that people share'],
] as const)('%s is none: %s', (name, valueAt, _why) => {
  expect(chosen(name, valueAt)).toBeUndefined()
})

test('ids that several people share are counted', () => {
  expect(chosen('device_id', (i) => `d${i % 3}`)).toMatchObject({ met: 3, shared: 3 })
})
