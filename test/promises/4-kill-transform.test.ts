import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { datasetFile, datasetFiles } from '../helpers/dataset-files.ts'
import { exits } from '../helpers/exits.ts'
import { history } from '../helpers/history.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { readSoundDataset } from '../helpers/sound-dataset.ts'

/** Kills of one transform, from its start to its end. */
const KILLS = kills({ few: 3, many: 10 })
const LOOK_MS = 2
const WORK = '.posthaul-transform'

const seed = seedOf('kill transform')
const random = seeded(seed)

type Phase = 'starting' | 'mapping' | 'generating' | 'sealing' | 'done'

/** How far a transform is, read from its work folder: its job, its phase, the pieces it has finished. */
function progressOf(out: string, units: number): { job: string; phase: Phase; pieces: number } {
  let names: string[] = []
  let job = ''
  try {
    names = readdirSync(join(out, WORK))
    job = readFileSync(join(out, WORK, 'job.json'), 'utf8')
  } catch {}
  const done = names.filter((name) => name.endsWith('.done'))
  const at = (phase: Phase) => ({ job, phase, pieces: done.length })
  if (existsSync(join(out, 'manifest.json'))) return at('done')
  if (names.length === 0) return at('starting')
  if (done.filter((name) => name.startsWith('unit-')).length < units) return at('mapping')
  return at(done.some((name) => name.startsWith('generated-')) ? 'sealing' : 'generating')
}

/** Units that a file is cut into while it is small. */
function unitsOf(path: string): number {
  return Math.ceil(statSync(path).size / (4 * 1024 * 1024))
}

interface Kill {
  readonly argv: readonly string[]
  readonly out: string
  readonly units: number
  readonly wanted: Phase
  /** The command differs from the one before it: what the folder says does not count until this one has started. */
  readonly anew?: boolean
}

/** Runs a transform and kills it in the phase wanted; resolves to the phase it was killed in, or to its exit code. */
async function killIn({ argv, out, units, wanted, anew = false }: Kill): Promise<Phase | number> {
  const cli = startCli(argv)
  let timer: NodeJS.Timeout | undefined
  const killAfter = (ms: number) => {
    timer = setTimeout(() => cli.kill('SIGKILL'), ms)
  }
  const before = progressOf(out, units)
  // Once the last unit is mapped it maps no longer.
  const [least, most] = wanted === 'mapping' ? [0, units - 1] : [1, 3]
  const more = (anew ? 0 : before.pieces) + least + Math.floor(random() * (most - least + 1))
  const moment = anew ? 0 : random() * 25
  let looking: NodeJS.Timeout | undefined
  if (wanted === 'starting') killAfter(random() * 400)
  else {
    looking = setInterval(() => {
      const { job, phase, pieces } = progressOf(out, units)
      if (anew && (job === before.job || job === '')) return
      const isThere = phase === wanted && (wanted === 'generating' || pieces >= more)
      if (!isThere && ORDER.indexOf(phase) <= ORDER.indexOf(wanted)) return
      clearInterval(looking)
      killAfter(moment)
    }, LOOK_MS)
  }
  const ended = await cli.ended
  clearInterval(looking)
  clearTimeout(timer)
  if (ended.signal === 'SIGKILL') return progressOf(out, units).phase
  expect(ended.code, ended.stderr).toBe(3)
  return 3
}

const ORDER: readonly Phase[] = ['starting', 'mapping', 'generating', 'sealing', 'done']
const WANTED = 'mapping sealing starting mapping generating sealing starting sealing done'.split(
  ' ',
) as Phase[]

describe('promise 4: a transform killed anywhere goes on by the same command, to the same bytes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-test-'))
  const path = join(folder, 'history.ndjson')
  /** A dataset that has some of the days, of the window before. */
  const earlier = join(folder, 'earlier')
  const argv = (out: string, ...more: string[]) => [
    ...['transform', '--preset', 'amplitude', '--in', path, '--out', out, '--workers', '2'],
    ...['--after', earlier, ...more],
  ]
  let units: number
  let expected: Map<string, string>

  beforeAll(async () => {
    writeFileSync(
      path,
      [...history({ seed, bytes: 4_400_000, days: 24, people: 1500, longest: 6000, broken: 0.04 })].join(''),
    )
    const before = join(folder, 'before.ndjson')
    const early = readFileSync(path, 'latin1')
      .split('\n')
      .filter((line) => /"event_time":"2024-01-0/.test(line))
    writeFileSync(before, early.join('\n'), 'latin1')
    const made = ['transform', '--preset', 'amplitude', '--in', before, '--out', earlier]
    await exits(0, runHosted(made))
    units = unitsOf(path)
    const undisturbed = join(folder, 'undisturbed')
    await exits(3, runHosted(argv(undisturbed)))
    const { manifest, rejects } = readSoundDataset(undisturbed)
    // The line numbers are those of the whole file, whatever piece of it a line was found in.
    const lines = readFileSync(path, 'latin1').split('\n')
    expect(rejects.filter(({ line, record }) => lines[line - 1] !== record)).toEqual([])
    expected = datasetFiles(undisturbed)
    const { generated, duplicate, earlier: known } = manifest.events
    for (const count of [generated, duplicate, known, rejects.length]) {
      expect(count).toBeGreaterThan(10)
    }
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Starts a transform and kills it after it has finished some pieces of this phase. */
  const killed = async (out: string, wanted: Phase, ...more: string[]) => {
    for (let attempt = 0; attempt < 20; attempt++) {
      const phase = await killIn({ wanted, argv: argv(out, ...more), out, units, anew: attempt === 0 })
      if (phase === wanted) return
      rmSync(out, { recursive: true, force: true })
    }
    throw new Error(`never killed while ${wanted}`)
  }

  test(`after ${KILLS} kills, the first of them while there is something to lose`, async () => {
    const out = join(folder, 'killed')
    await killed(out, 'mapping')
    let code: Phase | number = 'mapping'
    for (let kill = 1; kill < KILLS && typeof code === 'string'; kill++) {
      code = await killIn({ wanted: WANTED[kill % WANTED.length]!, argv: argv(out), out, units })
      // A dataset with a manifest must always be complete. The work folder may be there still.
      if (code === 'done') expect(datasetFile(out, 'manifest.json')).toBe(expected.get('manifest.json'))
    }
    if (typeof code === 'string') {
      await exits(3, runHosted(argv(out)))
    }
    expect([...datasetFiles(out).keys()]).toEqual([...expected.keys()])
    for (const [name, text] of datasetFiles(out))
      expect(text === expected.get(name), `${name} is the same`).toBe(true)
  })

  test('another command over a killed transform starts afresh, and so does the first one after it', async () => {
    const [packed, out] = [join(folder, 'packed'), join(folder, 'out')]
    await runHosted(argv(packed, '--gzip'))
    await killed(out, 'sealing')
    await killed(out, 'mapping', '--gzip')
    await exits(3, runHosted(argv(out)))
    expect(datasetFiles(out)).toEqual(expected)
    await killed(out, 'sealing', '--import-id', 'another')
    await exits(3, runHosted(argv(out, '--gzip')))
    expect(datasetFiles(out)).toEqual(datasetFiles(packed))
  })
})
