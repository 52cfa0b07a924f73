import { appendFileSync, existsSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startCli } from '../helpers/cli-process.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seedOf } from '../helpers/random.ts'
import { unfolded } from '../helpers/unfolded.ts'
import { says } from './kit/action.ts'
import { mintEvents } from './kit/mint.ts'
import { pointsIn, suffering } from './kit/plan.ts'
import { FaultyImport } from './kit/run.ts'
import { Service } from './kit/service.ts'

const seed = seedOf('changed input')
const SMALL = ['--batch-events', '10']

/** An import of 60 events that stopped after 30: the service refuses the key from then on. */
async function half(padding = 0): Promise<{ service: Service; work: FaultyImport }> {
  const service = await Service.start((n) => (n < 3 ? undefined : { answer: says(401, 'no') }))
  const work = new FaultyImport({ service, seed, events: 60, padding })
  await exits(4, work.runHere(...SMALL))
  service.script = () => undefined
  return { service, work }
}

describe('an input that is another one when the import goes on', () => {
  const other = mintEvents({ seed: seed + 1, events: 60, padding: 50 })
  const rows: readonly (readonly [string, (lines: string[]) => string[], RegExp])[] = [
    ['replaced', () => other.map(({ line }) => line), /is not the file .*then: .*now: /],
    ['truncated before the place', (lines) => lines.slice(0, 20), /has shrunk .*: \d+ bytes, now \d+/],
    ['truncated after the place', (lines) => lines.slice(0, 45), /has shrunk .*: \d+ bytes, now \d+/],
    ['emptied', () => [], /has shrunk/],
    [
      'edited where it was imported',
      (lines) => lines.map((line, n) => (n === 25 ? line.replace('"n":25', '"n":52') : line)),
      /is not the file .*then: .*now: /,
    ],
    ['prepended', (lines) => [other[0]!.line, ...lines], /is not the file/],
    ['without its first line', (lines) => lines.slice(1), /has shrunk/],
    ['in another order', (lines) => lines.toReversed(), /is not the file .*then: .*now: /],
  ]
  test.each(rows.slice(0, kills({ few: 2, many: rows.length })))(
    '%s: exit 6, nothing is sent, and what was and is stands there',
    async (_, change, said) => {
      const { service, work } = await half()
      const requests = service.requests.length
      const whole = readFileSync(work.input, 'utf8')
      const lines = change(whole.trimEnd().split('\n'))
      writeFileSync(work.input, lines.map((line) => `${line}\n`).join(''))
      const refused = await exits(6, work.runHere(...SMALL))
      expect(unfolded(refused.stderr).replaceAll('\n', ' ')).toMatch(said)
      expect(service.requests.length).toBe(requests)
      // With the input as it was, the same command goes on.
      writeFileSync(work.input, whole)
      await exits(0, work.runHere(...SMALL))
      work.judge()
    },
  )
})

test('a byte that was changed behind the first 64 kB is found too', async () => {
  const { work } = await half(3000)
  const whole = readFileSync(work.input, 'utf8')
  writeFileSync(work.input, whole.replace('"n":25', '"n":52'))
  const { stderr } = await exits(6, work.runHere(...SMALL))
  expect(unfolded(stderr)).toMatch(/was changed in the part that is already imported then: .* now: /)
})

test('an input that grew goes on, and again when it has grown after the end', async () => {
  const { service, work } = await half()
  const more = new FaultyImport({ service, seed: seed + 2, events: 20 })
  appendFileSync(work.input, readFileSync(more.input))
  for (const read of [80, 80]) {
    const { summary } = await exits(0, work.runHere(...SMALL))
    expect(summary?.counts).toMatchObject({ read, written: read, pending: 0 })
  }
  appendFileSync(work.input, `${mintEvents({ seed: seed + 3, events: 1 })[0]!.line}\n`)
  expect((await work.runHere()).summary?.counts).toMatchObject({ read: 81, written: 81 })
})

test('a torn last line is a reject until the rest of it is there; then it is sent, and the reject is withdrawn', async () => {
  for (const share of [0, 0.5, 0.01, 0.99].slice(0, kills({ few: 2, many: 4 }))) {
    const service = await Service.start()
    const work = new FaultyImport({ service, seed, events: 30 })
    const whole = readFileSync(work.input)
    const last = work.minted.at(-1)!.line.length
    const left = 1 + Math.ceil(share * (last - 1))
    writeFileSync(work.input, whole.subarray(0, whole.length - left))
    const torn = await work.runHere()
    // Without its line end alone, the line is whole.
    expect(torn.summary?.counts, torn.stderr).toMatchObject({ rejected: left === 1 ? 0 : 1, pending: 0 })
    writeFileSync(work.input, whole)
    const mended = await exits(0, work.runHere())
    expect(mended.summary?.counts).toMatchObject({ read: 30, written: 30, rejected: 0, pending: 0 })
    work.judge()
  }
})

describe('an input that is changed while a transform reads it', () => {
  const changes: readonly (readonly [string, (path: string) => void])[] = [
    ['grown', (path) => appendFileSync(path, `${mintEvents({ seed, events: 1 })[0]!.line}\n`)],
    ['cut', (path) => truncateSync(path, 1000)],
    [
      'replaced by one of the same size',
      (path) => {
        writeFileSync(`${path}.new`, readFileSync(path, 'utf8').replaceAll('"n":1', '"n":2'))
        renameSync(`${path}.new`, path)
      },
    ],
  ]
  test.each(changes.slice(0, kills({ few: 1, many: changes.length })))(
    '%s: exit 2, and no dataset is made',
    async (_, change) => {
      const folder = testFolder()
      const [path, log] = [join(folder, 'in.ndjson'), join(folder, 'points')]
      const events = mintEvents({ seed, events: 60_000 })
      writeFileSync(path, events.map(({ line }) => `${line}\n`).join(''))
      const argv = ['transform', '--preset', 'posthog', '--in', path, '--out', join(folder, 'out')]
      const cli = startCli(argv, suffering({ match: 'in.ndjson', log }), folder)
      await expect.poll(() => pointsIn(log).size, { interval: 1 }).toBeGreaterThan(0)
      change(path)
      const { stderr } = await exits(2, cli.ended)
      expect(unfolded(stderr)).toMatch(/in\.ndjson (was changed|became shorter) while it was read/)
      expect(existsSync(join(folder, 'out', 'manifest.json'))).toBe(false)
    },
  )
})
