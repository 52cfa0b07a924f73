import { elements, members } from './cut.ts'

/**
 * Valid JSON in one spelling: no blanks, the members of an object by name, of a name that stands twice the last one.
 * Numbers and strings stay as they are written. To compare and to hash by: two texts of the same canonical form differ
 * in nothing but order and blanks.
 */
export function canonicalJson(json: string): string {
  const text = json.trim()
  if (text.startsWith('[')) return `[${elements(text).map(canonicalJson).join(',')}]`
  if (!text.startsWith('{')) return text
  const byName = new Map(members(text))
  const names = [...byName.keys()].sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(byName.get(name)!)}`).join(',')}}`
}
