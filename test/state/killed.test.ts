import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { FileLog, LogTail } from '../../src/state/log-file.ts'
import { isTemporaryName } from '../../src/store/own-file.ts'
import { testFolder } from '../helpers/folder.ts'
import type { Kill } from '../helpers/mortal-fs.ts'
import { CELLS, cellAt, LOGS, sampleOf } from './declared.ts'

const { life } = await vi.hoisted(async () => {
  const { Life } = await import('../helpers/mortal-fs.ts')
  return { life: new Life() }
})

vi.mock('node:fs/promises', async (original) => {
  const { mortalFiles } = await import('../helpers/mortal-fs.ts')
  return mortalFiles(await original(), life)
})

/** Every place at which work of so many steps can be cut short. */
function killsOf(steps: readonly string[]): Kill[] {
  return steps.flatMap((_, at) => (['before', 'half', 'after'] as const).map((when) => ({ at, when })))
}

describe.each(CELLS.map((row) => [row.kind.name, row] as const))('%s', (_, row) => {
  const { kind, other, keepsPrevious } = row
  const valueIn = async (path: string) => (await kind.load(cellAt(path, row)))?.value
  const place = () => {
    const path = join(testFolder(), 'state')
    return { path, cell: cellAt(path, row) }
  }

  test('a save that is killed anywhere leaves the old value or the new one, and the next save works', async () => {
    const { path, cell } = place()
    writeFileSync(path, sampleOf(kind))
    const old = (await valueIn(path))!
    const now = other(old)
    const save = () => kind.save(cell, now)
    const steps = await life.until(undefined, save)
    expect(await valueIn(path)).toEqual(now)
    const written = ['open', 'writeFile', 'sync']
    expect(steps).toEqual(
      keepsPrevious ? ['unlink', ...written, 'rename', 'rename', 'sync'] : [...written, 'rename', 'sync'],
    )
    const published = steps.lastIndexOf('rename')
    for (const kill of killsOf(steps)) {
      await kind.save(cell, old)
      await life.until(kill, save)
      const isDone = published < kill.at || (published === kill.at && kill.when === 'after')
      expect(await valueIn(path), `${steps[kill.at]}, ${kill.when}`).toEqual(isDone ? now : old)
      const others = readdirSync(dirname(path)).filter((name) => !isTemporaryName(name))
      expect(others.filter((name) => !/^state(\.tmp|\.previous)?$/.test(name))).toEqual([])
    }
    await kind.save(cell, old)
    expect(await valueIn(path)).toEqual(old)
  })

  test('the first save that is killed anywhere leaves no value or the new one', async () => {
    const { path: from } = place()
    writeFileSync(from, sampleOf(kind))
    const value = (await valueIn(from))!
    const steps = await life.until(undefined, () => kind.save(place().cell, value, 'absent'))
    const published = keepsPrevious ? steps.lastIndexOf('rename') : steps.indexOf('link')
    expect(published).toBeGreaterThan(steps.indexOf('sync'))
    for (const kill of killsOf(steps)) {
      const { path, cell } = place()
      await life.until(kill, () => kind.save(cell, value, 'absent'))
      const isDone = published < kill.at || (published === kill.at && kill.when === 'after')
      expect(await valueIn(path), `${steps[kill.at]}, ${kill.when}`).toEqual(isDone ? value : undefined)
      if (isDone) expect(readFileSync(path)).toEqual(Buffer.from(kind.encode(value)))
    }
  })
})

describe.each(LOGS.map((kind) => [kind.name, kind] as const))('%s', (_, kind) => {
  const lines = ['{"n":3}\n', '{"n":4}\n']

  /** A log with the sample's lines, as its cell counts them. */
  async function counted() {
    const path = join(testFolder(), 'state.ndjson')
    const log = new FileLog(path, kind)
    const open = await log.begin()
    await open.append([sampleOf(kind).toString()])
    await open.close()
    return { path, log, digest: open.digest }
  }

  test('an append that is killed anywhere leaves the counted lines, and the next run appends after them', async () => {
    const append = async ({ log, digest }: Awaited<ReturnType<typeof counted>>) => {
      const open = await log.resume(digest)
      await open.append(lines)
      await open.close()
    }
    const undisturbed = await counted()
    const steps = await life.until(undefined, () => append(undisturbed))
    expect(steps.slice(-2)).toEqual(['write', 'datasync'])
    const whole = readFileSync(undisturbed.path)
    for (const kill of killsOf(steps)) {
      const place = await counted()
      await life.until(kill, () => append(place))
      await append(place)
      expect(readFileSync(place.path), `${steps[kill.at]}, ${kill.when}`).toEqual(whole)
    }
  })

  test('torn at each byte after the counted lines, it is cut back to them', async () => {
    const { path, log, digest } = await counted()
    const whole = readFileSync(path)
    const torn = Buffer.from(lines.join(''))
    for (let length = 0; length <= torn.length; length++) {
      writeFileSync(path, Buffer.concat([whole, torn.subarray(0, length)]))
      await (await log.resume(digest)).close()
      expect(readFileSync(path)).toEqual(whole)
    }
  })

  test('cut or changed at each byte of the counted lines, it is refused, and stays as it is', async () => {
    const { path, log, digest } = await counted()
    const whole = readFileSync(path)
    for (let at = 0; at < whole.length; at++) {
      const bent = Buffer.from(whole)
      bent[at]! ^= 0x01
      for (const bytes of [whole.subarray(0, at), bent]) {
        writeFileSync(path, bytes)
        await expect(log.resume(digest)).rejects.toMatchObject({ code: 'mismatch' })
        expect(readFileSync(path)).toEqual(bytes)
      }
    }
  })
})

test.each([true, false])(
  'lines that nobody counts are whole up to the last line end (synced: %s)',
  async (synced) => {
    const path = join(testFolder(), 'lines')
    const whole = '{"n":1}\n{"n":2}\n'
    for (let length = 0; length <= whole.length; length++) {
      const torn = whole.slice(0, length)
      writeFileSync(path, torn)
      const tail = await (await LogTail.open(path, { synced })).cut()
      const kept = torn.slice(0, torn.lastIndexOf('\n') + 1)
      expect([tail.bytes, readFileSync(path, 'utf8')]).toEqual([kept.length, kept])
      await tail.append(Buffer.from('next\n'))
      await tail.close()
      expect(readFileSync(path, 'utf8')).toBe(`${kept}next\n`)
    }
  },
)
