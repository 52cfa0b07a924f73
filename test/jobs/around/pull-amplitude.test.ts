import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pullAround } from '../../../src/jobs/around/pull.ts'
import { amplitudeWork } from '../../../src/sources/amplitude/amplitude.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'
import { testFolder } from '../../helpers/folder.ts'
import { seeded } from '../../helpers/random.ts'
import { FakeAmplitude } from '../../helpers/vendors/amplitude.ts'
import { amplitudeTeam } from '../../helpers/vendors/amplitude-around.ts'

const SIZES = { events: 3, properties: 10, annotations: 5, cohorts: [3, 1200] }

async function fakeTeam(): Promise<FakeAmplitude> {
  const around = { team: amplitudeTeam(SIZES, seeded(9)), polls: 1 }
  const fake = await new FakeAmplitude({ events: [], around }).start()
  onTestFinished(() => fake.close())
  return fake
}

/** A run of `around pull amplitude`. It gives up at the first failure. */
async function pull(fake: FakeAmplitude, out: string): Promise<void> {
  const clock = new FakeClock(Date.parse('2026-03-01'))
  const source = await amplitudeWork.around!(
    { vendor: 'amplitude', baseUrl: fake.url },
    {
      env: { AMPLITUDE_API_KEY: 'api-key', AMPLITUDE_SECRET_KEY: 'secret-key' },
      stdin: process.stdin,
      clock,
      patienceMs: 5000,
      memory: { asked: () => [], remember: async () => undefined },
      retry: { retryForMs: 0, clock, random: () => 0 },
    },
  )
  const order = { vendor: 'amplitude', out, restart: false, overwrite: false }
  try {
    await pullAround(order, source, { signal: new AbortController().signal, note: () => undefined })
  } finally {
    await source.close()
  }
}

async function held(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(?:yaml|csv)$/.test(name))
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  )
}

test('a pull that is cut at each of its requests goes on, and orders no whole cohort again', async () => {
  const fake = await fakeTeam()
  const whole = testFolder()
  await pull(fake, whole)
  const requests = fake.seen.length
  const wanted = await held(whole)
  expect(Object.keys(wanted)).toHaveLength(4 + SIZES.cohorts.length)
  for (let cut = 1; cut <= requests; cut++) {
    const [rough, folder] = [await fakeTeam(), testFolder()]
    rough.onRequest = () => {
      rough.mischief = rough.seen.length === cut ? [{ kind: 'busy', rate: 1 }] : []
    }
    await expect(pull(rough, folder)).rejects.toMatchObject({ code: 'unavailable' })
    const struck = rough.seen.at(-1)!.url.pathname
    await pull(rough, folder)
    expect(await held(folder)).toEqual(wanted)
    const orders = rough.seen.filter(({ url }) => /\/api\/5\/cohorts\/request\/c\d$/.test(url.pathname))
    // The one that was under way.
    const again = struck.startsWith('/api/5/') || struck.startsWith('/signed/') ? 1 : 0
    expect(orders).toHaveLength(SIZES.cohorts.length + again)
  }
})
