import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { changeSandbox } from '../helpers/behind-its-back.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { POSTHAUL } from './paths.ts'

/*
 * The rehearsal of a whole migration: a million events go through transform and import into the sandbox, whose database
 * is then changed behind its back: 3 events removed, 2 changed, 1 added. `verify` has to name the four, and with
 * `--sample all` all six. test/e2e/verify.test.ts does the same with 20,000.
 *
 *     npm run build && npm run build:bench && node test/bench/dist/test/bench/rehearsal.js [events]
 */
const EVENTS = Number(process.argv[2] ?? 1_000_000)
const DAYS = 90
const FAST = ['--approved', '--max-events-per-minute', '100000000', '--lanes', '4', '--batch-events', '5000']

const folder = mkdtempSync(join(tmpdir(), 'posthaul-rehearsal-'))
const [data, raw, dataset] = ['sandbox', 'raw.ndjson', 'events'].map((name) => join(folder, name))

function uuidOf(n: number): string {
  return `018cc251-f400-7abc-8def-${n.toString(16).padStart(12, '0')}`
}

function writeRaw(): void {
  const file = openSync(raw!, 'w')
  let held = ''
  for (let n = 0; n < EVENTS; n++) {
    const at = Date.UTC(2024, 0, 1 + (n % DAYS)) + Math.floor((n / EVENTS) * 86_000_000)
    const event = {
      uuid: uuidOf(n),
      event: `event ${n % 50}`,
      distinct_id: `user-${n % 20_011}`,
      timestamp: new Date(at).toISOString(),
      properties: { n, plan: 'pro', url: `https://shop.example/${n % 1000}?q=ü`, list: [1, { a: n % 7 }] },
    }
    held += `${JSON.stringify(event)}\n`
    if (held.length > 1_000_000 || n === EVENTS - 1) {
      writeSync(file, held)
      held = ''
    }
  }
  closeSync(file)
}

async function step(name: string, argv: readonly string[], env: Record<string, string> = {}) {
  const start = performance.now()
  const child = spawn(process.execPath, [POSTHAUL, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', XDG_STATE_HOME: join(folder, 'state'), ...env },
  })
  const ran = { code: null as number | null, stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ran.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ran.stderr += text
  })
  ran.code = (await once(child, 'close'))[0] as number | null
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`\n$ posthaul ${name}   (exit ${ran.code}, ${seconds} s)`)
  console.log(ran.stderr.replaceAll(`${folder}/`, '').trim())
  return ran
}

try {
  writeRaw()
  await step('transform', ['transform', '--preset', 'posthog', '--in', raw!, '--out', dataset!])
  let sandbox = await startSandbox({ data: data! })
  await step('import', ['import', '--dataset', dataset!, ...FAST], sandboxEnv(sandbox))
  await step('verify events', ['verify', dataset!], sandboxEnv(sandbox))
  await sandbox.close()
  const gone = [EVENTS - 1, 7, Math.floor(EVENTS / 2)].map((n) => `'${uuidOf(n)}'`)
  const rows = await changeSandbox(
    data!,
    `DELETE FROM sandbox_log WHERE uuid IN (${gone.join(', ')})`,
    ...['properties', 'cleaned', 'lasting'].map(
      (column) =>
        `UPDATE sandbox_log SET ${column} = replace(${column}, '"pro"', '"free"') WHERE uuid = '${uuidOf(54)}'`,
    ),
    `UPDATE sandbox_log SET timestamp = timestamp + INTERVAL 1 SECOND WHERE uuid = '${uuidOf(1234)}'`,
    `INSERT INTO sandbox_log SELECT * REPLACE (seq + 1000000000 AS seq, 'ffffffff-ffff-4fff-bfff-ffffffffffff'::UUID AS uuid)
     FROM sandbox_log WHERE uuid = '${uuidOf(100)}'`,
  )
  console.log(`\nbehind its back: ${rows.join(', ')} rows removed, changed, changed, added`)
  sandbox = await startSandbox({ data: data! })
  const four = await step('verify events', ['verify', dataset!], sandboxEnv(sandbox))
  console.log(four.stdout.trim())
  const six = await step(
    'verify events --sample all',
    ['verify', dataset!, '--sample', 'all'],
    sandboxEnv(sandbox),
  )
  console.log(six.stdout.trim())
  await sandbox.close()
  // The sample of the first may find a change too.
  const [first, all] = [
    four.stdout.match(/^(?:missing|unknown) /gm),
    six.stdout.match(/^(?:missing|unknown|changed) /gm),
  ]
  console.log(`\nnamed: ${first?.length ?? 0} of 4, then ${all?.length ?? 0} of 6`)
  if (first?.length !== 4 || all?.length !== 6) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
