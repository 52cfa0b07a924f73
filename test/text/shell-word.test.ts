import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { pathWord, posthaulLine, shellWord } from '../../src/text/shell-word.ts'

const WORDS = [
  ...['my raw/a.ndjson', "it's", '"quoted"', '$HOME `id` $(id)', '-leading', 'Größe/été'],
  ...['two\nlines\tand \\ more', '*.ndjson', '', '~/x', '!important', '\u202eevil', 'a\u00011'],
]

/** What a shell makes of a line. */
function read(line: string): string[] {
  const { stdout } = spawnSync('bash', ['-c', `posthaul() { printf '%s\\0' "$@"; }; ${line}`], {
    encoding: 'utf8',
  })
  return stdout.split('\0').slice(0, -1)
}

test('a shell reads each word as it was', () => {
  expect(read(posthaulLine(WORDS))).toEqual(WORDS)
  expect(read(`posthaul ${WORDS.map(shellWord).join(' ')}`)).toEqual(WORDS)
  // A line stays one line, and shows no control.
  expect(posthaulLine(WORDS)).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

test('a path is no option', () => {
  expect(['-x', 'x', '/-x'].map(pathWord)).toEqual(['./-x', 'x', '/-x'])
})
