import { expect, test } from 'vitest'
import { awaitGroupTypes } from '../../../src/commands/import/import-groups.ts'
import { PosthaulError } from '../../../src/errors.ts'
import type { GroupType } from '../../../src/service/groups.ts'
import { SleepyClock } from '../../helpers/sleepy-clock.ts'

const MINUTE = 60_000
const made = new Map([
  ['company', { events: 3, oldest: 1e6 }],
  ['team', { events: 3, oldest: 2e6 }],
])
const type = (name: string, index: number, since: number | null): GroupType => ({ name, index, since })
const BOTH = [type('company', 0, 1e6), type('team', 1, 2e6)]
const down = new PosthaulError('no connection', { code: 'unavailable' })

/** Waits, with what the project answers so many milliseconds after the beginning. */
function wait(
  answer: (ms: number) => readonly GroupType[] | PosthaulError | Promise<never>,
  { retryForMs = 60 * MINUTE, halt = new AbortController().signal } = {},
) {
  const clock = new SleepyClock()
  const notes: string[] = []
  const ask = async () => {
    const types = await answer(clock.now())
    if (types instanceof PosthaulError) throw types
    return types
  }
  const note = (text: string) => void notes.push(text)
  const fit = awaitGroupTypes({ made, ask, retryForMs, clock, note }, halt)
  return { clock, notes, fit }
}

test('types that are listed late are waited for, and it says once for which', async () => {
  const { clock, notes, fit } = wait((ms) => (ms < 4 * MINUTE ? BOTH.slice(0, 1) : BOTH))
  expect(await fit).toEqual({ tooMany: [], younger: [], missing: [] })
  expect(clock.now()).toBe(4 * MINUTE)
  expect(notes).toEqual(['waiting until the project lists company, team; that can take 5 minutes'])
})

test('a type that is never listed ends the wait after six minutes', async () => {
  const { clock, fit } = wait(() => BOTH.slice(0, 1))
  await expect(fit).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('company, team'),
    hint: expect.stringContaining('none of the input was sent'),
  })
  expect(clock.now()).toBe(6 * MINUTE)
})

test('a project that does not answer is asked again as long as --retry-for says, then the reason is given', async () => {
  const short = wait((ms) => (ms < 10 * MINUTE ? down : BOTH))
  expect(await short.fit).toMatchObject({ missing: [] })
  expect(short.notes).toEqual(['could not read the group types, and will try again: no connection'])
  const long = wait(() => down, { retryForMs: 20 * MINUTE })
  await expect(long.fit).rejects.toBe(down)
  expect(long.clock.now()).toBe(20 * MINUTE)
  await expect(wait(() => down, { retryForMs: 0 }).fit).rejects.toBe(down)
})

test('a key that is refused meanwhile is not tried again', async () => {
  const refused = new PosthaulError('no', { code: 'auth' })
  const { clock, fit } = wait(() => refused)
  await expect(fit).rejects.toBe(refused)
  expect(clock.now()).toBe(0)
})

test.each([
  ['it sleeps', []],
  ['the project does not answer', new Promise<never>(() => undefined)],
])('it ends with the run, while %s', async (_, answer) => {
  const stop = new AbortController()
  const asked = () => {
    setImmediate(() => stop.abort())
    return answer
  }
  expect(await wait(asked, { halt: stop.signal }).fit).toBeUndefined()
})

test('another import has taken the last place, or the time of a type: it says so at once', async () => {
  const five = ['a', 'b', 'c', 'd', 'company'].map((name, index) => type(name, index, 1e6))
  expect(await wait(() => five).fit).toMatchObject({ tooMany: ['a', 'b', 'c', 'd', 'company', 'team'] })
  const late = [type('company', 0, 9e6), type('team', 1, null)]
  expect(await wait(() => late).fit).toMatchObject({ younger: [{ type: 'company', since: 9e6 }] })
})
