import { number } from '../../text/words.ts'

/** A share of 0 to 1 as a percentage. Only a whole is 100%, and only nothing is 0%. */
export function percent(share: number): string {
  if (!Number.isFinite(share)) return '–'
  if (share <= 0) return '0%'
  if (share < 0.001) return '<0.1%'
  if (share < 1 && share > 0.999) return '>99.9%'
  return `${(share * 100).toFixed(share < 1 ? 1 : 0).replace(/\.0$/, '')}%`
}

/** A number short enough for an axis: `950`, `12 k`, `1.5 M`. */
export function shortNumber(value: number): string {
  for (const [unit, sign] of [
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e4, 'k'],
  ] as const) {
    const scale = sign === 'k' ? 1000 : unit
    if (Math.abs(value) >= unit) return `${Number((value / scale).toPrecision(3))} ${sign}`
  }
  return number(value)
}

/** An instant as `2024-03-01 12:34 UTC`. */
export function instant(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? 'unknown' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
