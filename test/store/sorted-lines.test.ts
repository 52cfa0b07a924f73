import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SortedLines } from '../../src/store/sorted-lines.ts'
import { testFolder } from '../helpers/folder.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'

test('lines in any order come back by key, those of one key as they came, from memory and from many runs', () => {
  const random = seeded(seedOf('sorted lines'))
  const keys = [
    '',
    'a',
    'a\tb',
    'line\nbreak',
    '"',
    'é',
    '\u{1f600}',
    '\uffff',
    '__proto__',
    'x'.repeat(300_000),
  ]
  for (const runLength of [1, 2000, Number.POSITIVE_INFINITY]) {
    const folder = testFolder()
    const lines = new SortedLines(folder, 'test', runLength)
    const wanted = new Map<string, string[]>()
    for (let n = 0; n < 150; n++) {
      const key = keys[Math.floor(random() * keys.length)]!
      const text = JSON.stringify({ n, key: key.slice(0, 10) })
      lines.add(key, text)
      wanted.set(key, [...(wanted.get(key) ?? []), text])
    }
    const sorted = [...wanted].sort(([a], [b]) => (a < b ? -1 : 1))
    expect([...lines.groups()]).toEqual(sorted)
    expect([...lines.groups()]).toEqual(sorted)
    lines.remove()
    expect(readdirSync(folder)).toEqual([])
  }
})
