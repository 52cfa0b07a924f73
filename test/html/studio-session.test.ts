import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isUnsaved, type Moment, PageSession } from '../../src/html/studio/session.ts'
import type { StudioModel, StudioState } from '../../src/studio/studio-data.ts'

// A server whose answers each test gives when it likes.
interface Asked {
  readonly path: string
  readonly body: Record<string, unknown>
  answer(json: unknown, status?: number): Promise<void>
}
let asked: Asked[]

beforeEach(() => {
  asked = []
  vi.useFakeTimers()
  vi.stubGlobal('fetch', (path: string, { body, signal }: RequestInit) => {
    return new Promise<Response>((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
      asked.push({
        path,
        body: JSON.parse(String(body)),
        answer: (json, status = 200) => settled(() => resolve(Response.json(json, { status }))),
      })
    })
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function settled(act: () => void): Promise<void> {
  act()
  await vi.advanceTimersByTimeAsync(0)
}

const counts = { records: 9, made: 9, events: 6, rejected: 1, filtered: 2 }
const model = { revision: 'new', counts } as StudioModel
const mapping = { path: 'm.yaml', exists: true, yaml: 'a', digest: 'd1', options: [] }

function newSession(): { session: PageSession; now: () => Moment } {
  const state: StudioState = {
    version: '1',
    input: { said: ['raw/'], files: 1, bytes: 1, records: 9, whole: true },
    mapping,
    model: { ...model, revision: 'old' },
    setup: null,
    fault: null,
    next: [],
  }
  const session = new PageSession(state, () => {})
  return { session, now: () => session.moment }
}

test('what is typed is previewed once, when the typing rests, and a stale preview shows nothing', async () => {
  const { session, now } = newSession()
  session.type('ab')
  await vi.advanceTimersByTimeAsync(1000)
  session.type('abc')
  session.type('abcd')
  await vi.advanceTimersByTimeAsync(1000)
  expect(asked.map(({ body }) => body.yaml)).toEqual(['ab', 'abcd'])
  await asked[0]!.answer({ model: { ...model, revision: 'stale' }, fault: null })
  expect(now().model.revision).toBe('old')
  await asked[1]!.answer({ model, fault: null })
  expect(now()).toMatchObject({
    model: { revision: 'new' },
    previewing: false,
    said: 'Preview updated: 6 events, 1 reject, 2 records left out.',
  })
})

test('a fault keeps the model before it, and says its line', async () => {
  const { session, now } = newSession()
  session.preview()
  await asked[0]!.answer({
    model: null,
    fault: { line: 3, column: 1, message: 'unknown key x', hint: null },
  })
  expect(now()).toMatchObject({ model: { revision: 'old' }, fault: { line: 3 } })
  expect(now().said).toBe('The mapping has a fault in line 3: unknown key x')
})

test('letters typed while an edit is made are in the text that it changes', async () => {
  const { session, now } = newSession()
  session.edit({ kind: 'drop_event', event: 'x' }, 'Dropped “x”')
  session.type('a typed')
  await asked[0]!.answer({ yaml: 'a dropped' })
  expect(asked[1]!.body).toMatchObject({ yaml: 'a typed' })
  await asked[1]!.answer({ yaml: 'a typed dropped' })
  expect(now().yaml).toBe('a typed dropped')
  await settled(() => session.undo())
  expect(now().yaml).toBe('a typed')
})

test('a refused edit leaves the text and says why', async () => {
  const { session, now } = newSession()
  session.edit({ kind: 'drop_event', event: 'x' }, 'Dropped “x”')
  await asked[0]!.answer({ message: 'no place for it', hint: 'use keep' }, 422)
  expect(now()).toMatchObject({ yaml: 'a', past: [], problem: { hint: 'use keep' } })
  expect(now().problem!.title).toBe('The mapping was not changed: no place for it')
})

test('a save sends the digest it knows; what was typed meanwhile stays unsaved', async () => {
  const { session, now } = newSession()
  session.type('b')
  await settled(() => session.save())
  expect(asked[0]).toMatchObject({ path: 'api/save', body: { yaml: 'b', digest: 'd1' } })
  session.type('bc')
  await asked[0]!.answer({ ...mapping, yaml: 'b', digest: 'd2' })
  expect([now().yaml, now().mapping.digest, isUnsaved(now())]).toEqual(['bc', 'd2', true])
})

test('a change that was just asked for is saved too, and taken back first; one that is refused stops the save', async () => {
  const { session, now } = newSession()
  session.edit({ kind: 'drop_event', event: 'x' }, 'Dropped “x”')
  await settled(() => session.save())
  await asked[0]!.answer({ yaml: 'a dropped' })
  const [, preview, save] = asked
  expect([preview!.path, save]).toMatchObject([
    'api/preview',
    { path: 'api/save', body: { yaml: 'a dropped' } },
  ])
  await save!.answer({ ...mapping, yaml: 'a dropped', digest: 'd2' })
  expect(isUnsaved(now())).toBe(false)
  session.edit({ kind: 'drop_event', event: 'y' }, 'Dropped “y”')
  await settled(() => session.undo())
  await asked[3]!.answer({ yaml: 'a dropped twice' })
  expect(now().yaml).toBe('a dropped')
  session.edit({ kind: 'drop_event', event: 'z' }, 'Dropped “z”')
  await settled(() => session.save())
  await asked.at(-1)!.answer({ message: 'no place for it', hint: null }, 422)
  expect(now()).toMatchObject({ saving: false, yaml: 'a dropped' })
  expect(asked.filter(({ path }) => path === 'api/save')).toHaveLength(1)
})
