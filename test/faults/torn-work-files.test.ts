import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { datasetFiles } from '../helpers/dataset-files.ts'
import { exits } from '../helpers/exits.ts'
import { makeFolder } from '../helpers/folder.ts'
import { history } from '../helpers/history.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf, shuffled } from '../helpers/random.ts'
import { suffering } from './kit/plan.ts'

const seed = seedOf('torn work files')
const random = seeded(seed)
const WORK = '.posthaul-transform'

const folder = makeFolder()
const [input, out, killed] = ['raw.ndjson', 'events', 'killed'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
]
const argv = ['transform', '--preset', 'amplitude', '--in', input, '--out', out]

const DAMAGES: Readonly<Record<string, (bytes: Buffer) => Buffer | undefined>> = {
  'cut short': (bytes) => bytes.subarray(0, Math.floor(random() * bytes.length)),
  'cut at a line': (bytes) =>
    bytes.subarray(0, bytes.lastIndexOf(0x0a, Math.floor(bytes.length * random())) + 1),
  'with a bit flipped': (bytes) => {
    const bent = Buffer.from(bytes)
    const at = Math.floor(random() * bytes.length)
    bent[at]! ^= 1 << Math.floor(random() * 8)
    return bent
  },
  'with zeros at its end': (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.alloc(1)]),
  emptied: () => Buffer.alloc(0),
  removed: () => undefined,
}
type Damage = keyof typeof DAMAGES

let whole: ReadonlyMap<string, string>

function spoil(path: string, damage: Damage): void {
  const bytes = DAMAGES[damage]!(readFileSync(path))
  if (bytes === undefined) rmSync(path)
  else writeFileSync(path, bytes)
}

async function assertGoesOn(): Promise<void> {
  await exits(3, runHosted(argv))
  const now = datasetFiles(out)
  expect([...now.keys()]).toEqual([...whole.keys()])
  const differing = [...now].filter(([name, text]) => text !== whole.get(name)).map(([name]) => name)
  expect(differing).toEqual([])
}

/** Brings back what the killed transform left. */
function restore(): void {
  rmSync(out, { recursive: true, force: true })
  cpSync(killed, out, { recursive: true, preserveTimestamps: true })
}

beforeAll(async () => {
  const lines = history({ seed, bytes: 4_500_000, days: 12, people: 800, longest: 2500, broken: 0.03 })
  writeFileSync(input, [...lines].join(''))
  await exits(3, runHosted(argv))
  whole = datasetFiles(out)
  rmSync(out, { recursive: true })
  // Killed with all units mapped, events generated and the first day sealed: the runs of other large days are there.
  const kill = { point: 'worker rename', nth: 1, when: 'after' } as const
  expect((await runCli([...argv, '--workers', '1'], suffering({ match: 'day-', kill }))).signal).toBe(
    'SIGKILL',
  )
  cpSync(out, killed, { recursive: true, preserveTimestamps: true })
})

/** Of each kind the files that a killed transform leaves. */
const FILES = {
  'the job': /^job\.json$/,
  'the result of a unit': /^unit-\d+\.done$/,
  'a run of a unit': /^unit-\d+-\d+\.run$/,
  'a run of one day': /^unit-\d+-\d+-\d+\.run$/,
  'the observations of a unit': /\.seen$/,
  'the rejects of a unit': /\.rejects$/,
  'gathered observations': /\.gathered$/,
  'generated events': /^generated-.*\.run$/,
  'the result of generated events': /^generated-.*\.done$/,
  'the result of a day': /^day-\d+\.done$/,
}

describe('a killed transform goes on to the same bytes, by the same command', () => {
  const all = Object.keys(FILES).flatMap((kind) =>
    Object.keys(DAMAGES).map((damage) => [kind as keyof typeof FILES, damage] as const),
  )
  const chosen = shuffled(all, seeded(seed)).slice(0, kills({ few: 1, many: 6 }))
  test.each(chosen)('with %s %s', async (kind, damage) => {
    restore()
    const files = readdirSync(join(out, WORK)).filter((name) => FILES[kind].test(name))
    expect(files).not.toEqual([])
    spoil(join(out, WORK, files[Math.floor(random() * files.length)]!), damage)
    await assertGoesOn()
  })

  test.each(Array.from({ length: kills({ few: 1, many: 2 }) }, (_, n) => n))(
    'with any of its files damaged in any way (%i)',
    async () => {
      restore()
      const damages = Object.keys(DAMAGES)
      for (const name of readdirSync(join(out, WORK))) {
        // The job as it is: without it nothing is believed anyway.
        if (name === 'job.json' || random() < 0.6) continue
        spoil(join(out, WORK, name), damages[Math.floor(random() * damages.length)]!)
      }
      await assertGoesOn()
    },
  )

  test.each<Damage>(['cut short', 'removed'].slice(0, kills({ few: 1, many: 2 })))(
    'with the part of a sealed day %s',
    async (damage) => {
      restore()
      const parts = readdirSync(out).filter((name) => /^\d{4}-/.test(name))
      spoil(join(out, parts[Math.floor(random() * parts.length)]!), damage)
      await assertGoesOn()
    },
  )
})
