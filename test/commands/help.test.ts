import { expect, test } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { COMMANDS, pathOf } from '../helpers/commands.ts'

test.each(COMMANDS)('posthaul %s --help', async (name) => {
  const path = pathOf(name)
  const ran = await runCommand([...path, '--help'])
  expect([ran.code, ran.stderr]).toEqual([0, ''])
  expect(ran.stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  await expect(ran.stdout).toMatchFileSnapshot(
    `../golden/help/${path.length > 0 ? path.join('-') : 'posthaul'}.txt`,
  )
})

test('every command that help lists has its own in the list above', async () => {
  const listed = async (...path: string[]) =>
    [...(await runCommand([...path, '--help'])).stdout.matchAll(/^ {2}([a-z-]+)(?: \[| {2,})/gm)]
      .map(([, name]) => [...path, name].join(' '))
      .filter((name) => !name.endsWith('help'))
  const all = (
    await Promise.all([[], ['export'], ['fleet'], ['groups'], ['projects']].map((path) => listed(...path)))
  ).flat()
  expect(COMMANDS.filter((name) => name !== '')).toEqual(expect.arrayContaining(all))
  expect(all.length).toBeGreaterThan(15)
})

test('on a wide terminal help is folded for it', async () => {
  const wide = await runCommand(['import', '--help'], { columns: 140 })
  expect(wide.stdout).toContain(
    'how long to retry failures in a row before giving up, e.g. 90s, 1h30m (default: 1h)\n',
  )
})

test.each([
  [['groups', 'lst'], "unknown command 'lst'\n  did you mean list?\n  all options: posthaul groups --help\n"],
  [['transfrom'], "unknown command 'transfrom'\n  did you mean transform?\n  all options: posthaul --help\n"],
  [['export', 'segment'], "unknown command 'segment'\n  all options: posthaul export --help\n"],
  [
    ['import', 'events/'],
    'unexpected argument "events/"\n  did you mean --file events/, or --dataset events/?\n  all options: posthaul import --help\n',
  ],
  [
    ['groups', 'export', '--out', 'x'],
    'either --type or --all-types\n  all options: posthaul groups export --help\n',
  ],
  [
    ['check'],
    'no dataset was named\n  name the folder that transform wrote, for example events/\n  all options: posthaul check --help\n',
  ],
])('%j is told what is wrong, and where help is', async (argv, words) => {
  const ran = await runCommand(argv)
  expect([ran.code, ran.stdout]).toEqual([2, ''])
  expect(ran.stderr).toContain(words)
})
