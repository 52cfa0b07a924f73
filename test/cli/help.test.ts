import { expect, test } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { COMMANDS, pathOf } from '../helpers/commands.ts'

/** What is read most is kept letter by letter. */
const GOLDEN = ['', 'export mixpanel', 'transform', 'import']
/** More options than these are no help on one screen. */
const MOST_OPTIONS = 24

test.each(COMMANDS)('posthaul %s --help', async (name) => {
  const path = pathOf(name)
  const [short, all] = await Promise.all(
    [[], ['--all']].map((more) => runCommand([...path, '--help', ...more])),
  )
  for (const ran of [short!, all!]) {
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  }
  const shown = short!.stdout.match(/^ {2}(?:-[a-zA-Z], )?--[a-z-]+/gm) ?? []
  expect(shown.length, shown.join()).toBeLessThanOrEqual(MOST_OPTIONS)
  if (GOLDEN.includes(name))
    await expect(short!.stdout).toMatchFileSnapshot(
      `../golden/help/${path.length > 0 ? path.join('-') : 'posthaul'}.txt`,
    )
})

test('help shows what few need by --all, and names the page of what many commands have', async () => {
  const [short, all, common] = await Promise.all(
    [
      ['import', '--help'],
      ['import', '--help', '--all'],
      ['help', 'common'],
    ].map((argv) => runCommand(argv)),
  )
  expect(short!.stdout).not.toContain('--batch-events')
  expect(short!.stdout).toContain('More options: posthaul import --help --all\n')
  expect(all!.stdout).toContain('--batch-events')
  expect(all!.stdout).toContain('--log-format')
  expect(all!.stdout).not.toContain('More options')
  expect(common!.stdout).toContain('--log-format')
})

test('help of posthaul fits a screen, and the options of what is used most are few', async () => {
  const { stdout } = await runCommand(['--help'])
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(45)
  expect([...stdout.matchAll(/^(\w+):$/gm)].map(([, head]) => head)).toEqual(
    'Options Carry Prove Rehearse Operate PostHog More'.split(' '),
  )
  for (const [name, most] of [
    ['import', 16],
    ['transform', 14],
  ] as const) {
    const help = await runCommand([name, '--help'])
    expect(help.stdout.match(/^ {2}-/gm)?.length, name).toBeLessThanOrEqual(most)
  }
})

test('there are as many commands as help lists', () => {
  expect(COMMANDS.length).toBeGreaterThan(30)
})

test('on a wide terminal help is folded for it', async () => {
  const wide = await runCommand(['import', '--help', '--all'], { columns: 140 })
  expect(wide.stdout).toContain(
    'how long to retry failures in a row before giving up, e.g. 90s, 1h30m (default: 1h)\n',
  )
})

test.each([
  [['groups', 'lst'], "unknown command 'lst'\n  did you mean list?\n  options: posthaul groups --help\n"],
  [['transfrom'], "unknown command 'transfrom'\n  did you mean transform?\n  options: posthaul --help\n"],
  [
    ['export', 'segment'],
    "unknown command 'segment'\n  posthaul transform --preset segment reads its files\n  options: posthaul export --help\n",
  ],
  [
    ['import', 'events/'],
    'unexpected argument "events/"\n  did you mean --file events/, or --dataset events/?\n  options: posthaul import --help\n',
  ],
  [
    ['groups', 'export', '--out', 'x'],
    'either --type or --all-types\n  options: posthaul groups export --help\n',
  ],
  [
    ['check'],
    'no dataset was named\n  name the folder that transform wrote, for example events/\n  options: posthaul check --help\n',
  ],
])('%j is told what is wrong, and where help is', async (argv, words) => {
  const ran = await runCommand(argv)
  expect([ran.code, ran.stdout]).toEqual([2, ''])
  expect(ran.stderr).toContain(words)
})
