import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { testFolder } from '../helpers/folder.ts'
import { peakOf } from '../helpers/peak.ts'

const MIB = 1024 * 1024

/** `people` visitors, each seen anonymous and then known, over 20 days; 100 MB without a line end before the last. */
function writeInput(path: string, people: number): void {
  const file = openSync(path, 'w')
  const start = Date.UTC(2024, 0, 1) / 1000
  let held = ''
  for (let i = 0; i < people; i++) {
    const time = start + Math.floor((i * 20 * 86_400) / people)
    held += `{"event":"Seen","properties":{"time":${time},"distinct_id":"user-${i}","$device_id":"device-${i}","$insert_id":"seen-${i}","n":${i}}}\n`
    if (held.length > MIB) {
      writeSync(file, held)
      held = ''
    }
  }
  writeSync(file, held)
  const filler = Buffer.alloc(MIB, 0x78)
  writeSync(file, '{"event":"Long","properties":{"text":"')
  for (let i = 0; i < 100; i++) writeSync(file, filler)
  writeSync(file, '"}}\n')
  writeSync(file, `{"event":"Last","properties":{"time":${start},"distinct_id":"u","$insert_id":"last"}}\n`)
  closeSync(file)
}

test('memory does not grow with the input: a million ids, a line of 100 MB', async () => {
  const folder = testFolder()
  const peaks: Record<string, number> = {}
  for (const [name, people] of [['small', 100_000] as const, ['large', 1_000_000] as const]) {
    writeInput(join(folder, `${name}.ndjson`), people)
    const argv = ['transform', '--preset', 'mixpanel', '--in', join(folder, `${name}.ndjson`)]
    peaks[name] = await peakOf([...argv, '--out', join(folder, name)], [3])
  }
  console.log(
    `transform: ${peaks.small!.toFixed(0)} MiB for 100,000 people, ${peaks.large!.toFixed(0)} for 1,000,000`,
  )
  // A tenth of the input fits the buffers only in part, so some growth is theirs; with the input it would be tenfold.
  expect(peaks.large!).toBeLessThan(peaks.small! * 1.6)
  expect(peaks.large!).toBeLessThan(400)

  const sandbox = await startSandbox()
  try {
    const env = {
      POSTHOG_HOST: sandbox.url,
      POSTHOG_INGEST_HOST: sandbox.url,
      POSTHOG_PROJECT_API_KEY: sandbox.projectKey,
    }
    const argv = [
      ...['import', '--dataset', join(folder, 'small'), '--approved'],
      ...['--max-events-per-minute', '10000000'],
    ]
    const peak = await peakOf(argv, [0], env)
    console.log(`import: ${peak.toFixed(0)} MiB for 200,001 events`)
    expect(peak).toBeLessThan(300)
  } finally {
    await sandbox.close()
  }
})

test('memory does not grow with what a command prints: 330 MB in one window', async () => {
  const folder = testFolder()
  const records = 3_000_000
  const line = `{"id":%.0f,"event":"Seen","text":"${'x'.repeat(68)}"}`
  const days = ['--from', '2023-01-01', '--to', '2023-01-02']
  const run = ['--run', `seq -f '${line}' 1 ${records}`, '--count', `echo ${records}`]
  const peak = await peakOf(['export', 'command', ...days, ...run, '--out', join(folder, 'raw')], [0])
  console.log(`export command: ${peak.toFixed(0)} MiB for ${records} records`)
  const manifest = JSON.parse(readFileSync(join(folder, 'raw', 'manifest.json'), 'utf8'))
  expect(manifest.records).toBe(records)
  expect(peak).toBeLessThan(200)
})
