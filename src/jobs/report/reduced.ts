import { number, plural } from '../../text/index.ts'
import type { ReportData } from './report-data.ts'

type Parts = Pick<ReportData, 'datasets' | 'days' | 'pace' | 'rejects' | 'proof' | 'fill' | 'leftOut'>

/** What the page has no room for, a sentence each. The sums are exact all the same. */
export function reducedNotes({ days, pace, rejects, proof, fill, leftOut }: Parts): string[] {
  const notes: string[] = []
  const names = Math.max(0, ...(days ?? []).flatMap(({ series }) => series.map((one) => one.names ?? 0)))
  if (names > 0)
    notes.push(`the charts show the most frequent names; ${plural(names, 'other')} are one series`)
  if (proof?.otherNames)
    notes.push(`the map of days has one row for ${plural(proof.otherNames, 'other name')}`)
  if (proof && proof.moreDifferences > 0)
    notes.push(
      `${plural(proof.moreDifferences, 'more difference')} are in the output of posthaul verify --json`,
    )
  const members = sum(fill, ({ beforeOthers, afterOthers }) => beforeOthers + afterOthers)
  if (members > 0)
    notes.push(
      `${plural(members, 'rarer member and property', 'rarer members and properties')} are in manifest.json`,
    )
  const left = sum(leftOut, ({ otherMembers }) => otherMembers)
  if (left > 0) notes.push(`${plural(left, 'more member')} left out are in manifest.json`)
  const reasons = sum(rejects, ({ otherReasons }) => otherReasons)
  if (reasons > 0) notes.push(`${plural(reasons, 'rarer reason')} are in the files of rejects`)
  if ((rejects ?? []).length > 0)
    notes.push('of each reason at most three rejects are shown, and of each the first 500 characters')
  const pauses = sum(pace, ({ otherPauses }) => otherPauses)
  if (pauses > 0) notes.push(`the longest pauses are shown, and ${number(pauses)} shorter ones are not`)
  return notes
}

function sum<T>(list: readonly T[] | undefined, of: (one: T) => number): number {
  return (list ?? []).reduce((total, one) => total + of(one), 0)
}
