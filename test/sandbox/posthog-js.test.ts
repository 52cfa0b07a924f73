import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { JSDOM, VirtualConsole } from 'jsdom'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { patience } from '../helpers/patience.ts'
import { rows, startHarness } from './harness.ts'
import { ofTheLibrary, type StoredRow, storedRows } from './libraries.ts'

const ARRAY_JS = readFileSync(createRequire(import.meta.url).resolve('posthog-js/dist/array.js'), 'utf8')
const PAGE = 'http://shop.example/cart?utm_source=mail'
const ARRIVAL = { timeout: patience(20_000) }

/** An event as the library hands it to its last hook before it is sent. */
interface Handed {
  readonly uuid: string
  readonly event: string
  readonly timestamp: string
  readonly properties: Record<string, unknown>
  readonly $set?: object
  readonly $set_once?: object
}

/** A page with the library as a browser loads it, from another origin than the sandbox. */
function openPage({ url, projectKey }: Sandbox) {
  const { window } = new JSDOM('<!doctype html><button id="buy">Buy</button>', {
    url: PAGE,
    runScripts: 'dangerously',
    resources: 'usable',
    pretendToBeVisual: true,
    virtualConsole: new VirtualConsole(),
  })
  onTestFinished(() => window.close())
  const handed: Handed[] = []
  const beacons: string[] = []
  Object.assign(window, {
    // jsdom has none, and what the library has for browsers without it breaks emoji.
    TextEncoder,
    keep: (event: Handed) => {
      handed.push(JSON.parse(JSON.stringify(event)))
      return event
    },
    sent: (address: string) => beacons.push(address),
  })
  const config = `{ api_host: '${url}', before_send: keep, request_batching: false, disable_surveys: true }`
  // jsdom has no beacons: this one sends the same body without waiting.
  window.eval(`
    navigator.sendBeacon = (address, body) => {
      sent(address)
      const request = new XMLHttpRequest()
      request.open('POST', address)
      request.send(body)
      return true
    }
    window.posthog = Object.assign([], { __SV: 1, _i: [['${projectKey}', ${config}, 'posthog']] })`)
  window.eval(ARRAY_JS)
  return { window, handed, beacons }
}

test('posthog-js sends from a page, and every field is stored', async () => {
  const { sandbox } = await startHarness()
  const { window, handed, beacons } = openPage(sandbox)
  await vi.waitFor(() => expect(handed.map(({ event }) => event)).toContain('$pageview'), ARRIVAL)
  // Autocapture waits for what the configuration says of it.
  const isAllowed = "posthog.get_property('$autocapture_disabled_server_side') === false"
  await vi.waitFor(() => expect(window.eval(isAllowed)).toBe(true), ARRIVAL)
  window.eval(`
    posthog.identify('ann', { plan: 'pro' }, { first: 1 })
    posthog.group('company', 'acme', { size: 3 })
    posthog.capture('bought', { n: 1.5, text: 'é😀', list: [1, null], $set: { paid: true } })
    document.querySelector('#buy').click()`)
  await vi.waitFor(() => expect(handed.map(({ event }) => event)).toContain('$autocapture'), ARRIVAL)
  window.eval(`window.dispatchEvent(new Event('pagehide'))`)
  await vi.waitFor(() => expect(handed.map(({ event }) => event)).toContain('$pageleave'), ARRIVAL)
  await vi.waitFor(() => expect(sandbox.stats().events).toBe(handed.length), ARRIVAL)

  const stored = new Map((await storedRows(sandbox)).map((row) => [row.uuid, row]))
  for (const event of handed) expectStored(stored.get(event.uuid), event)
  expect(beacons.length).toBeGreaterThan(0)
  const names = ['$autocapture', '$groupidentify', '$identify', '$pageleave', '$pageview', 'bought']
  expect(handed.map(({ event }) => event).sort()).toEqual(names)
  const [ann] = await rows(sandbox, 'SELECT distinct_ids, properties.plan, properties.paid FROM persons')
  expect(ann).toEqual([expect.arrayContaining(['ann']), 'pro', 'true'])
  const acme = "SELECT count() FROM events WHERE $group_0 = 'acme' AND event = 'bought'"
  expect(await rows(sandbox, acme)).toEqual([[1]])
  expect(sandbox.stats().statuses).toEqual({ 200: handed.length })
})

function expectStored(row: StoredRow | undefined, event: Handed): void {
  const { $sent_at, $set, $set_once, ...properties } = ofTheLibrary(row?.properties ?? {})
  const { $set: _, $set_once: __, ...handed } = ofTheLibrary(event.properties)
  expect(properties).toEqual(handed)
  expect(row).toMatchObject({
    event: event.event,
    distinctId: event.properties.distinct_id,
    historical: false,
  })
  // The service moves the time by the difference of the clocks, to the millisecond.
  const skew = Date.parse(String($sent_at)) - (row?.receivedAt ?? 0)
  expect(row?.timestamp).toBe(Date.parse(event.timestamp) - skew)
  if (event.properties.$process_person_profile === false) return
  expect($set ?? {}).toMatchObject({ ...Object(event.properties.$set), ...event.$set })
  expect($set_once ?? {}).toMatchObject({ ...Object(event.properties.$set_once), ...event.$set_once })
}
