import { expect, test } from 'vitest'
import { warningLines } from '../../src/checks/words/warnings.ts'
import { PosthaulError } from '../../src/errors.ts'
import { watchWarnings } from '../../src/imports/ask-warnings.ts'
import type { Api } from '../../src/service/api.ts'

const dropped = {
  type: 'message_size_too_large',
  severity: 'error',
  count: 1,
  samples: [{ event_uuid: '018f0000-0000-7000-8000-000000000001' }],
}

/** A watch whose questions are answered by these, in turn: warnings, or why there is no answer. */
function watchOver(answers: readonly (readonly object[] | PosthaulError)[]) {
  const notes: string[] = []
  let turn = 0
  const watch = watchWarnings(
    (work) => {
      const answer = answers[turn++]!
      if (answer instanceof PosthaulError) return Promise.reject(answer)
      const api = { get: async () => answer, read: (got: unknown) => got } as unknown as Api
      return work({ api, projectId: '1' })
    },
    (text) => notes.push(text),
  )
  return { watch, notes }
}

const silent = new PosthaulError('https://x does not answer', { code: 'unavailable' })
const stopped = new PosthaulError('interrupted', { code: 'interrupted' })
const refused = new PosthaulError('the key lacks a scope', { code: 'auth', hint: 'add it' })

test.each([
  ['the service is silent', silent, 'https://x does not answer; posthaul verify asks for them again'],
  ['the run was told to stop', stopped, 'interrupted; posthaul verify asks for them again'],
  ['the key may not ask', refused, 'the key lacks a scope; add it'],
])('where %s at the end, that is what it says', async (_, error, unasked) => {
  const { watch, notes } = watchOver([error, error])
  await watch.look()
  expect(notes).toEqual([])
  expect(await watch.end()).toMatchObject({ types: [], unasked })
})

test('a look that was in vain keeps nothing from being told later, and each type is told once', async () => {
  const { watch, notes } = watchOver([silent, [dropped], [dropped], [dropped]])
  for (let looks = 0; looks < 3; looks++) await watch.look()
  expect(notes).toEqual([expect.stringContaining('PostHog warns: message_size_too_large, dropped')])
})

test('that uuids are made of records is counted, and told to nobody', async () => {
  const made = { ...dropped, type: 'event_uuid_not_v7', severity: 'warning' }
  const { watch, notes } = watchOver([[made], [made, dropped]])
  await watch.look()
  const found = await watch.end()
  expect(notes).toEqual([])
  expect(found.types.map(({ type }) => type)).toEqual(['event_uuid_not_v7', 'message_size_too_large'])
  expect(warningLines(found).join('\n')).toContain('message_size_too_large')
  expect(warningLines(found).join('\n')).not.toContain('uuid_not_v7')
  expect(warningLines({ ...found, types: found.types.slice(0, 1) })).toEqual([])
})

test('an answer names an example of each', async () => {
  const { watch } = watchOver([[dropped]])
  expect(await watch.end()).toMatchObject({
    unasked: null,
    types: [{ type: 'message_size_too_large', example: dropped.samples[0]!.event_uuid }],
  })
})
