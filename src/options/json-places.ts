/** Settings nest two deep. What is deeper is not named in full, since names of all depths would fill the memory. */
const DEEPEST = 3

export interface JsonPlaces {
  /** Where the value of each member begins, by dotted path; '' is the whole. */
  readonly places: ReadonlyMap<string, number>
  /** The first member that is there twice. JSON.parse takes the last one, without a word. */
  readonly twice: string | undefined
}

export function placesIn(text: string): JsonPlaces {
  const places = new Map<string, number>()
  let twice: string | undefined
  const open: string[] = []
  let key = ''
  for (const { 0: token, 1: colon, index } of text.matchAll(
    /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]|[^\s,:{}[\]"]+/g,
  )) {
    if (colon !== undefined) {
      const name = JSON.parse(token.slice(0, -colon.length))
      key = open.length > DEEPEST ? name : `${open.at(-1) ?? ''}${name}`
      if (open.length <= DEEPEST && places.has(key)) twice ??= key
    } else if (token === '}' || token === ']') {
      open.pop()
    } else {
      if (open.length <= DEEPEST) places.set(key, index)
      if (token === '{' || token === '[') open.push(key === '' ? '' : `${key}.`)
    }
  }
  return { places, twice }
}

/** The place of a character, as `line:column` from 1. */
export function lineAndColumn(text: string, index: number): string {
  const before = text.slice(0, index).split('\n')
  return `${before.length}:${before.at(-1)!.length + 1}`
}
