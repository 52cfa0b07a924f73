import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXITS } from '../../../src/errors.ts'
import { runCommand } from '../../helpers/command.ts'
import { COMMANDS, optionsIn, pathOf } from '../../helpers/commands.ts'
import { testFolder } from '../../helpers/folder.ts'

const REQUESTS = new Set(['TH', 'SH', 'TP', 'PP', 'B', 'BR', 'nf', 'fi', 'nh', 'ad'])
const ESCAPES = /^\\(-|e|&|f[BIR]|\[u[0-9A-F]{4,6}\])/

/** Reads a page as roff does, and throws at what roff would not understand. Returns it as plain text. */
function plainOf(page: string): string {
  let isFilled = true
  const plain = page.split('\n').map((line) => {
    const [, request, rest = ''] = /^\.(\S*) ?(.*)$/.exec(line) ?? []
    if (line.startsWith("'") || (request !== undefined && !REQUESTS.has(request)))
      throw new Error(`request: ${line}`)
    if (request === 'nf' || request === 'fi') {
      if (isFilled !== (request === 'nf')) throw new Error(`${request} twice`)
      isFilled = !isFilled
    }
    const text = request === undefined ? line : rest
    if (/[^ -~]/.test(text)) throw new Error(`a letter beyond ASCII: ${text}`)
    return text.replaceAll(/\\.*?(?=\\|$)|\\/g, (some) => {
      const [known, what = ''] = ESCAPES.exec(some) ?? []
      if (known === undefined) throw new Error(`escape: ${some}`)
      const letter = what.startsWith('[u') ? String.fromCodePoint(Number.parseInt(what.slice(2, -1), 16)) : ''
      return ({ '-': '-', e: '\\' }[what] ?? letter) + some.slice(known.length)
    })
  })
  if (!isFilled) throw new Error('nf without fi')
  return plain.join('\n')
}

test.each(COMMANDS)(
  'the page of posthaul %s is sound roff, and says all that its help says',
  async (name) => {
    const path = pathOf(name)
    const { code, stdout } = await runCommand(['man', ...path])
    expect(code).toBe(0)
    const page = plainOf(stdout)
    expect(page.split('\n')[0]).toMatch(new RegExp(`^${['POSTHAUL', ...path].join('-').toUpperCase()} 1 `))
    for (const { flag } of await optionsIn(name)) expect(page.split(/[\s,]+/)).toContain(flag)
    const { stdout: help } = await runCommand([...path, '--help', '--all'])
    // What help says in its own words, from the examples on.
    const [, examples = ''] = help.split('\n\nExamples:')
    expect(page.split(/\s+/).join(' ')).toContain(examples.trim().split(/\s+/).join(' '))
  },
)

test('the page of posthaul lists the commands and the exit codes', async () => {
  const page = plainOf((await runCommand(['man'])).stdout)
  for (const name of COMMANDS.filter((one) => pathOf(one).length === 1)) expect(page).toContain(`\n${name}\n`)
  const words = page.split(/\s+/).join(' ')
  for (const { code, meaning } of Object.values(EXITS)) {
    expect(words).toContain(`${code} ${meaning.replaceAll('`', '')}`)
  }
})

test('--out writes them all, under the names that man looks for', async () => {
  const folder = join(testFolder(), 'man1')
  expect((await runCommand(['man', '--out', folder])).code).toBe(0)
  const names = COMMANDS.map((name) => `${['posthaul', ...pathOf(name)].join('-')}.1`)
  expect(readdirSync(folder).sort()).toEqual(names.sort())
  expect(readFileSync(join(folder, 'posthaul-import.1'), 'utf8')).toBe(
    (await runCommand(['man', 'import'])).stdout,
  )
})

test('a page that is not there is named', async () => {
  const { code, stderr } = await runCommand(['man', 'imports'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('no page is called posthaul-imports')])
})
