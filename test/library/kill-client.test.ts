import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { makeFolder } from '../helpers/folder.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { stateHome } from '../helpers/state-home.ts'

const EACH = 500
/** Captures under way at once: so many may be in the spool although nobody was told. */
const AT_ONCE = 50

/**
 * Captures EACH events and prints the number of each that is kept; then it delivers, and says so. `close` is said after
 * the end: by then all has arrived.
 */
const PROGRAM = `
import { writeSync } from 'node:fs'
const { HistoricalClient } = await import(process.env.LIBRARY)
const { PROJECT_KEY: projectKey, HOST: host, SPOOL: spool, RUN, EACH, AT_ONCE } = process.env
const client = new HistoricalClient({
  projectKey, host, spool, historicalMigration: true, approved: true, maxEventsPerMinute: 600000,
  batchEvents: 50, durable: 'kill', env: process.env,
})
const from = Number(RUN) * Number(EACH)
let next = from
const lane = async () => {
  while (next < from + Number(EACH)) {
    const n = next++
    await client.capture({
      distinctId: 'u' + (n % 7), event: 'killed', properties: { n }, timestamp: new Date(1682900000000 + n),
    })
    writeSync(1, n + '\\n')
  }
}
await Promise.all(Array.from({ length: Number(AT_ONCE) }, lane))
writeSync(1, 'captured\\n')
await client.close()
writeSync(1, 'closed\\n')
`

test('after five kills every event that was acknowledged has arrived, once', async () => {
  const sandbox = await startSandbox()
  const random = seeded(seedOf('kill-client'))
  const spool = join(makeFolder(), 'spool')
  const acknowledged = new Set<number>()
  /** Runs the program, and kills it when `isTime` says so of what it has printed. */
  const run = async (number: number, isTime: (printed: readonly string[]) => boolean): Promise<string[]> => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...stateHome(),
        LIBRARY: join(import.meta.dirname, '../../dist/index.js'),
        PROJECT_KEY: sandbox.projectKey,
        HOST: sandbox.url,
        SPOOL: spool,
        RUN: String(number),
        EACH: String(EACH),
        AT_ONCE: String(AT_ONCE),
      },
    })
    let text = ''
    const whole = () =>
      text
        .slice(0, text.lastIndexOf('\n') + 1)
        .trimEnd()
        .split('\n')
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (isTime(whole())) child.kill('SIGKILL')
    })
    await once(child, 'close')
    for (const line of whole()) if (/^\d+$/.test(line)) acknowledged.add(Number(line))
    return whole()
  }
  try {
    for (let kill = 0; kill < 5; kill++) {
      const after = Math.floor(random() * EACH)
      // Three die while they capture, two while they deliver.
      const lines = await run(kill, (printed) =>
        kill % 2 === 0 ? printed.length > after : printed.includes('captured'),
      )
      expect(lines).not.toContain('closed')
    }
    expect(await run(5, () => false)).toContain('closed')
    const { results } = await sandbox.query(
      "select toInt(properties.n), count() from events where event = 'killed' group by 1",
    )
    const counts = new Map(results.map(([n, count]) => [Number(n), Number(count)]))
    expect([...counts.values()].filter((count) => count !== 1)).toEqual([])
    expect([...acknowledged].filter((n) => !counts.has(n))).toEqual([])
    expect(counts.size - acknowledged.size).toBeLessThanOrEqual(5 * AT_ONCE)
  } finally {
    await sandbox.close()
  }
})
