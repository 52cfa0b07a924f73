import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { fileCell } from '../../src/state/cell.ts'
import { isTemporaryName } from '../../src/store/atomic-file.ts'
import { testFolder } from '../helpers/folder.ts'
import type { Kill } from '../helpers/mortal-fs.ts'
import { CELLS, sampleOf } from './declared.ts'

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

describe.each(CELLS.map((row) => [row.kind.name, row] as const))('%s', (_, { kind, other }) => {
  const place = () => {
    const path = join(testFolder(), 'state')
    const cell = fileCell(path)
    const bytes = sampleOf(kind)
    return { path, cell, bytes }
  }
  const valueIn = async (path: string) => (await kind.load(fileCell(path)))?.value

  test('a save that is killed anywhere leaves the old value or the new one, and the next save works', async () => {
    const { path, cell, bytes } = place()
    writeFileSync(path, bytes)
    const old = (await valueIn(path))!
    const save = () => kind.save(cell, other(old))
    const steps = await life.until(undefined, save)
    const now = await valueIn(path)
    expect(now).not.toEqual(old)
    expect(steps).toEqual(['open', 'writeFile', 'sync', 'rename', 'sync'])
    for (const kill of killsOf(steps)) {
      writeFileSync(path, bytes)
      await life.until(kill, save)
      const isDone =
        steps.indexOf('rename') < kill.at || (steps[kill.at] === 'rename' && kill.when === 'after')
      expect(await valueIn(path), `${steps[kill.at]}, ${kill.when}`).toEqual(isDone ? now : old)
      const others = readdirSync(dirname(path)).filter((name) => name !== basename(path))
      expect(others.filter((name) => !isTemporaryName(name))).toEqual([])
      await kind.save(cell, old)
      expect(await valueIn(path)).toEqual(old)
    }
  })

  test('the first save that is killed anywhere leaves no value or the new one', async () => {
    const { path: from, bytes } = place()
    writeFileSync(from, bytes)
    const value = (await valueIn(from))!
    const saveIn = (path: string) => () => kind.save(fileCell(path), value, 'absent')
    const steps = await life.until(undefined, saveIn(place().path))
    expect(steps).toEqual(['open', 'writeFile', 'sync', 'link', 'rm', 'sync'])
    for (const kill of killsOf(steps)) {
      const { path } = place()
      await life.until(kill, saveIn(path))
      const isDone = steps.indexOf('link') < kill.at || (steps[kill.at] === 'link' && kill.when === 'after')
      expect(await valueIn(path), `${steps[kill.at]}, ${kill.when}`).toEqual(isDone ? value : undefined)
      if (isDone) expect(readFileSync(path)).toEqual(Buffer.from(kind.encode(value)))
    }
  })
})
