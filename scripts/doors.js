// A room's `index.ts` names what the room opens to others, and does nothing else. A bundler or a test that follows it would load
// the whole room for one name, so this plugin lets an import of a name lead straight to the file that declares it.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const IMPORT = /^import (type )?\{([^}]*)\} from '(\.{1,2}\/[^']*index\.ts)';?$/gm
const OPENED = /^export (?:(?:type )?\{([^}]*)\}|\* as (\w+)) from '(\.\/[^']+)'$/gm

/** The files that each name of an index leads to; undefined for a file that does more than to name others. */
function openedBy(index) {
  if (!known.has(index)) known.set(index, read(index))
  return known.get(index)
}
const known = new Map()

function read(index) {
  const text = readFileSync(index, 'utf8').replace(/^\/\*\*[\s\S]*?\*\/$|^\/\/.*$/gm, '')
  const opened = new Map()
  for (const [, names, space, file] of text.matchAll(OPENED)) {
    if (space) opened.set(space, { file, space: true })
    else for (const name of namesIn(names)) opened.set(name.replace(/^type /, ''), { file, space: false })
  }
  return text.replaceAll(OPENED, '').trim() === '' && opened.size > 0 ? opened : undefined
}

/** The text of a source file, with each import from a room's index taken from the files that it leads to. */
export function lookThrough(code, file) {
  return code.replaceAll(IMPORT, (whole, type = '', names, index) => {
    const opened = openedBy(join(dirname(file), index))
    if (!opened) return whole
    const folder = dirname(index)
    const direct = namesIn(names).map((name) => {
      const [, ofType = '', asked, own = asked] = /^(type )?(\w+)(?: as (\w+))?$/.exec(name)
      const found = opened.get(asked)
      if (!found) throw new Error(`${file}: ${index} opens no ${asked}`)
      const place = `${folder}/${found.file.slice(2)}`
      if (found.space) return `import * as ${own} from '${place}'`
      return `import ${type || ofType}{ ${asked === own ? asked : `${asked} as ${own}`} } from '${place}'`
    })
    // As many lines as before: a stack trace of a test names the line of the source.
    return direct.join('; ') + '\n'.repeat(whole.split('\n').length - 1)
  })
}

function namesIn(list) {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
}

/** For Vite: the build's bundles and the tests load the files that they need, and no others. */
export function doors() {
  return {
    name: 'doors',
    enforce: 'pre',
    transform: (code, id) => (/\/src\/.*\.tsx?$/.test(id) ? lookThrough(code, id) : undefined),
  }
}
