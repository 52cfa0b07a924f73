import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { testFolder } from '../helpers/folder.ts'
import { peakOf } from '../helpers/peak.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'

/** While every name was kept, 3,000,000 of them took over 2 GiB in transform, and 600,000 about a fifth of that. */
const NAMES = 600_000
/** Few enough names a day that each is proven for itself. */
const DAYS = 80
/** Most of it is garbage that is not collected yet: what is kept is a tenth of it. */
const MOST_MIB = 340

/** Records that each have a name of their own: as Mixpanel's, or as the service's own events. */
function writeRecords(path: string, record: (n: number, ms: number) => string): void {
  const file = openSync(path, 'w')
  const start = Date.UTC(2024, 0, 1)
  for (let n = 0; n < NAMES; ) {
    const lines: string[] = []
    for (; lines.length < 5_000; n++)
      lines.push(record(n, start + Math.floor((n * DAYS * 86_400) / NAMES) * 1000))
    writeSync(file, `${lines.join('\n')}\n`)
  }
  closeSync(file)
}

const uuid = (n: number) => `00000000-0000-5000-8000-${n.toString(16).padStart(12, '0')}`

test('memory does not grow with the names of events: 600,000 of them', async () => {
  const folder = testFolder()
  const raw = join(folder, 'raw.ndjson')
  const dataset = join(folder, 'events')
  writeRecords(
    raw,
    (n, ms) =>
      `{"event":"Page ${n} viewed","properties":{"time":${ms / 1000},"distinct_id":"user-${n % 1000}","$insert_id":"seen-${n}","property ${n}":1}}`,
  )
  const peaks: Record<string, number> = {}
  peaks.transform = await peakOf(['transform', '--preset', 'mixpanel', '--in', raw, '--out', dataset], [0])
  peaks.check = await peakOf(['check', dataset], [0])

  const sandbox = await startSandbox()
  try {
    // Nothing is there: all 600,000 cells differ.
    peaks.verify = await peakOf(['verify', dataset], [3], sandboxEnv(sandbox))
  } finally {
    await sandbox.close()
  }

  const own = join(folder, 'own.ndjson')
  writeRecords(
    own,
    (n, ms) =>
      `{"uuid":"${uuid(n)}","event":"Page ${n} viewed","distinct_id":"user-${n % 1000}","timestamp":"${new Date(ms).toISOString()}","properties":{"property ${n}":1}}`,
  )
  peaks['check --file'] = await peakOf(['check', '--file', own], [0])
  for (const [command, peak] of Object.entries(peaks)) console.log(`${command}: ${peak.toFixed(0)} MiB`)
  for (const [command, peak] of Object.entries(peaks)) expect(peak, command).toBeLessThan(MOST_MIB)
})
