import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { MIB } from '../../src/text/units.ts'
import { type GatheredFile, gatherSeen, groupsOf, readShare } from '../../src/transform/gather.ts'
import { eachSeen, hashOfSeen, type Observation } from '../../src/transform/observations.ts'
import { testFolder } from '../helpers/folder.ts'
import { seenFile } from './seen-file.ts'

/** Bytes read of files. */
const read = vi.hoisted(() => ({ bytes: 0 }))

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  const readSync = (...args: Parameters<typeof real.readSync>) => {
    const got = real.readSync(...args)
    read.bytes += got
    return got
  }
  return { ...real, readSync }
})

function link(id: number, seq: number): Observation {
  return { kind: 'link', anonymous: `visitor ${id}`, user: `ü${seq}`, instant: seq, seq }
}

function shareOf(folder: string, gathered: readonly GatheredFile[], share: number): Observation[] {
  const found: Observation[] = []
  for (const one of gathered) eachSeen(readShare(folder, one, share), (seen) => found.push(seen))
  return found
}

test('the shares have every observation once, those of an id in one share and in the order of the files', () => {
  const folder = testFolder()
  const seen = Array.from({ length: 600 }, (_, n) => link(n % 200, n))
  const files = [0, 1, 2].map((n) => seenFile(folder, `${n}.seen`, seen.slice(n * 200, n * 200 + 200)))
  const gathered = gatherSeen(folder, 'all', files, 7)
  const shares = [0, 1, 2, 3, 4, 5, 6].map((share) => shareOf(folder, gathered, share))
  // Ranges of hashes: so generated events have one order, however many shares there are.
  const ranges = seen.map((one) => ({ one, share: Math.floor((hashOfSeen(one) * 7) / 2 ** 32) }))
  for (const [at, share] of shares.entries()) {
    expect(share).toEqual(ranges.filter((range) => range.share === at).map(({ one }) => one))
    expect(share.length).toBeGreaterThan(0)
  }
})

test('more than is held at once is kept, in its order', () => {
  const folder = testFolder()
  const json = `{"text":"${'x'.repeat(6 * MIB)}"}`
  const seen: Observation[] = [0, 1, 2, 3].map((seq) => {
    return { kind: 'group', type: 'company', key: 'acme', json, instant: seq, seq }
  })
  const gathered = gatherSeen(folder, 'large', [seenFile(folder, 'unit.seen', seen)], 1)
  expect(gathered.length).toBeGreaterThan(1)
  expect(shareOf(folder, gathered, 0).map(({ seq }) => seq)).toEqual([0, 1, 2, 3])
})

test('gathered observations that changed are an error to run again, wherever they changed, and no bug', () => {
  const folder = testFolder()
  const file = seenFile(folder, 'unit.seen', [link(1, 1), link(2, 2), link(3, 3)])
  const gathered = gatherSeen(folder, 'all', [file], 5)
  const readAll = () => [0, 1, 2, 3, 4].map((share) => shareOf(folder, gathered, share))
  expect(readAll().flat()).toHaveLength(3)
  const path = join(folder, gathered[0]!.file)
  const intact = readFileSync(path)
  const lost = Buffer.from(intact).fill(0, gathered[0]!.bytes)
  const spoiled = [lost]
  for (let at = 0; at < intact.length; at++) {
    const bent = Buffer.from(intact)
    bent[at]! ^= 1 << (at % 8)
    spoiled.push(intact.subarray(0, at), bent)
  }
  for (const bytes of spoiled) {
    writeFileSync(path, bytes)
    expect(readAll).toThrow(expect.objectContaining({ code: 'unavailable' }))
  }
  rmSync(path)
  expect(readAll).toThrow(expect.objectContaining({ code: 'unavailable' }))
})

test('a unit whose observations changed is an error to run again', () => {
  const folder = testFolder()
  const file = seenFile(folder, 'unit.seen', [link(1, 1), link(2, 2)])
  truncateSync(join(folder, file.file), file.bytes - 1)
  expect(() => gatherSeen(folder, 'all', [file], 2)).toThrow(expect.objectContaining({ code: 'unavailable' }))
})

test('however many the shares, all of them together read the observations twice', () => {
  const folder = testFolder()
  const file = seenFile(
    folder,
    'unit.seen',
    Array.from({ length: 5000 }, (_, n) => link(n, n)),
  )
  for (const shares of [4, 64]) {
    read.bytes = 0
    const gathered = gatherSeen(folder, 'all', [file], shares)
    for (let share = 0; share < shares; share++) shareOf(folder, gathered, share)
    expect(read.bytes).toBeGreaterThanOrEqual(2 * file.bytes)
    expect(read.bytes).toBeLessThan(2.1 * file.bytes)
  }
})

test('files are gathered in groups that keep their order and are not small', () => {
  const files = Array.from({ length: 50 }, (_, n) => {
    return { file: `${n}.seen`, offset: 0, bytes: n === 7 ? 500 * MIB : 9 * MIB, crc: 0 } as const
  })
  const groups = groupsOf(files)
  expect(groups.flat()).toEqual(files)
  const sizes = groups.map((group) => group.reduce((sum, { bytes }) => sum + bytes, 0))
  expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThanOrEqual(64 * MIB)
  expect(groups.length).toBeGreaterThan(4)
  expect(groupsOf([])).toEqual([])
})
