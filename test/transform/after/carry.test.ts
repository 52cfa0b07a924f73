import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ByteWriter } from '../../../src/record/byte-writer.ts'
import { LocalStore } from '../../../src/store/local.ts'
import { carryLinks, stateOf } from '../../../src/transform/after/carry.ts'
import { linkLine, Resolver } from '../../../src/transform/generate.ts'
import { type KnownLink, writeLinks } from '../../../src/transform/links.ts'
import { eachSeen, type Observation } from '../../../src/transform/observations.ts'
import { testFolder } from '../../helpers/folder.ts'
import { GENERATE, seenFile } from '../seen-file.ts'

const link = (anonymous: string, user: string, instant: number): Observation => {
  return { kind: 'link', anonymous, user, instant, seq: instant }
}
const group = (json: string, instant: number): Observation => {
  return { kind: 'group', type: 'company', key: 'acme', json, instant, seq: instant }
}

/** What is said of this window's observations, after an earlier dataset said this. */
async function saidAfter(known: readonly KnownLink[], seen: readonly Observation[]) {
  const folder = testFolder()
  const location = testFolder()
  async function* lines() {
    for (const one of known) yield Buffer.from(linkLine(one))
  }
  const links = await writeLinks(new LocalStore(location), lines(), known.length)
  const written = seenFile(folder, 'unit.seen', seen)
  const carried = await carryLinks([{ location, parts: [], links }], [written], folder)
  const resolver = new Resolver()
  for (const one of [carried, written]) {
    eachSeen(readFileSync(join(folder, one.file)), (found) => resolver.see(found))
  }
  const said: string[] = []
  resolver.write(GENERATE, new ByteWriter(), (one) =>
    said.push(one.kind === 'link' ? `${one.anonymous} is ${one.user}` : `${one.json} at ${one.instant}`),
  )
  return { said, carried: readFileSync(join(folder, carried.file), 'utf8') }
}

test('a link that is known is not made again, to no other user, and not by an earlier record', async () => {
  const known = [{ anonymous: 'a', user: 'u', at: 50 }]
  const { said } = await saidAfter(known, [link('a', 'u', 60), link('a', 'late', 40), link('b', 'v', 60)])
  expect(said).toEqual(['b is v'])
})

test('a state of a group is said again only where it differs from the one before', async () => {
  const state = (json: string, at: number) => ({ type: 'company', key: 'acme', state: stateOf(json), at })
  const known = [state('{"n":1}', 10), state('{"n":2}', 20)]
  // A repetition before the change, one at it, one after it, no properties at all, and a change.
  const seen = [15, 20, 25, 28].map((at) =>
    group(['{"n":1}', '{"n":2}', '{"n":2}', '{}'][((at - 15) / 5) | 0]!, at),
  )
  expect((await saidAfter(known, [...seen, group('{"n":3}', 30)])).said).toEqual(['{"n":3} at 30'])
  // One that came late between two states, and the next record shows the older state again.
  expect((await saidAfter(known, [group('{"n":9}', 22), group('{"n":2}', 24)])).said).toEqual([
    '{"n":9} at 22',
    '{"n":2} at 24',
  ])
})

test.each([
  ['"u"', '"v"'],
  ['"user"', '"uzer"'],
])('links in which %s became %s are refused', async (from, to) => {
  const location = testFolder()
  async function* lines() {
    yield Buffer.from(linkLine({ anonymous: 'a', user: 'u', at: 1 }))
  }
  const links = await writeLinks(new LocalStore(location), lines(), 1)
  const path = join(location, links.file)
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
  await expect(carryLinks([{ location, parts: [], links }], [], testFolder())).rejects.toThrow(
    'links.ndjson is not what the manifest names',
  )
})

test('of millions of links only those of this window are carried', async () => {
  const known = Array.from({ length: 20_000 }, (_, n) => ({ anonymous: `a${n}`, user: `u${n}`, at: n }))
  const { said, carried } = await saidAfter(known, [link('a7', 'u8', 1), link('a19999', 'u1', 1)])
  expect(said).toEqual([])
  expect(carried.split('\n').length - 1).toBeGreaterThanOrEqual(2)
  expect(carried.split('\n').length - 1).toBeLessThan(10)
})
