import { expect, test } from 'vitest'
import { hiddenBefore, shownOf, sumOfCells, type VerifyInput } from '../../src/checks/verify-input.ts'
import { Fingerprint } from '../../src/record/fingerprint.ts'

const of = (count: number) => Object.assign(new Fingerprint(), { count })

async function inputOf(days: Readonly<Record<string, number>>): Promise<VerifyInput> {
  async function* readDays() {
    for (const [day, count] of Object.entries(days))
      yield { day, cells: [{ day, event: 'a', events: of(count) }] }
  }
  const input = { readDays, sums: await sumOfCells(readDays), distinctIds: 4, groupTypes: { company: 3 } }
  return input as unknown as VerifyInput
}

const MAY = { '2024-05-01': 1, '2024-05-02': 2, '2024-05-03': 4 }

test('of an input the days are left out that the project hides, and what was counted of all of them', async () => {
  const shown = await shownOf(await inputOf(MAY), '2024-05-02')
  expect(shown.sums).toMatchObject({
    events: 6,
    days: new Map([
      ['2024-05-02', 2],
      ['2024-05-03', 4],
    ]),
  })
  const read = []
  for await (const { day } of shown.readDays()) read.push(day)
  expect(read).toEqual(['2024-05-02', '2024-05-03'])
  expect(shown).toMatchObject({ distinctIds: null, groupTypes: {} })
})

test('an input that the project shows is as it was', async () => {
  const input = await inputOf(MAY)
  expect(await shownOf(input, '2024-05-01')).toBe(input)
})

test('what the project hides is counted over all inputs, each day once', async () => {
  const inputs = [await inputOf(MAY), await inputOf({ '2024-05-01': 8 })]
  const before = (firstDay: string) => hiddenBefore(inputs, { months: 12, firstDay })
  expect(before('2024-05-02')).toEqual({ months: 12, firstDay: '2024-05-02', days: 1, events: 9 })
  expect(before('2024-05-01')).toBeUndefined()
})
