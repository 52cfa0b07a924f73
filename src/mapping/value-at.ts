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

/** What JSON text holds; undefined for other text. */
export function parsedOrNone(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
