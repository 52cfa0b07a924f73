/** A count with thousands separators: 20,000,000. Done by hand, because loading a locale takes 10 ms. */
export function number(value: number): string {
  return String(Math.round(value)).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}

/** A span of time in its two largest units: `3 h 20 min`, `45 s`. */
export function span(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return pair(minutes, 'min', seconds % 60, 's')
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return pair(hours, 'h', minutes % 60, 'min')
  return pair(Math.floor(hours / 24), 'days', hours % 24, 'h')
}

/** Bytes in the largest unit that leaves a digit before the point. */
export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let [size, unit] = [value, 0]
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024
    unit++
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}

/** The first `most` of several texts on a line: `a, b, …`. */
export function firstFew(texts: readonly string[], most: number): string {
  return `${texts.slice(0, most).join(', ')}${texts.length > most ? ', …' : ''}`
}

/** `1 reject`, `2 rejects`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

/** Orders texts by their code units, so the same on every machine. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Pairs of name and count, most first, equal ones by name. Those that count nothing are left out. */
export function mostFirst(entries: Iterable<readonly [string, number]>): (readonly [string, number])[] {
  return [...entries].filter(([, count]) => count > 0).sort(([a, n], [b, m]) => m - n || compareTexts(a, b))
}
