import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { commandsOf } from '../../src/commands/report/commands.ts'
import { keptInputs } from '../../src/store/source-inputs.ts'
import { pathWord, posthaulLine, shellWord } from '../../src/text/shell-word.ts'
import { writeDataset } from '../helpers/dataset.ts'
import { testFolder } from '../helpers/folder.ts'

const WORDS = [
  'my raw/a.ndjson',
  "it's",
  '"quoted"',
  '$HOME `id` $(id)',
  '-leading',
  'Größe/été',
  'two\nlines\tand \\ more',
  '*.ndjson',
  '',
  '~/x',
  '!important',
  '\u202eevil',
  'a\u00011',
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

test.each([
  [
    'as a list',
    keptInputs(['my raw/a.ndjson', '-b']),
    ['my raw/a.ndjson', './-b'],
    'Turn the records into events',
  ],
  [
    'by an earlier version, as one text',
    { inputs: 'my raw/a.ndjson' },
    ['my', 'raw/a.ndjson'],
    'Turn the records into events (its manifest has the inputs as one text: look for paths with blanks)',
  ],
])('a report says how to transform again with inputs that were kept %s', async (_, source, words, title) => {
  const manifest = { ...(await writeDataset(testFolder(), [])), source: { preset: 'mixpanel', ...source } }
  const one = { name: 'my events', manifest, mapping: undefined, imported: undefined, state: [] }
  const [command] = commandsOf([one], ['report', 'my events'])
  expect(command!.title).toBe(title)
  expect(read(command!.line)).toEqual([
    ...['transform', '--preset', 'mixpanel', '--in'],
    ...words,
    ...['--out', 'my events'],
  ])
})
