import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SortedLines, writeLines } from '../../src/store/sorted-lines.ts'
import { testFolder } from '../helpers/folder.ts'
import { seeded, seedOf } from '../helpers/random.ts'

test('lines in any order come back by key, those of one key as they came, from memory and from many runs', () => {
  const random = seeded(seedOf('sorted lines'))
  const keys = [
    ...['', 'a', 'a\tb', 'line\nbreak', '"', 'é', '\u{1f600}', '\uffff', '__proto__', 'x'.repeat(300_000)],
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

test('lines that others wrote in order are read among its own, after those that came before, and their files stay', () => {
  const folder = testFolder()
  const lines = new SortedLines(folder, 'own')
  // More than are merged at once.
  for (let file = 0; file < 150; file++) {
    const path = join(folder, `${file}.lines`)
    const { end } = writeLines(path, [
      ['a', `${file}`],
      ['b', `${file}`],
    ])
    if (file === 70) lines.add('b', 'own')
    // Of some only the first line.
    lines.adopt({ path, start: 0, end: file % 2 === 0 ? end : end / 2 })
  }
  const all = [...lines.groups()]
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)
  expect(all).toEqual([
    ['a', numbers(150).map(String)],
    ['b', [...numbers(35).map((n) => `${2 * n}`), 'own', ...numbers(40).map((n) => `${70 + 2 * n}`)]],
  ])
  lines.remove()
  expect(readdirSync(folder)).toHaveLength(150)
})

test('a disk that is full is said', () => {
  expect(() => writeLines('/dev/full', [['a', 'b']])).toThrow(
    expect.objectContaining({ code: 'unavailable', message: 'cannot write /dev/full: the disk is full' }),
  )
})
