import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { PRESET_NAMES } from '../../../src/presets/index.ts'
import { runCommand } from '../../helpers/command.ts'
import { COMMANDS, optionsIn, pathOf } from '../../helpers/commands.ts'
import { makeFolder } from '../../helpers/folder.ts'

const folder = makeFolder()
beforeAll(async () => {
  for (const name of ['raw', 'events', 'my data']) mkdirSync(join(folder, name))
  for (const name of ['events.ndjson', 'a b.ndjson']) writeFileSync(join(folder, name), '')
  writeFileSync(join(folder, 'completion.bash'), (await runCommand(['completion', 'bash'])).stdout)
})

/** What a real bash offers for each line, whose last word is being typed. A file name has its blanks as they are. */
function offers(lines: readonly (readonly string[])[]): string[][] {
  const quoted = (word: string) => `'${word}'`
  const script = [
    'source completion.bash',
    `try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _posthaul; printf '%s\\n' "\${COMPREPLY[@]}" ---; }`,
    ...lines.map((words) => `try posthaul ${words.map(quoted).join(' ')}`),
  ].join('\n')
  const printed = execFileSync('bash', ['--norc', '-c', script], { cwd: folder, encoding: 'utf8' })
  const answers = printed.split('---\n').slice(0, -1)
  return answers.map((text) => text.split('\n').filter((word) => word !== ''))
}

const FILES = ['a b.ndjson', 'completion.bash', 'events', 'events.ndjson', 'my data', 'raw']
const FOLDERS = ['events', 'my data', 'raw']

const TABLE: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [['tr'], ['transform']],
  [
    ['export', ''],
    ['mixpanel', 'amplitude', 'matomo', 'posthog', 'command'],
  ],
  [['help', 'groups', 'l'], ['list']],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['transform', '--preset', ''], PRESET_NAMES],
  [['transform', '--preset', '=', 'mix'], ['mixpanel']],
  [['transform', '--preset', '=', ''], PRESET_NAMES],
  [['transform', '--in', ''], FILES],
  [['transform', '--in', 'raw', ''], FILES],
  [['transform', '--in', 'raw', '--out', ''], FOLDERS],
  [
    ['transform', '--in', 'raw', '--work'],
    ['--workers', '--work-dir'],
  ],
  // A number: nothing to offer, and no file either.
  [['transform', '--workers', ''], []],
  [
    ['export', 'mixpanel', '--region', ''],
    ['us', 'eu', 'in'],
  ],
  [
    ['export', 'amplitude', '--region', ''],
    ['us', 'eu'],
  ],
  [['verify', '--json', 'my'], ['my data']],
  [['verify', '--sample', '10', ''], FOLDERS],
]

test('bash offers commands, options, presets, files and folders, each where it fits', () => {
  const answers = offers(TABLE.map(([words]) => words))
  const given = TABLE.map(([words], n) => [words.join(' '), [...answers[n]!].sort()])
  expect(given).toEqual(TABLE.map(([words, offered]) => [words.join(' '), [...offered].sort()]))
})

test('bash offers every option that the help of a command lists', async () => {
  const answers = offers(COMMANDS.map((name) => [...pathOf(name), '--']))
  for (const [n, name] of COMMANDS.entries()) {
    const flags = (await optionsIn(name)).map(({ flag }) => flag)
    expect(answers[n], `posthaul ${name}`).toEqual(expect.arrayContaining(flags))
  }
})
