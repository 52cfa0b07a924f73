/** Settings nest two deep. What is deeper is not named in full, since names of all depths would fill the memory. */
const DEEPEST = 3

/** Where the value of each member of a JSON text begins, by dotted path; '' is the whole. */
export function placesIn(text: string): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  const open: string[] = []
  let key = ''
  for (const { 0: token, 1: colon, index } of text.matchAll(
    /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]|[^\s,:{}[\]"]+/g,
  )) {
    if (colon !== undefined) {
      const name = JSON.parse(token.slice(0, -colon.length))
      key = open.length > DEEPEST ? name : `${open.at(-1) ?? ''}${name}`
    } else if (token === '}' || token === ']') {
      open.pop()
    } else {
      if (open.length <= DEEPEST) places.set(key, index)
      if (token === '{' || token === '[') open.push(key === '' ? '' : `${key}.`)
    }
  }
  return places
}

/** The place of a character, as `line:column` from 1. */
export function lineAndColumn(text: string, index: number): string {
  const before = text.slice(0, index).split('\n')
  return `${before.length}:${before.at(-1)!.length + 1}`
}
