import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../helpers/markdown.ts'

/** The declarations of what a door of the package exports, by name and without comments. */
function surfaceOf(door: string): string {
  const path = join(ROOT, 'dist', door)
  const exported = [...readFileSync(path, 'utf8').matchAll(/^export (type )?\{([^}]*)\} from '([^']+)';$/gm)]
  const declarations = exported.flatMap(([, , names, from]) => {
    const text = readFileSync(join(dirname(path), from!.replace(/\.[jt]s$/, '.d.ts')), 'utf8')
    const named = names!.split(',').map((name) => name.trim().replace(/^type /, ''))
    return named.filter((name) => name !== '').map((name) => [name, declarationOf(name, text)] as const)
  })
  return declarations
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, declaration]) => declaration)
    .join('\n')
}

function declarationOf(name: string, file: string): string {
  const plain = file.replaceAll(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '')
  const start = new RegExp(
    `^export (?:declare )?(?:abstract )?(?:class|interface|function|const|type) ${name}\\b`,
    'm',
  )
  const at = plain.search(start)
  if (at === -1) throw new Error(`${name} is declared nowhere`)
  const [declaration = ''] = plain.slice(at).split(/\n(?=export |import |declare )/)
  return `${declaration.trimEnd()}\n`
}

test.each(['index', 'testing'])('what programs may import from %s is as it was', async (door) => {
  await expect(surfaceOf(`${door}.d.ts`)).toMatchFileSnapshot(`../golden/library/${door}.txt`)
})

test.each([
  ['mapping', ['preset', 'events', 'filter']],
  ['migration', ['source', 'import', 'approval']],
])('the schema of %s files for editors knows their keys', (name, keys) => {
  const { properties } = JSON.parse(readFileSync(join(ROOT, 'dist', `${name}.schema.json`), 'utf8'))
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(keys))
})
