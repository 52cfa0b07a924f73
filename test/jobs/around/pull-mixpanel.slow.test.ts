import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { runCommand } from '../../helpers/command.ts'
import { testFolder } from '../../helpers/folder.ts'
import { hurry } from '../../helpers/quick-clock.ts'
import { seeded } from '../../helpers/random.ts'
import { seedOf } from '../../helpers/seed.ts'
import { FakeMixpanel } from '../../helpers/vendors/mixpanel.ts'
import { madeAround } from '../../helpers/vendors/mixpanel-around.ts'

afterEach(() => vi.restoreAllMocks())

async function pull(fake: FakeMixpanel, out: string) {
  const { user, secret } = { user: 'service-user', secret: 'service-secret' }
  const env = { MIXPANEL_PROJECT_ID: '42', MIXPANEL_SERVICE_ACCOUNT: user, MIXPANEL_SERVICE_SECRET: secret }
  return runCommand(['around', 'pull', 'mixpanel', '--base-url', fake.url, '--out', out, '--json'], { env })
}

async function filesOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(yaml|csv)$/.test(name))
  return Object.fromEntries(
    await Promise.all(
      names.sort().map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
    ),
  )
}

const SIZES = {
  events: 20,
  properties: 40,
  annotations: 5,
  cohorts: [1, 1003, 2500],
  reports: 9,
  dashboards: 5,
}

test('a pull of a project that is cut short again and again ends in the files of one that was not', async () => {
  hurry(100)
  const around = madeAround(seeded(seedOf('pull-mixpanel')), SIZES)
  const fake = await new FakeMixpanel({ events: [], around, queries: Number.POSITIVE_INFINITY }).start()
  onTestFinished(() => fake.close())
  const [whole, cut] = [join(testFolder(), 'whole'), join(testFolder(), 'cut')]
  const ran = await pull(fake, whole)
  expect(ran.stderr + ran.code).toMatch(/0$/)
  expect(JSON.parse(ran.stdout)).toMatchObject({ source: 'mixpanel us 42', members: 3504 })
  const asked = fake.seen.length

  const right = { ...fake.credentials }
  let cuts = 0
  for (let code = -1; code !== 0; cuts++) {
    let left = 3 + 5 * cuts
    fake.onRequest = () => {
      if (left-- <= 0) fake.credentials.secret = 'revoked'
    }
    code = (await pull(fake, cut)).code
    expect([0, 4]).toContain(code)
    Object.assign(fake.credentials, right)
  }
  expect(cuts).toBeGreaterThan(2)
  expect(await filesOf(cut)).toEqual(await filesOf(whole))
  // A cohort that is whole is not asked for again.
  const first = fake.seen
    .slice(asked)
    .filter(({ body }) => body.includes('%7B%22id%22%3A1%7D') && body.includes('page=0'))
  expect(first).toHaveLength(1)
})
