import { PERSONLESS, type Remarks, VIA_WORDS, type Via } from '../../delivery/index.ts'
import { fold, plural, REMARK } from '../../text/index.ts'
import { allNames } from '../summary.ts'

/** The route of an import, if it is not the usual one. */
export function viaLines(via: Via): string[] {
  return via === 'batch' ? [] : [`  by        ${VIA_WORDS[via]}`]
}

/** What Capture V1 said of events that it took, and of how many it said nothing known. `verify`: the command that verifies, if it is known. */
export function remarkLines({ warnings, unmerged, unknown }: Remarks, verify?: string): string[] {
  const { [PERSONLESS]: personless = 0, ...others } = warnings
  const warn = (text: string) => fold(text, REMARK, '  warning   ')
  const lines: string[] = []
  if (personless > 0) {
    lines.push(...warn(`stored without person and groups: ${plural(personless, 'event')} (${PERSONLESS})`))
  }
  const lost = allNames(unmerged)
  if (lost !== '') lines.push(...warn(`these merged no people, and changed no person or group: ${lost}`))
  const said = allNames(others)
  if (said !== '') lines.push(...warn(`stored, with a warning of the service: ${said}`))
  if (unknown > 0) {
    const look = verify === undefined ? 'compare the counts in the project' : `${verify} tells`
    lines.push(
      ...warn(`unconfirmed: the service gave no known answer for ${plural(unknown, 'event')}; ${look}`),
    )
  }
  return lines
}

/** The same for the JSON of a summary. */
export function remarksJson(via: Via, { warnings, unmerged, unknown }: Remarks) {
  return { via, warnings: { ...warnings }, unmerged: { ...unmerged }, unknown_answers: unknown }
}
