import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { CompareResult } from '../../src/jobs/results.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { runHosted } from '../helpers/command-host.ts'
import { testFolder } from '../helpers/folder.ts'
import { byDay } from '../helpers/kills.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { SHOP_MAPPING, shopInAmplitude, shopInMixpanel } from '../helpers/shop-history.ts'
import { FakeAmplitude } from '../helpers/vendors/amplitude.ts'
import { FakeMixpanel } from '../helpers/vendors/mixpanel.ts'

const ZONE = 'America/New_York'
/** `COMPARE_RECORDS=200000` tries it by hand with a history of that size. */
const RECORDS = Number(process.env.COMPARE_RECORDS ?? 1500)
const MINUTES = process.env.COMPARE_RECORDS ? 60 : 4
const ENV = {
  MIXPANEL_PROJECT_ID: '42',
  MIXPANEL_SERVICE_ACCOUNT: 'service-user',
  MIXPANEL_SERVICE_SECRET: 'service-secret',
  AMPLITUDE_API_KEY: 'api-key',
  AMPLITUDE_SECRET_KEY: 'secret-key',
}
type Vendor = 'mixpanel' | 'amplitude'

async function fakeOf(vendor: Vendor): Promise<FakeMixpanel | FakeAmplitude> {
  const fake =
    vendor === 'mixpanel'
      ? await new FakeMixpanel({ events: shopInMixpanel(RECORDS, 3), zone: ZONE, queries: 1e6 }).start()
      : await new FakeAmplitude({ events: shopInAmplitude(RECORDS, 3), zone: ZONE, weekStart: 1 }).start()
  onTestFinished(() => fake.close())
  return fake
}

/** Runs command lines in a folder, against a sandbox of their own. */
async function runner(folder: string) {
  const sandbox = await startSandbox({ timeZone: ZONE, weekStartDay: 1 })
  onTestFinished(() => sandbox.close())
  const env = { ...ENV, ...sandboxEnv(sandbox) }
  return async (codes: readonly number[], ...argv: string[]) => {
    const began = performance.now()
    const ended = await runHosted(argv, env, folder)
    if (process.env.COMPARE_RECORDS)
      console.log(`${argv[0]}: exit ${ended.code}, ${Math.round((performance.now() - began) / 1000)} s`)
    expect(codes, ended.stderr).toContain(ended.code)
    return ended
  }
}

const chartOf = ({ charts }: CompareResult, name: string) => charts.find((chart) => chart.name === name)!
const causesOf = (result: CompareResult, name: string) =>
  chartOf(result, name).causes.map(({ cause }) => cause)

test.each(['mixpanel', 'amplitude'] as const)(
  '%s: after a whole migration every difference is explained to the event',
  async (vendor) => {
    const folder = testFolder()
    const [fake, run] = [await fakeOf(vendor), await runner(folder)]
    writeFileSync(join(folder, 'map.yaml'), SHOP_MAPPING)
    const quick = ['--base-url', fake.url, '--requests-per-hour', '100000', '--no-reconcile']
    // Both vendors are asked for a day a request, at the pace they allow: two weeks have the change of the clocks in them.
    await run([0], 'export', vendor, '--from', '2024-03-04', '--to', '2024-03-18', '--out', 'raw', ...quick)
    await run([3], 'transform', '--preset', vendor, '--in', 'raw', '--map', 'map.yaml', '--out', 'events')
    // The sandbox has no cap of its own.
    const rate = ['--max-events-per-minute', '1000000', '--approved']
    await run([0], 'import', '--dataset', 'events', '--lanes', '4', ...rate)
    const argv = ['compare', 'events', '--with', vendor, '--map', 'map.yaml', '--base-url', fake.url]
    const found = await run([0, 3], ...argv, '--json')
    const result: CompareResult = JSON.parse(found.stdout)
    const { stdout: text } = await run([0, 3], ...argv)
    expect(result.unexplained, text).toBeNull()
    expect([found.code, result.equal, result.first, result.last]).toEqual([
      0,
      true,
      '2024-03-05',
      '2024-03-16',
    ])
    const all = 'count by day: all events'
    const { vendor: theirs, dataset, posthog } = chartOf(result, all).numbers
    expect(posthog).toBe(dataset)
    expect(theirs!).toBeGreaterThan(dataset!)
    expect(causesOf(result, all)).toEqual(expect.arrayContaining(['filtered', 'rejected', 'generated']))
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
  },
  MINUTES * 60_000,
)

const at = (line: string) => Date.parse(/"timestamp":"([^"]+)"/.exec(line)![1]!)
const DAY_START = Date.parse('2024-03-12T04:00:00Z')
/** 12 March in New York. */
const isOnDay = (time: number) => time >= DAY_START && time < DAY_START + 86_400_000

/** What is bent on the way, and where a comparison finds it. */
interface Fault {
  readonly name: string
  /** Of the raw records, as they came from the vendor. */
  readonly raw?: (time: number) => boolean
  readonly mapping?: string
  /** Of the events on their way to PostHog: the lines that come of one. */
  readonly sent?: (line: string, n: number) => string[]
  readonly chart: string
  readonly cause: string
  /** Where it is largest; undefined where that is anywhere. */
  readonly day?: string
  /** The cause has a reason, so the exit code is 0. */
  readonly isExplained?: true
}

const FAULTS: readonly Fault[] = [
  {
    name: 'a day that is missing in the export',
    raw: (time) => !isOnDay(time),
    chart: 'count by day: all events',
    cause: 'vendor',
    day: '2024-03-12',
  },
  {
    name: 'a day that was imported twice, the second time under another time',
    sent: (line) => {
      if (!isOnDay(at(line))) return [line]
      const moved = new Date(at(line) + 1000).toISOString().replace('Z', '000Z')
      return [
        line,
        line
          .replace(/"uuid":"[^"]{4}/, '"uuid":"ffff')
          .replace(/"timestamp":"[^"]+/, `"timestamp":"${moved}`),
      ]
    },
    chart: 'count by day: Page View',
    cause: 'service',
    day: '2024-03-12',
  },
  {
    name: 'a wrong zone in the mapping',
    mapping: `${SHOP_MAPPING}source_timezone: Asia/Tokyo\n`,
    chart: 'count by day: Page View',
    cause: 'time',
    isExplained: true,
  },
  {
    name: 'identity links that are lost',
    sent: (line) => (line.includes('"event":"$identify"') ? [] : [line]),
    chart: 'unique by week: all events',
    cause: 'service',
  },
  {
    name: 'a name that is mapped to another',
    sent: (line) => [isOnDay(at(line)) ? line.replace('"event":"Search"', '"event":"Purchase"') : line],
    chart: 'count by day: Search',
    cause: 'service',
    day: '2024-03-12',
  },
  {
    name: 'a property that is cut',
    sent: (line) => [isOnDay(at(line)) ? line.replace(/"amount":\d+/, '"amount":1') : line],
    chart: 'sum of amount by day: Purchase',
    cause: 'service',
    day: '2024-03-12',
  },
  {
    name: 'one in a hundred of an event that is dropped in transit',
    sent: (line, n) => (line.includes('"event":"Page View"') && n % 100 === 0 ? [] : [line]),
    chart: 'count by day: Page View',
    cause: 'service',
  },
]

const QUESTIONS = `questions:
  - count: true
  - count: Page View
  - count: Search
  - unique: true
    interval: week
  - sum: amount
    event: Purchase
`

test(
  'each fault is found, on its day and by its name',
  async () => {
    const fake = await fakeOf('mixpanel')
    const base = testFolder()
    const lines = shopInMixpanel(RECORDS, 3).map((event) => ({ event, text: `${JSON.stringify(event)}\n` }))
    /** Folders with a dataset, by what it was made of: what is bent after it was made has the same. */
    const made = new Map<string, string>()
    for (const { name, raw, mapping = SHOP_MAPPING, sent, chart, cause, day, isExplained } of byDay(
      FAULTS,
      2,
    )) {
      const folder = join(base, name.replaceAll(' ', '-'))
      const run = await runner(folder)
      const source = raw ? name : mapping
      if (made.has(source)) cpSync(made.get(source)!, folder, { recursive: true })
      else {
        mkdirSync(folder)
        const whole = lines.filter(({ event }) => raw?.(event.properties.time) ?? true)
        writeFileSync(join(folder, 'raw.ndjson'), whole.map(({ text }) => text).join(''))
        writeFileSync(join(folder, 'map.yaml'), mapping)
        writeFileSync(join(folder, 'q.yaml'), QUESTIONS)
        const what = ['--preset', 'mixpanel', '--in', 'raw.ndjson', '--map', 'map.yaml']
        await run([3], 'transform', ...what, '--out', 'events')
        cpSync(folder, join(base, String(made.size)), { recursive: true })
        made.set(source, join(base, String(made.size)))
      }
      const events = readdirSync(join(folder, 'events')).filter((file) => /^\d{4}-.*\.ndjson$/.test(file))
      const bent = events
        .flatMap((file) =>
          readFileSync(join(folder, 'events', file), 'utf8')
            .split('\n')
            .filter(Boolean),
        )
        .flatMap((line, n) => sent?.(line, n) ?? [line])
      writeFileSync(join(folder, 'bent.ndjson'), `${bent.join('\n')}\n`)
      const rate = ['--max-events-per-minute', '1000000', '--approved']
      await run([0], 'import', '--file', 'bent.ndjson', '--lanes', '4', ...rate)
      const theirs = ['--with', 'mixpanel', '--base-url', fake.url]
      const asked = [...theirs, '--map', 'map.yaml', '--questions', 'q.yaml']
      const { code, stdout } = await run([0, 3], 'compare', 'events', ...asked, '--json')
      const found = chartOf(JSON.parse(stdout), chart)
      const part = found.causes.find((one) => one.cause === cause)
      expect(part, `${name}: ${JSON.stringify(found)}`).toBeDefined()
      if (day !== undefined) expect(part!.example.at, name).toBe(day)
      expect(code, name).toBe(isExplained ? 0 : 3)
    }
  },
  MINUTES * 60_000,
)
