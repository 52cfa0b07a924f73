/** A share of 0 to 1 as a percentage. Only a whole is 100%, and only nothing is 0%. */
export function percent(share: number): string {
  if (!Number.isFinite(share)) return '–'
  if (share <= 0) return '0%'
  if (share < 0.001) return '<0.1%'
  if (share < 1 && share > 0.999) return '>99.9%'
  return `${(share * 100).toFixed(share < 1 ? 1 : 0).replace(/\.0$/, '')}%`
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

/** A number short enough for an axis: `950`, `12K`, `1.5M`. */
export function shortNumber(value: number): string {
  return COMPACT.format(value)
}

/** An instant as `2024-03-01 12:34 UTC`. */
export function instant(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? 'unknown' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
