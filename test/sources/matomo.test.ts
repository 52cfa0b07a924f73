import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Secret } from '../../src/http/secret.ts'
import { utcTime } from '../../src/options/values.ts'
import { type MatomoOptions, matomoOrder } from '../../src/sources/matomo/matomo.ts'
import { windowsOf } from '../../src/sources/window.ts'
import { MS_PER_DAY } from '../../src/text/units.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { FakeMatomo, type FakeMatomoOptions } from '../helpers/vendors/matomo.ts'
import { exportInto, freshStore, linesOf, started } from './harness.ts'

const DAYS = ['2024-03-01', '2024-03-02', '2024-03-03']

const visit = (id: number) => `{"idVisit":${id},"big":12345678901234567890,"actionDetails":[{"n":1.0}]}`
const VISITS = Object.fromEntries(
  DAYS.map((day, d) => [day, Array.from({ length: d === 1 ? 0 : 700 }, (_, i) => visit(1000 * d + i))]),
)

const start = (options: Partial<FakeMatomoOptions> = {}) =>
  started(new FakeMatomo({ visits: VISITS, ...options }))

function order(fake: FakeMatomo, more: Partial<MatomoOptions> = {}) {
  return matomoOrder({
    url: `${fake.url}/stats`,
    origin: undefined,
    site: '1',
    token: new Secret(fake.token, 'MATOMO_TOKEN'),
    windows: windowsOf(utcTime(DAYS[0]!), utcTime('2024-03-04'), MS_PER_DAY),
    limits: [],
    quietMs: 5000,
    clock: new FakeClock(utcTime('2024-03-07')),
    ...more,
  })
}

test('every visit of every day, byte for byte, with the address and the zone', async () => {
  const fake = await start()
  const at = freshStore()
  const { outcome } = await exportInto(at, order(fake))
  expect(outcome.fetched).toBe(3)
  const end = `,"(export)":{"base_url":"${fake.url}/stats","timezone":"Europe/Berlin"}}`
  expect(await linesOf(at)).toEqual(
    DAYS.flatMap((day) => VISITS[day]!.map((text) => text.slice(0, -1) + end)),
  )
})

test('the token is in bodies only, and in no file', async () => {
  const fake = await start()
  const at = freshStore()
  await exportInto(at, order(fake))
  for (const { url, authorization, body } of fake.seen) {
    expect([url.href, authorization].join()).not.toContain(fake.token)
    expect(new URLSearchParams(body).get('language')).toBe('en')
  }
  for (const name of ['export.json', 'manifest.json'])
    expect(readFileSync(join(at.location, name), 'utf8')).not.toContain(fake.token)
})

test('pages that take Matomo too long are halved', async () => {
  const fake = await start({ most: 130 })
  const at = freshStore()
  await exportInto(at, order(fake))
  expect(await linesOf(at)).toHaveLength(1400)
})

test('a run that was cut short goes on; broken answers and web pages are asked for again', async () => {
  const fake = await start({
    mischief: [
      { kind: 'html', rate: 1, times: 1 },
      { kind: 'cut', rate: 0.5, times: 2 },
      { kind: 'storm', rate: 0.5, times: 1 },
    ],
  })
  const at = freshStore()
  const stop = new AbortController()
  const first = exportInto(at, order(fake), {
    concurrency: 1,
    signal: stop.signal,
    frozen: () => stop.abort(),
  })
  await expect(first).rejects.toMatchObject({ code: 'interrupted' })
  const { fetched } = await exportInto(at, order(fake))
  // Days side by side may end in any order.
  expect(fetched.toSorted()).toEqual(DAYS.slice(1))
  expect(await linesOf(at)).toHaveLength(1400)
})

test.each([
  ['The visits log is deactivated in this Matomo.', 'config', /switched off/],
  [
    "You can't access this resource as it requires 'view' access for the website id = 1.",
    'auth',
    /MATOMO_TOKEN/,
  ],
  ['An unexpected website was found.', 'config', /--site/],
])('a refusal with the status 200 is one: %s', async (refuses, code, hint) => {
  const fake = await start({ refuses })
  await expect(exportInto(freshStore(), order(fake))).rejects.toMatchObject({
    code,
    hint: expect.stringMatching(hint),
    message: expect.stringContaining(refuses),
  })
})

test('a wrong token is told, and not shown', async () => {
  const fake = await start()
  const wrong = order(fake, { token: new Secret('f'.repeat(32), 'MATOMO_TOKEN') })
  const error: Error = await exportInto(freshStore(), wrong).then(
    () => new Error('no error'),
    (caught: Error) => caught,
  )
  expect(error).toMatchObject({ code: 'auth' })
  expect(error.message).not.toContain('ffffffff')
})

test('a day that is not over where the site is is refused', async () => {
  const fake = await start({ zone: 'America/New_York' })
  const at = (hour: number) => order(fake, { clock: new FakeClock(utcTime('2024-03-04') + hour * 3_600_000) })
  await expect(exportInto(freshStore(), at(4))).rejects.toMatchObject({ code: 'usage' })
  expect((await exportInto(freshStore(), at(5))).outcome.fetched).toBe(3)
})
