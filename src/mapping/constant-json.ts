/** JSON text of a value from a mapping file. */
export function constantJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map(constantJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([key, inner]) => `${JSON.stringify(key)}:${constantJson(inner)}`,
    )
    return `{${members.join(',')}}`
  }
  return JSON.stringify(value)
}
