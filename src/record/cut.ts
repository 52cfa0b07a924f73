/** The pieces of containers in valid JSON text, as written: for the few places where a preset reads inside arrays. */

/** The elements of an array, each as written; none when the text is no array. */
export function elements(json: string): string[] {
  const found: string[] = []
  let at = blanks(json, 0)
  if (json[at] !== '[') return found
  at = blanks(json, at + 1)
  while (at < json.length && json[at] !== ']') {
    const end = valueEnd(json, at)
    found.push(json.slice(at, end))
    at = nextPiece(json, end)
  }
  return found
}

/** The members of an object as [decoded name, value as written]; none when the text is no object. */
export function members(json: string): Array<[string, string]> {
  const found: Array<[string, string]> = []
  let at = blanks(json, 0)
  if (json[at] !== '{') return found
  at = blanks(json, at + 1)
  while (at < json.length && json[at] !== '}') {
    const keyEnd = stringEnd(json, at)
    const start = blanks(json, json.indexOf(':', keyEnd) + 1)
    const end = valueEnd(json, start)
    found.push([JSON.parse(json.slice(at, keyEnd)) as string, json.slice(start, end)])
    at = nextPiece(json, end)
  }
  return found
}

function nextPiece(json: string, end: number): number {
  const at = blanks(json, end)
  return json[at] === ',' ? blanks(json, at + 1) : at
}

function blanks(json: string, from: number): number {
  let at = from
  while (isBlank(json[at])) at++
  return at
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t' || char === '\n' || char === '\r'
}

/** Index after the value that begins at `from`. */
function valueEnd(json: string, from: number): number {
  const first = json[from]
  if (first === '"') return stringEnd(json, from)
  if (first === '{' || first === '[') return containerEnd(json, from)
  let at = from
  while (at < json.length && !isBlank(json[at]) && json[at] !== ',' && json[at] !== '}' && json[at] !== ']')
    at++
  return at
}

function containerEnd(json: string, from: number): number {
  let depth = 0
  let at = from
  while (at < json.length) {
    const char = json[at]
    if (char === '"') {
      at = stringEnd(json, at)
      continue
    }
    at++
    if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return at
  }
  return at
}

function stringEnd(json: string, quote: number): number {
  let at = quote + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}
