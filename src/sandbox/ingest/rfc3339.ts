const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:([Zz])|([+-])(\d\d):(\d\d))$/

/** Microseconds since the epoch of a strict RFC 3339 time, which has an offset; undefined for anything else. */
export function parseRfc3339(text: string): bigint | undefined {
  const match = RFC3339.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', , sign, hours = 0, minutes = 0] = match
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  // A member that is out of range carries into the next one.
  if (date.toISOString().slice(0, 19) !== `${year}-${month}-${day}T${hour}:${minute}:${second}`)
    return undefined
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  const micros = BigInt(fraction.padEnd(6, '0').slice(0, 6))
  return (BigInt(date.getTime()) - BigInt(offset) * 60_000n) * 1000n + micros
}
