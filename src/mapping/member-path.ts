import { parsedOrNone } from '../text/json.ts'

/** One segment and what follows it: a name in quotes, where a dot or the end comes next, or all up to the next dot. */
const SEGMENT = /(?:"((?:[^"\\]|\\.)+)"(?=\.|$)|([^.]*))(?:\.|$)/gsy

/**
 * The names in a dotted path of a mapping file. A name in double quotes may hold dots; in it, a backslash goes before a
 * quote and a backslash: `properties."user.id"` is `properties`, then `user.id`.
 */
export function pathSegments(path: string): string[] {
  const names: string[] = []
  SEGMENT.lastIndex = 0
  for (;;) {
    const [all, quoted, plain] = SEGMENT.exec(path)!
    names.push(quoted === undefined ? plain! : quoted.replace(/\\(.)/gs, '$1'))
    if (!all.endsWith('.') || SEGMENT.lastIndex === 0) return names
    // After a last dot comes an empty name, as when text is split.
    if (SEGMENT.lastIndex === path.length) return [...names, '']
  }
}

/** A name as a path has it: in quotes where it would be read as something else without them, as a preset's pattern `utm_*`. */
export function quotedSegment(name: string): string {
  return name.includes('.') || name.startsWith('"') || name.endsWith('*')
    ? `"${name.replace(/["\\]/g, '\\$&')}"`
    : name
}

/** The one way to write a path: quotes only where they are needed. Equal paths are equal text. */
export function canonicalPath(path: string): string {
  return pathSegments(path).map(quotedSegment).join('.')
}

/** The value that a path leads to in a parsed record; undefined for none, and for null. Objects in text are opened. */
export function valueAt(record: unknown, path: readonly string[]): unknown {
  let at = record
  for (const name of path) {
    // Some sources pack an object into text; the preset opens it.
    if (typeof at === 'string') at = parsedOrNone(at)
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = (at as Record<string, unknown>)[name]
  }
  return at ?? undefined
}
