import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PRESET_NAMES } from '../../../src/presets/index.ts'
import { runCommand } from '../../helpers/command.ts'
import { COMMANDS, optionsIn, pathOf } from '../../helpers/commands.ts'
import { testFolder } from '../../helpers/folder.ts'

/** What is answered of the words after `posthaul`, the last of which is being typed. */
async function asked(words: readonly string[]): Promise<string[]> {
  const { stdout } = await runCommand(['completion', 'bash'], {
    env: { POSTHAUL_COMPLETE: words.join('\x1f') },
  })
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0]!)
}

const TABLE: readonly (readonly [words: readonly string[], answer: readonly string[]])[] = [
  [['tr'], ['word', 'transform']],
  [
    ['export', ''],
    ['word', 'mixpanel', 'amplitude', 'matomo', 'posthog', 'command'],
  ],
  [
    ['help', 'groups', 'l'],
    ['word', 'list'],
  ],
  [
    ['completion', ''],
    ['word', 'bash', 'zsh', 'fish'],
  ],
  [
    ['transform', '--preset', ''],
    ['word', ...PRESET_NAMES],
  ],
  [
    ['transform', '--preset', '=', 'mix'],
    ['word', 'mixpanel'],
  ],
  [
    ['transform', '--preset', '='],
    ['word', ...PRESET_NAMES],
  ],
  [
    ['transform', '--preset=mix'],
    ['word', 'mixpanel'],
  ],
  [['transform', '--in', ''], ['file']],
  [['transform', '--in', 'raw', ''], ['file']],
  [['transform', '--in', 'raw', '--out', ''], ['folder']],
  [
    ['transform', '--in', 'raw', '--work'],
    ['word', '--workers', '--work-dir'],
  ],
  // A number: nothing to offer, and no file either.
  [['transform', '--workers', ''], ['word']],
  [
    ['export', 'mixpanel', '--region', ''],
    ['word', 'us', 'eu', 'in'],
  ],
  [
    ['export', 'amplitude', '--region', ''],
    ['word', 'us', 'eu'],
  ],
  [['verify', '--json', 'my'], ['folder']],
  [['verify', '--sample', '10', ''], ['folder']],
]

test('commands, options, presets, files and folders are offered, each where it fits', async () => {
  for (const [words, answer] of TABLE) {
    expect.soft([...(await asked(words))].sort(), words.join(' ')).toEqual([...answer].sort())
  }
})

test('every option that the help of a command lists is offered', async () => {
  for (const name of COMMANDS) {
    const flags = (await optionsIn(name)).map(({ flag }) => flag)
    expect(await asked([...pathOf(name), '--']), name).toEqual(expect.arrayContaining(flags))
  }
})

test('a real bash takes the answer: words, and names of places with blanks', async () => {
  const folder = testFolder()
  mkdirSync(join(folder, 'my data'))
  writeFileSync(join(folder, 'my file'), '')
  const { stdout } = await runCommand(['completion', 'bash'])
  const script = `${stdout}
    posthaul() { printf '%s\\n' "$kind" $'$set\\thelp' "\${POSTHAUL_COMPLETE//[^-=a-z]/+}"; }
    try() { kind=$1; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _posthaul; printf '%s\\n' "\${COMPREPLY[@]}" | LC_ALL=C sort | tr '\\n' '|'; echo; }
    try word posthaul --preset =
    try file posthaul verify my
    try folder posthaul verify my`
  const printed = execFileSync('bash', ['--norc', '-c', script], { cwd: folder, encoding: 'utf8' })
  expect(printed.split('\n').slice(0, 3)).toEqual([
    '--preset+=|\\$set|',
    '\\$set|my data|my file|verify+my|',
    '\\$set|my data|verify+my|',
  ])
})
