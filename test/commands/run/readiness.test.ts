import { expect, test } from 'vitest'
import { type Finding, findingsOf } from '../../../src/checks/finding.ts'
import { awaitReady } from '../../../src/commands/run/readiness.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'

const say = findingsOf('ingest')
const away = say.error("the service can't be reached", { passes: true })
const wrong = say.error('the service refuses the project key')
const fine = say.ok('the service answers')

async function ready(looks: readonly Finding[][], retryForMs: number) {
  const clock = new FakeClock(0)
  const told: string[] = []
  const readiness = await awaitReady(async () => looks[Math.min(told.length, looks.length - 1)]!, {
    retryForMs,
    clock,
    random: () => 0.5,
    signal: new AbortController().signal,
    onRetry: ({ message }) => told.push(message),
  })
  return { ...readiness, told, waited: clock.now() }
}

test('what passes is looked at again until all is well', async () => {
  const { exit, findings, told } = await ready([[fine, away], [away], [fine]], 60_000)
  expect([exit, findings]).toEqual([undefined, [fine]])
  expect(told).toEqual([away.text, away.text])
})

test('what stays away for as long as is tried ends with 5', async () => {
  const { exit, findings, waited } = await ready([[fine, away]], 60_000)
  expect([exit, findings]).toEqual([5, [fine, away]])
  expect(waited).toBeGreaterThan(20_000)
  expect(waited).toBeLessThanOrEqual(60_000)
})

test('what a person must mend ends with 3 at once, also beside what passes', async () => {
  const { exit, told } = await ready([[away, wrong]], 60_000)
  expect([exit, told]).toEqual([3, []])
})
