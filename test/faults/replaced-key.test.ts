import { expect, test } from 'vitest'
import { Secret } from '../../src/http/secret.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { seedOf } from '../helpers/random.ts'
import { OK, says } from './kit/action.ts'
import { FaultyImport } from './kit/run.ts'
import { Service } from './kit/service.ts'

const seed = seedOf('replaced key')
const [OLD, NEW] = ['phc_faults', 'phc_afterwards']
const OLD_FINGERPRINT = new Secret(OLD, '').fingerprint()

/** A service that refuses each key but the one of the project. */
async function project(): Promise<{ readonly service: Service; key: string }> {
  const service = await Service.start()
  const it = { service, key: OLD }
  service.script = () => ({ answer: ({ body }) => (body.includes(it.key) ? OK : says(401, 'wrong key')) })
  return it
}

test('an import whose project key is replaced goes on by the new one, under the same volume cap', async () => {
  const it = await project()
  const setup = { service: it.service, seed, events: 90, folder: testFolder() }
  const work = new FaultyImport(setup)
  const anew = new FaultyImport({ ...setup, env: { POSTHOG_PROJECT_API_KEY: NEW } })
  await exits(5, work.runHere('--max-events', '40'))
  it.key = NEW
  expect((await work.runHere()).code, 'the old key is refused').toBe(4)
  await exits(6, anew.runHere(), `--replaces-key ${OLD_FINGERPRINT}`)
  const capped = await anew.runHere('--replaces-key', OLD_FINGERPRINT, '--max-events', '60')
  expect([capped.code, capped.summary?.counts.written], 'the cap counts on').toEqual([5, 60])
  // Who has said it once need not say it again.
  await exits(0, anew.runHere())
  const sent = it.service.requests.filter(({ stored }) => stored).flatMap(({ events }) => events)
  expect(new Set(sent.map(({ uuid }) => uuid)).size).toBe(90)
  expect(sent, 'nothing is sent again').toHaveLength(90)
})
