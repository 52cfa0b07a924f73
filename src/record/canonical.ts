import { elements, members } from './cut.ts'

/**
 * Valid JSON in one spelling, to compare and to hash by: no blanks, an object's members ordered by name, the last of
 * two members with one name. Numbers and strings stay as they are written, so two texts with the same canonical form
 * differ only in order and blanks.
 */
export function canonicalJson(json: string): string {
  const text = json.trim()
  if (text.startsWith('[')) return `[${elements(text).map(canonicalJson).join(',')}]`
  if (!text.startsWith('{')) return text
  const byName = new Map(members(text))
  const names = [...byName.keys()].sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(byName.get(name)!)}`).join(',')}}`
}
