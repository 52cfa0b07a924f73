import { monthsOf, type Reconciled, type WhenShort } from '../../sources/index.ts'
import { fold, number, plural, REMARK, visible } from '../../text/index.ts'
import type { ExportResult } from './result.ts'

/** How an export compares with the vendor's own counts, or why that is not known. */
export type ReconciledVerdict =
  | { readonly vendor: string; readonly found: Reconciled; readonly whenShort: WhenShort }
  | { readonly vendor: string; readonly reason: string; readonly asked: boolean }

/** An unfinished export has no verdict. */
export function isShort(verdict: ReconciledVerdict | undefined): boolean {
  return verdict !== undefined && 'found' in verdict && verdict.found.short.length > 0
}

/** What to do about days that are short, where the source knows nothing better. */
export const FETCH_AGAIN: WhenShort = {
  text: 'fetch the days again with --refetch; what stays short, only the vendor can explain',
  options: { '--refetch': '' },
}

const MOST_ROWS = 10
const MOST_NAMES = 5

/** The verdict for a person. Nothing if nobody asked for one. */
export function reconciledLines(verdict: ReconciledVerdict): string[] {
  if ('reason' in verdict) {
    if (!verdict.asked) return []
    const text = `nobody knows whether ${verdict.vendor} gave all it has: ${visible(verdict.reason)}`
    return fold(text, REMARK, '  unchecked ')
  }
  const { vendor, found, whenShort } = verdict
  return [
    ...(isShort(verdict) ? shortLines(vendor, found, whenShort) : wholeLines(vendor, found)),
    ...remarks(vendor, found),
  ]
}

function wholeLines(vendor: string, found: Reconciled): string[] {
  const { here, there, days, zone, lastDays, arriving } = found
  if (days === 0) {
    const text = `${plural(lastDays, 'day')} with ${vendor}'s own counts; events of ${lastDays === 1 ? 'it' : 'them'} can still come in later windows, so none of this is final`
    const whole = arriving.length === 0 ? ': nothing is short so far' : ''
    return fold(`${text}${whole}`, REMARK, '  compared  ')
  }
  const text = `nothing is short in ${plural(days, 'day')}${daysOf(zone)}: ${plural(here, 'event')} here, ${number(there)} in ${vendor}'s own counts`
  return fold(text, REMARK, '  compared  ')
}

function shortLines(
  vendor: string,
  { short, days, zone }: Reconciled,
  { text: remedy }: WhenShort,
): string[] {
  const shortDays = new Set(short.map(({ day }) => day))
  const text = `${number(shortDays.size)} of ${plural(days, 'day')}${daysOf(zone)}: ${vendor} counts more events than it gave`
  const months = monthsOf([...shortDays])
  const rows = short.slice(0, MOST_ROWS).flatMap(({ day, event, here, there }) => {
    const name = event === null ? 'other events' : visible(event)
    return fold(`${day} ${name}: ${number(here)} here, ${number(there)} there`, `${REMARK}  `, REMARK)
  })
  const more = short.length - MOST_ROWS
  return [
    ...fold(text, REMARK, '  short     '),
    ...rows,
    ...(more > 0 ? [`${REMARK}and ${number(more)} more, which --json lists`] : []),
    ...(months.length > 1 ? fold(`the months are ${months.join(', ')}`, REMARK) : []),
    ...fold(remedy, REMARK),
  ]
}

function remarks(
  vendor: string,
  { otherDays, lastDays, isZoneKnown, arriving, untold, uncertainParts, uncertainDays }: Reconciled,
): string[] {
  const lines: string[] = []
  const others = otherDays - lastDays
  if (others > 0) {
    const text = `${plural(others, 'other day')} not compared: only a part was exported, or more can still come`
    lines.push(...fold(text, REMARK))
  }
  if (arriving.length > 0) {
    const missing = arriving.reduce((sum, { here, there }) => sum + there - here, 0)
    const shown = [...new Set(arriving.map(({ day }) => day))].join(', ')
    const text = `${vendor} counts ${plural(missing, 'event')} more on days just before the end: ${shown}. Devices send some late, and these come in later windows: export those too${isZoneKnown ? '' : `. Or ${vendor}'s days are of another time zone than UTC, which so few days don't tell`}`
    lines.push(...fold(text, REMARK))
  }
  if (untold.length > 0) {
    const names = untold.slice(0, MOST_NAMES).map(visible).join(', ')
    const text = `${plural(untold.length, 'event name')} not compared, because the vendor's counts lack them: ${names}${untold.length > MOST_NAMES ? ', …' : ''}`
    lines.push(...fold(text, REMARK))
  }
  for (const [count, what] of [
    [uncertainParts, 'part'],
    [uncertainDays, 'day'],
  ] as const) {
    if (count === 0) continue
    const text = `${plural(count, what)} too large to tell copies from events: copies can hide that others are missing`
    lines.push(...fold(text, REMARK))
  }
  return lines
}

function daysOf(zone: string): string {
  return zone === 'UTC' ? '' : ` of ${zone}`
}

/** The verdict as JSON. */
export function reconciledJson(verdict: ReconciledVerdict): ExportResult['reconciled'] {
  const found = 'found' in verdict ? verdict.found : undefined
  return {
    days: found?.days ?? null,
    other_days: found?.otherDays ?? null,
    last_days: found?.lastDays ?? null,
    zone: found?.zone ?? null,
    zone_known: found?.isZoneKnown ?? null,
    events: found ? { here: found.here, vendor: found.there } : null,
    short: found ? rowsOf(found.short) : null,
    arriving: found ? rowsOf(found.arriving) : null,
    untold: found?.untold ?? null,
    uncertain_parts: found?.uncertainParts ?? null,
    uncertain_days: found?.uncertainDays ?? null,
    reason: 'reason' in verdict ? verdict.reason : null,
  }
}

function rowsOf(rows: Reconciled['short']) {
  return rows.map(({ day, event, here, there }) => ({ day, event, here, vendor: there }))
}
