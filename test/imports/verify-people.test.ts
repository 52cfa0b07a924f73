import { expect, test } from 'vitest'
import type { VerifyInput } from '../../src/checks/verify-input.ts'
import { verifyKept } from '../../src/imports/verify-people.ts'
import type { Api } from '../../src/service/api.ts'
import { oddApi } from '../helpers/api.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'

/** The events that an import made itself, a `$set` for each person. */
function ownInput(given: Readonly<Record<string, Readonly<Record<string, unknown>>>>): VerifyInput {
  const lines = Object.entries(given).map(([distinct_id, $set], n) =>
    Buffer.from(eventLine({ ...makeEvent(n), event: '$set', distinct_id, properties: { $set } })),
  )
  const read: VerifyInput['read'] = async (_, each) => {
    for (const line of lines) each(line, undefined as never)
  }
  return {
    isOwn: true,
    sums: { days: new Map([['2024-01-01', lines.length]]) },
    read,
  } as unknown as VerifyInput
}

/** A project whose persons have these properties; the id of a person is that of its only distinct id. */
async function projectWith(persons: Readonly<Record<string, object>>): Promise<Api> {
  const { api } = await oddApi(({ body }) => {
    const isOfIds = body.includes('person_distinct_ids')
    const rows = Object.entries(persons).map(([id, found]) => [id, isOfIds ? id : JSON.stringify(found)])
    return { body: { results: rows } }
  })
  return api
}

const GIVEN = { ann: { plan: 'pro', seats: 3 }, bob: { plan: 'free' } }

test('a person that was put right is so with all of its values, and only if it is there', async () => {
  const kept = async (persons: Readonly<Record<string, object>>) =>
    verifyKept({ api: await projectWith(persons), projectId: '1' }, [ownInput(GIVEN)])
  const [ann, bob] = [{ ...GIVEN.ann, more: 1 }, GIVEN.bob]
  expect(await kept({ ann, bob })).toEqual({ persons: 2, equal: 2 })
  expect(await kept({ ann: { ...ann, seats: 4 }, bob })).toEqual({ persons: 2, equal: 1 })
  expect(await kept({ ann })).toEqual({ persons: 2, equal: 1 })
  expect(await kept({ ann: {}, bob: { plan: 'pro' } })).toEqual({ persons: 2, equal: 0 })
})

test('an import that put nobody right has nobody to compare', async () => {
  const api = await projectWith({})
  expect(await verifyKept({ api, projectId: '1' }, [])).toBeNull()
  expect(await verifyKept({ api, projectId: '1' }, [ownInput({})])).toBeNull()
})
