import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { S3Store } from '../../src/store/s3.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { makeFolder } from '../helpers/folder.ts'
import { writeHistory } from '../helpers/histories.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { S3Server } from '../helpers/s3-server.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'

const seed = seedOf('cut buckets')
const random = seeded(seed)
const bucket = new S3Server({ pageSize: 10 })
/** The bucket with nothing but raw records. */
let raw: ReadonlyMap<string, { readonly bytes: Buffer; readonly etag: string }>

beforeAll(async () => {
  await bucket.start()
  Object.assign(process.env, bucket.env)
  const folder = makeFolder()
  writeHistory(folder, seed, { files: 3, records: 60 })
  const store = new S3Store(bucket.location('raw'))
  for (const name of readdirSync(folder)) await store.put(name, readFileSync(join(folder, name)))
  raw = new Map(bucket.objects)
})
afterAll(() => bucket.close())

test.each([
  { share: 0.08, runs: kills({ few: 1, many: 20 }) },
  { share: 0.3, runs: kills({ few: 1, many: 10 }) },
])(
  'a transform of a bucket ends and is imported while $share of its reads break off',
  async ({ share, runs }) => {
    const [input, out] = [bucket.location('raw'), bucket.location('events')]
    for (let run = 0; run < runs; run++) {
      bucket.objects.clear()
      for (const [key, object] of raw) bucket.objects.set(key, object)
      const sandbox = await startSandbox({ mergeAfterMs: 0 })
      try {
        const env = { ...sandboxEnv(sandbox), ...bucket.env }
        let cuts = 0
        bucket.strikes = (method) => {
          if (method !== 'GET' || random() >= share) return undefined
          cuts++
          return 'cut'
        }
        const made = await runHosted(['transform', '--preset', 'mixpanel', '--in', input, '--out', out], env)
        // 3: the history has rejects.
        expect(made.code, made.stderr).toBe(3)
        const sent = await exits(0, runHosted(['import', '--dataset', out, '--json'], env))
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
