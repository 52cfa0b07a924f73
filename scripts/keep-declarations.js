// Of the declarations in dist/ those stay that an entry of the package leads to: the rest describe the command line's inside.
// They name each other as they lie there. The compiler writes the names of the sources, which only newer ones understand.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = dirname(import.meta.dirname)
const dist = join(root, 'dist')
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const entries = Object.values(exports).filter(({ types }) => types !== undefined)
const kept = new Set(entries.map(({ types }) => join(root, types)))
// A set that grows while it is read is read to its end.
for (const file of kept) {
  const text = readFileSync(file, 'utf8').replaceAll(
    /(['"])(\.{1,2}\/[^'"]+)\.[jt]s\1/g,
    (_, quote, name) => {
      kept.add(join(dirname(file), `${name}.d.ts`))
      return `${quote}${name}.js${quote}`
    },
  )
  writeFileSync(file, text)
}
for (const name of readdirSync(dist, { recursive: true })) {
  if (name.endsWith('.d.ts') && !kept.has(join(dist, name))) rmSync(join(dist, name))
}
