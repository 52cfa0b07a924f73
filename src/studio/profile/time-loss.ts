/** The offset, or the abbreviation of one, behind a time of day; the name of the zone or a year may stand behind it. */
const OFFSET =
  /\d[:.h]\d\d.*?(Z|(?:UTC|GMT)?[+-]\d\d(?::?\d\d)?|(?<![A-Za-z])[A-Z]{3,4}|[A-Z][a-z]+\/[\w/+-]+)(?: ?[[(].*[\])]| [A-Z]+| \d{4})?$/i
const BELOW_MICROS = /[.,]\d{6}\d*[1-9]/
const ISO = /^\d{4}-\d\d-\d\d/

/**
 * What times would lose as moments in UTC to the microsecond; undefined when one form gives back the text of each. All
 * are of one format and unit.
 */
export function timeLoss(texts: readonly string[]): string | undefined {
  if (texts.some((text) => BELOW_MICROS.test(text) || (/^\d{19}$/.test(text) && !text.endsWith('000'))))
    return 'times with digits below the microsecond'
  if (texts.some((text) => /^\d{13}\.\d{3}\d*[1-9]/.test(text)))
    return 'times with digits below the microsecond'
  if (new Set(texts.map((text) => OFFSET.exec(text)?.[1] ?? '')).size > 1) return 'times with several offsets'
  const fractions = texts.flatMap((text) => /:\d\d[.,](\d+)/.exec(text)?.[1] ?? [])
  const isShortest = fractions.every((fraction) => !fraction.endsWith('0'))
  const isOneLength =
    fractions.length === texts.length && new Set(fractions.map((fraction) => fraction.length)).size === 1
  if (fractions.length > 0 && !isShortest && !isOneLength) return 'times with fractions of several lengths'
  const shapes = texts.filter((text) => ISO.test(text)).map(shapeOf)
  return new Set(shapes).size > 1 || isPaddedAtTimes(texts) ? 'times in several forms' : undefined
}

/** What is around the digits; a fraction apart, which other rules look at. */
function shapeOf(text: string): string {
  return text.replace(/(:\d\d)[.,]\d+/, '$1').replaceAll(/\d/g, '0')
}

/** True when the same part is `3` in one text, and `03` in another. */
function isPaddedAtTimes(texts: readonly string[]): boolean {
  const [padded, bare] = [new Set<number>(), new Set<number>()]
  for (const text of texts) {
    for (const [i, part] of text.split(/\D+/).entries()) {
      if (/^0\d$/.test(part)) padded.add(i)
      else if (/^\d$/.test(part)) bare.add(i)
    }
  }
  return [...padded].some((i) => bare.has(i))
}
