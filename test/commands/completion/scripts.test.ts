import { expect, test } from 'vitest'
import { runCommand } from '../../helpers/command.ts'
import { COMMANDS, optionsIn, pathOf } from '../../helpers/commands.ts'

const scriptOf = async (shell: string) => (await runCommand(['completion', shell])).stdout
/** The text of a function of zsh, from its name to its last line. */
const functionIn = (script: string, name: string) =>
  /^\w[\s\S]*?^}/m.exec(script.slice(script.indexOf(`\n${name}() {`)))?.[0]

test('zsh has a function a command, with every option that its help lists', async () => {
  const script = await scriptOf('zsh')
  expect(script).toMatch(/^#compdef posthaul\n/)
  for (const name of COMMANDS) {
    const body = functionIn(script, ['_posthaul', ...pathOf(name)].join('_'))
    for (const { flag, takesValue, takesSeveral } of await optionsIn(name)) {
      const spec = `${takesSeveral ? '*' : ''}${flag}${takesValue ? '=' : ''}[`
      // An option with a letter of its own is offered until one of the two is there.
      const isThere = [`'${spec}`, `(${flag} -${flag[2]})${spec}`].some((text) => body?.includes(text))
      expect(isThere, `posthaul ${name}: ${spec}`).toBe(true)
    }
  }
})

test('zsh knows what a value is', async () => {
  const body = functionIn(await scriptOf('zsh'), '_posthaul_transform') ?? ''
  expect(body).toMatch(/'--preset=\[mapping for the source.*\]:name:\(mixpanel amplitude .*\)'/)
  expect(body).toMatch(/'\*--in=\[.*\]:path:_files'/)
  expect(body).toMatch(/'--out=\[.*\]:store:_files -\/'/)
  expect(body).toMatch(/'--workers=\[worker threads\]:n: '/)
  // The further words of --in.
  expect(body).toContain("'*:path:_files'")
})

test('fish has a line for every option that the help of a command lists', async () => {
  const lines = new Set((await scriptOf('fish')).split('\n'))
  const all = [...lines]
  for (const name of COMMANDS) {
    const at = pathOf(name)
      .map((word) => `/${word}`)
      .join('')
    const own = all.filter((line) =>
      line.startsWith(`complete -c posthaul -n '__posthaul_at ${at || "\\'\\'"}'`),
    )
    for (const { flag, takesValue } of await optionsIn(name)) {
      const line = own.find((one) => one.includes(` -l ${flag.slice(2)} `))
      expect(line, `posthaul ${name} ${flag}`).toMatch(takesValue ? / (-x|-r -F) / : / -d /)
    }
  }
})

test('fish knows what a value is, and tells a child from a sentence with an apostrophe', async () => {
  const script = await scriptOf('fish')
  const line = (start: string) => script.split('\n').find((one) => one.includes(start))
  expect(line(`transform' -l preset`)).toMatch(
    / -x -a 'mixpanel amplitude .* events' -d 'mapping for the source/,
  )
  expect(line(`transform' -l in`)).toContain(' -r -F ')
  expect(line(`transform' -l out`)).toContain(" -x -a '(__fish_complete_directories)' ")
  expect(line(`'' -a export`)).toContain("-d 'fetch a vendor\\'s history")
})

test('another shell is told which there are', async () => {
  const { code, stderr } = await runCommand(['completion', 'tcsh'])
  expect([code, stderr]).toEqual([2, expect.stringMatching(/bash, zsh, fish/)])
})
