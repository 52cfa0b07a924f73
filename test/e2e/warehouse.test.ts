import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { testFolder } from '../helpers/folder.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'

const WAREHOUSE = fileURLToPath(new URL('../../fixtures/warehouse/', import.meta.url))

test.each([
  [
    'amplitude',
    { read: 3, written: 3, generated: 2 },
    ['$groupidentify', '$identify', '$pageview', 'Order Placed', 'Viewed, "twice"'],
  ],
  [
    'mixpanel',
    { read: 3, written: 3, generated: 1 },
    ['$identify', '$pageview', 'Signed up "again"', 'Video Played'],
  ],
])('the table of a %s warehouse arrives in the service', async (vendor, counts, names) => {
  const events = join(testFolder(), 'events')
  const map = join(WAREHOUSE, `${vendor}.mapping.yaml`)
  const transform = await runHosted([
    ...['transform', '--map', map, '--in', join(WAREHOUSE, `${vendor}.csv`), '--out', events, '--json'],
  ])
  expect(transform).toMatchObject({ code: 0 })
  const nowhere = { rejected: 0, filtered: 0, duplicate: 0, earlier: 0, pending: 0 }
  expect(JSON.parse(transform.stdout).counts).toEqual({ ...counts, ...nowhere })

  const sandbox = await testSandbox()
  const env = sandboxEnv(sandbox)
  const fast = ['--approved', '--max-events-per-minute', '1000000']
  expect(await runHosted(['import', '--dataset', events, ...fast], env)).toMatchObject({ code: 0 })
  expect(await runHosted(['verify', events], env)).toMatchObject({ code: 0 })

  const { names: made } = JSON.parse(readFileSync(join(events, 'manifest.json'), 'utf8'))
  expect(Object.keys(made).sort()).toEqual(names)
})
