import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { runHosted } from '../helpers/command-host.ts'
import { fleetRequest, planFleet, runAll, writeHistory } from '../helpers/fleet.ts'
import { makeFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seeded } from '../helpers/random.ts'
import { S3Server } from '../helpers/s3-server.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { seedOf } from '../helpers/seed.ts'

const seed = seedOf('cut buckets')
const random = seeded(seed)
const TASKS = 3
const bucket = new S3Server({ pageSize: 10 })
const folder = makeFolder()
let out: string
/** The bucket before `fleet finish`. */
let begun: ReadonlyMap<string, { readonly bytes: Buffer; readonly etag: string }>

beforeAll(async () => {
  await bucket.start()
  Object.assign(process.env, bucket.env)
  const [raw, work] = [join(folder, 'raw'), join(folder, 'work')]
  writeHistory(raw, seed, { files: 3, records: 60 })
  mkdirSync(work)
  out = bucket.location('events')
  await planFleet(fleetRequest({ in: [raw], out }), TASKS)
  await runAll(out, TASKS, { work })
  begun = new Map(bucket.objects)
})
afterAll(() => bucket.close())

test.each([
  { share: 0.08, runs: kills({ few: 2, many: 20 }) },
  { share: 0.3, runs: kills({ few: 1, many: 10 }) },
])(
  'a fleet ends and is imported while $share of the reads of its bucket break off',
  async ({ share, runs }) => {
    for (let run = 0; run < runs; run++) {
      bucket.objects.clear()
      for (const [key, object] of begun) bucket.objects.set(key, object)
      const sandbox = await startSandbox({ mergeAfterMs: 0 })
      try {
        const env = { ...sandboxEnv(sandbox), ...bucket.env }
        let cuts = 0
        bucket.strikes = (method) => {
          if (method !== 'GET' || random() >= share) return undefined
          cuts++
          return 'cut'
        }
        const finished = await runHosted(['fleet', 'finish', '--out', out], env)
        // 3: the history has rejects.
        expect(finished.code, finished.stderr).toBe(3)
        const sent = await runHosted(['import', '--dataset', out, '--json'], env)
        expect(sent.code, sent.stderr).toBe(0)
        const { counts } = JSON.parse(sent.stdout)
        bucket.strikes = () => undefined
        expect(cuts).toBeGreaterThan(0)
        const { results } = await sandbox.query('SELECT count() FROM events')
        expect(results).toEqual([[counts.written]])
      } finally {
        await sandbox.close()
      }
    }
  },
)
