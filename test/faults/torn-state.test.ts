import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXIT } from '../../src/errors.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, shuffled } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'
import { says } from './kit/action.ts'
import { FaultyImport } from './kit/run.ts'
import { Service } from './kit/service.ts'

const seed = seedOf('torn state')
const random = seeded(seed)

interface Damage {
  readonly name: string
  readonly make: (bytes: Buffer) => Buffer
}

/** A file cut at each byte, with a wrong bit at each byte, empty, and as a disk leaves it that had no time. */
function damagesOf(bytes: number): Damage[] {
  const places = Array.from({ length: bytes }, (_, at) => at)
  return [
    ...places.map((at) => ({ name: `cut at ${at}`, make: (whole: Buffer) => whole.subarray(0, at) })),
    ...places.map((at) => ({
      name: `flipped at ${at}`,
      make: (whole: Buffer) => {
        const copy = Buffer.from(whole)
        copy[at] = copy[at]! ^ (1 << (at % 8))
        return copy
      },
    })),
    { name: 'all zeros', make: (whole) => Buffer.alloc(whole.length) },
    { name: 'doubled', make: (whole) => Buffer.concat([whole, whole]) },
    {
      name: 'of a newer version',
      make: (whole) => Buffer.from(whole.toString().replace(/"version": ?1,/, '"version": 99,')),
    },
  ]
}

/**
 * An import that stopped in the middle, and its state on disk. `again` puts the state back, damages one file of it, and
 * runs the same command to its end.
 */
async function stopped() {
  const service = await Service.start((n) => (n < 6 ? undefined : { answer: says(401, 'no') }))
  const home = testFolder()
  const folder = testFolder()
  const env = { XDG_STATE_HOME: home }
  const work = new FaultyImport({ service, seed, events: 90, days: 2, folder, env })
  const [first] = work.minted
  service.poison.add(first!.uuid)
  const { code, stderr } = await work.run('--batch-events', '10')
  expect(code, stderr).toBe(EXIT.auth)
  service.script = () => undefined
  const kept = testFolder()
  const places = [folder, home]
  for (const [n, place] of places.entries()) cpSync(place, join(kept, String(n)), { recursive: true })
  const before = [...service.requests]
  const again = async (file: string, damage: Damage) => {
    for (const [n, place] of places.entries()) {
      rmSync(place, { recursive: true })
      cpSync(join(kept, String(n)), place, { recursive: true })
    }
    service.requests.splice(0, service.requests.length, ...before)
    writeFileSync(file, damage.make(readFileSync(file)))
    return work.runHere('--batch-events', '10')
  }
  const files = places.flatMap((place) =>
    readdirSync(place, { recursive: true, encoding: 'utf8' })
      .map((name) => join(place, name))
      .filter((path) => path !== work.input && statSync(path).isFile()),
  )
  return { service, work, files, again, requests: before.length }
}

test('whatever happened to a file of its state, an import goes on, or says which file is wrong and sends nothing', async () => {
  const { service, work, files, again, requests } = await stopped()
  const cases = files.flatMap((file) => damagesOf(statSync(file).size).map((damage) => ({ file, damage })))
  expect(cases.length).toBeGreaterThan(1000)
  for (const { file, damage } of shuffled(cases, random).slice(0, kills({ few: 4, many: 12 }))) {
    const { code, stderr } = await again(file, damage)
    const about = `${file} ${damage.name}: ${stderr}`
    const isCheckpoint = file.endsWith('.checkpoint.json') && damage.name !== 'of a newer version'
    // The generation before the checkpoint is whole, so a damaged one never needs help.
    expect(code, about).toBeOneOf([0, 3, ...(isCheckpoint ? [] : [EXIT.usage, EXIT.mismatch])])
    if (code === EXIT.usage || code === EXIT.mismatch) {
      expect(service.requests.length, about).toBe(requests)
      expect(stderr, about).toContain(file)
    } else {
      try {
        work.judge()
      } catch (cause) {
        throw new Error(`${about}: ${(cause as Error).message}`, { cause })
      }
    }
  }
})
