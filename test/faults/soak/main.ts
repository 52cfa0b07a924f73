// npm run soak [-- --events 1000000]: the whole way of a history, under kills and faults, held against what was minted.
import { createWriteStream, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { ROOT } from '../../bench/paths.ts'
import { breachesOf, countMinted, rejectBreaches } from './breaches.ts'
import { underKills } from './kills.ts'
import { Mint } from './mint.ts'
import { Places, storeOf } from './places.ts'
import { report } from './report.ts'
import { ServiceProcess } from './service-process.ts'

const KEY = 'phc_soak'
const RAW_FILES = 8
const CHUNK_RECORDS = 500

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000000' },
    'kill-every': { type: 'string', default: '20s' },
    'most-kills': { type: 'string', default: 'Infinity' },
    faults: { type: 'string', default: '0.05' },
    store: { type: 'string' },
    's3-faults': { type: 'string', default: '0.08' },
    'batch-events': { type: 'string', default: '1000' },
    'most-memory': { type: 'string', default: '250' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const seed = Number(values.seed)
const killEveryMs = milliseconds(values['kill-every'])
const mostMib = Number(values['most-memory'])
const say = (text: string) => void process.stderr.write(`${text}\n`)

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
const mintOptions = { seed, records: Number(values.events), version }
const mint = new Mint(mintOptions)
const folder = await mkdtemp(join(tmpdir(), 'posthaul-soak-'))
const places = await Places.start(storeOf(values.store, mintOptions), folder, {
  faults: Number(values['s3-faults']),
  seed,
})
const service = await ServiceProcess.start({ ...mintOptions, key: KEY, faults: Number(values.faults) })
let isHeld = false
try {
  say(`soak: ${mint.records.toLocaleString('en')} records, seed ${seed}, store ${places.store}, in ${folder}`)
  await writeRaw(join(folder, 'raw'))
  const env = { ...places.env, XDG_STATE_HOME: join(folder, 'state') }
  const kills = { folder, killEveryMs, mostKills: Number(values['most-kills']), say }
  const transform = await underKills({
    ...kills,
    env,
    seed,
    argv: [
      ...['transform', '--preset', 'mixpanel', '--in', 'raw', '--out', places.dataset, '--import-id', 'soak'],
      // Each worker has buffers of its own, so the limit of memory is one for so many.
      ...['--workers', '2'],
    ],
  })
  await rm(join(folder, 'raw'), { recursive: true })
  const importing = {
    ...kills,
    env: { ...env, POSTHOG_PROJECT_API_KEY: KEY, POSTHOG_HOST: service.origin },
    seed: seed + 1,
    look: () => service.assertUp(),
    argv: [
      ...['import', '--dataset', places.dataset, ...places.stateOptions],
      ...['--lanes', '3', '--batch-events', values['batch-events']],
      ...['--approved', '--max-events-per-minute', '1000000000', '--max-events', '1000000000'],
    ],
  }
  const imported = await underKills(importing)
  const told = await service.told()
  const again = await underKills({ ...importing, mostKills: 0 })
  const { requests } = await service.told()
  const minted = countMinted(mint)
  const peaks = { transform: transform.peakMib, import: Math.max(imported.peakMib, again.peakMib) }
  const breaches = [
    ...breachesOf(minted, transform, imported, told),
    ...rejectBreaches(places.rejects('transform'), mint, 'broken'),
    ...rejectBreaches(places.rejects('import'), mint, 'poison'),
    ...(requests === told.requests ? [] : ['an import that was done has sent something again']),
    ...Object.entries(peaks).flatMap(([name, peak]) =>
      peak > mostMib ? [`${name} took ${peak.toFixed(0)} MiB; at most ${mostMib} are allowed`] : [],
    ),
  ]
  isHeld = breaches.length === 0
  const { store, told: bucket } = places
  process.stdout.write(report({ minted, transform, imported, told, store, bucket, seed, mostMib, breaches }))
} catch (error) {
  process.stdout.write(`BROKEN: seed ${seed}: ${(error as Error).message}\n`)
} finally {
  await service.stop()
  await places.close()
  if (isHeld) await rm(folder, { recursive: true, force: true })
  else say(`what is left of it: ${folder}`)
}
process.exitCode = isHeld ? 0 : 1

/** Writes the export: some files, in the order of time. */
async function writeRaw(path: string): Promise<void> {
  await mkdir(path)
  const size = Math.ceil(mint.records / RAW_FILES)
  for (let file = 0; file < RAW_FILES; file++) {
    const records = chunks(file * size, Math.min(mint.records, (file + 1) * size))
    await pipeline(Readable.from(records), createWriteStream(join(path, `part-${file}.ndjson`)))
  }
}

function* chunks(from: number, to: number): Generator<string> {
  for (let first = from; first < to; first += CHUNK_RECORDS) {
    const lines: string[] = []
    for (let n = first; n < Math.min(to, first + CHUNK_RECORDS); n++) lines.push(...mint.lines(n))
    yield `${lines.join('\n')}\n`
  }
}

function milliseconds(text: string): number {
  const [, number, unit] = /^([\d.]+)(ms|s)$/.exec(text) ?? []
  if (number === undefined) throw new Error(`not a time, such as 20s or 400ms: ${text}`)
  return Number(number) * (unit === 's' ? 1000 : 1)
}
