import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EXIT } from '../../src/errors.ts'
import { runCli, signalWhen, startCli } from '../helpers/cli-process.ts'
import { makeFolder } from '../helpers/folder.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { eventsOf, type Kind, type Place, placeOf } from './kit/migration.ts'

/*
 * A run is killed twice, and one of the files that it wrote is damaged. The next run ends as one that nobody disturbed, or
 * names the file.
 */
const seed = seedOf('torn run')
const CASES = 50

/** What is there now, what was there earlier, and what another migration has in the same place. */
type Damage = (now: Buffer, older: Buffer | undefined, foreign: Buffer | undefined) => Buffer | undefined

const DAMAGES: Readonly<Record<string, Damage>> = {
  'is emptied': (now) => now.subarray(0, 0),
  'is cut in the middle': (now) => now.subarray(0, now.length >>> 1),
  'lost its last byte': (now) => now.subarray(0, -1),
  'has a wrong bit': (now) => now.map((byte, at) => (at === now.length >>> 1 ? byte ^ 1 : byte)) as Buffer,
  'is gone': () => undefined,
  'is as it was earlier': (now, older) => older ?? now,
  'is that of another migration': (now, _, foreign) => foreign ?? now,
}

/** All that runs have written: in the folder, and in the bucket. */
function filesOf({ folder, bucket }: Place): Map<string, Buffer> {
  const objects = [...bucket.objects].map(([name, { bytes }]) => [`s3:${name}`, bytes] as const)
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /^(store|home)\//.test(path) && statSync(join(folder, path)).isFile(),
  )
  return new Map([...objects, ...paths.map((path) => [path, readFileSync(join(folder, path))] as const)])
}

function put({ folder, bucket }: Place, name: string, bytes: Buffer | undefined): void {
  if (name.startsWith('s3:')) bucket.place(name.slice('s3:'.length), bytes)
  else if (bytes) writeFileSync(join(folder, name), bytes)
  else rmSync(join(folder, name))
}

const run = ({ env, folder }: Place) => runCli(['run', 'migration.yaml'], env, folder)

/** What is there in the end, and in the project. */
async function endOf(place: Place, kind: Kind) {
  const query = 'SELECT uuid, event, distinct_id, toString(timestamp), properties FROM events'
  const { results } = await place.sandbox.query(query)
  return { events: eventsOf(place, kind), held: results.map(String).sort() }
}

/**
 * Without a damaged file that a run needs no more: raw records of a transform that is done, what only people read, and, where
 * nothing is left to do, events that the project holds whole.
 */
function withoutTold({ events, held }: Awaited<ReturnType<typeof endOf>>, name: string, stderr: string) {
  const isDone = stderr.includes('nothing is left to do')
  const isTold = (file: string) =>
    (isDone || /^store\/raw\/|(rejects|links)\.ndjson$|outcomes\.json$/.test(file)) && name.endsWith(file)
  return { held, events: Object.entries(events).filter(([file]) => !isTold(file)) }
}

describe.each<readonly [string, Kind]>([
  ['a folder', {}],
  ['a bucket', { inBucket: true }],
])('a run in %s', (where, kind) => {
  const random = seeded(seed + (kind.inBucket ? 1 : 0))
  const folder = makeFolder()
  const place = async () => {
    const made = await placeOf(kind, random, folder)
    made.bucket.strikes = () => undefined
    return made
  }
  /** Ends at its nth request, or by itself before. */
  const killed = async (at: Place, most: number) => {
    const asked = () => at.sandbox.stats().requests + at.bucket.requests
    const after = asked() + 1 + Math.floor(random() * most)
    await signalWhen(
      startCli(['run', 'migration.yaml'], at.env, at.folder),
      'SIGKILL',
      () => asked() >= after,
    )
  }
  const undisturbed = async () => {
    const at = await place()
    expect((await run(at)).code).toBe(EXIT.rejects)
    return { end: await endOf(at, kind), files: filesOf(at) }
  }
  let whole: Awaited<ReturnType<typeof undisturbed>> | undefined

  test.each(Array.from({ length: CASES }, (_, n) => n))(
    `${where}, damaged: it ends as one without, or the file is named (%i)`,
    async () => {
      whole ??= await undisturbed()
      const { end, files } = whole
      const at = await place()
      const most = kind.inBucket ? 200 : 30
      await killed(at, most / 2)
      const older = filesOf(at)
      await killed(at, most)
      const now = filesOf(at)
      const cases = [...now].flatMap(([name, bytes]) =>
        Object.entries(DAMAGES).map(([what, make]) => {
          return { name, what, bytes: make(bytes, older.get(name), files.get(name)) }
        }),
      )
      const changing = cases.filter(({ name, bytes }) => !bytes?.equals(now.get(name)!))
      const { name, what, bytes } = changing[Math.floor(random() * changing.length)]!
      put(at, name, bytes)
      const { code, stderr } = await run(at)
      const about = `${name} ${what}: ${code}\n${stderr}`
      const words = stderr.replaceAll(/\s+/g, '')
      const isNamed = words.includes(name.split('/').at(-1)!)
      if (code === EXIT.done || (code === EXIT.rejects && !isNamed))
        expect(withoutTold(await endOf(at, kind), name, stderr), about).toEqual(
          withoutTold(end, name, stderr),
        )
      else expect([code, isNamed], about).toEqual([expect.toBeOneOf([2, 3, 6, 7]), true])
    },
  )
})
