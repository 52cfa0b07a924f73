import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { CompareResult } from '../../src/jobs/results.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { runHosted } from '../helpers/command-host.ts'
import { testFolder } from '../helpers/folder.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { SHOP_MAPPING, shopInMixpanel } from '../helpers/shop-history.ts'

const ZONE = 'America/New_York'

test('a dataset against PostHog: all is the same, and a lost event is found on its day', async () => {
  const sandbox = await startSandbox({ timeZone: ZONE, weekStartDay: 1 })
  onTestFinished(() => sandbox.close())
  const folder = testFolder()
  const [raw, map, events] = ['raw.ndjson', 'mapping.yaml', 'events'].map((name) => join(folder, name))
  // For a group's type the import makes an event of its own, which is in PostHog, and in no part.
  const company = {
    $exported_at: 1709251200,
    $group_type: 'company',
    $distinct_id: 'acme',
    $properties: { seats: 3 },
  }
  const lines = [company, ...shopInMixpanel(600, 7)].map((one) => `${JSON.stringify(one)}\n`)
  writeFileSync(raw!, lines.join(''))
  writeFileSync(map!, SHOP_MAPPING)
  const env = sandboxEnv(sandbox)
  const run = (...argv: string[]) => runHosted(argv, env, folder)
  expect(
    (await run('transform', '--preset', 'mixpanel', '--in', raw!, '--map', map!, '--out', events!)).code,
  ).toBe(3)
  const sent = await run('import', '--dataset', events!, '--lanes', '4')
  expect(sent.code, sent.stderr).toBe(0)
  const same = await run('compare', events!, '--json', '--html', 'compare.html')
  expect(same.code, same.stderr).toBe(0)
  expect(JSON.parse(same.stdout)).toMatchObject({
    equal: true,
    unexplained: null,
    causes: [],
    first: '2024-03-01',
  })
  const one = { uuid: '00000000-0000-4000-8000-000000000001', event: 'Search', distinct_id: 'device-1' }
  const batch = [{ ...one, timestamp: '2024-03-10T12:00:00Z', properties: {} }]
  await fetch(`${sandbox.url}/batch/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: sandbox.projectKey, historical_migration: true, batch }),
  })
  const kept = await run('compare', events!, '--json')
  const { asked, charts }: CompareResult = JSON.parse(kept.stdout)
  expect(asked).toEqual([expect.objectContaining({ side: 'PostHog', kept: charts.length })])
  const again = await run('compare', events!, '--json', '--refetch')
  const result: CompareResult = JSON.parse(again.stdout)
  expect(again.code, again.stderr).toBe(0)
  expect(result.causes).toMatchObject([{ cause: 'others', amount: 1, example: { at: '2024-03-10' } }])
}, 120_000)
