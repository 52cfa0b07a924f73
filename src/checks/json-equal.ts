export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True if two parsed JSON values say the same; the order of an object's members says nothing. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => jsonEqual(item, b[i]))
  // The service stores no NUL.
  if (typeof a === 'string' && typeof b === 'string')
    return a.includes('\0') && a.replaceAll('\0', '\ufffd') === b
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && jsonEqual(a[name], b[name]))
  )
}
