import type { Search } from '../../studio/index.ts'
import { nearest, number, plural } from '../../text/index.ts'
import type { Origin } from './origin.ts'
import type { ExplainValues } from './settings.ts'

/** Why no record was found, and what to do: lines for standard error. */
export function notFoundLines(
  { line, uuid, event }: ExplainValues,
  { dataset, isMissing }: Pick<Origin, 'dataset' | 'isMissing'>,
  search: Search | undefined,
  names: Iterable<string>,
): string[] {
  const read = search?.read ?? 0
  const records = plural(read, 'record')
  if (isMissing) {
    return [
      `${dataset} has no event with the uuid ${uuid}`,
      'check the uuid; another dataset may have it, or its rejects',
    ]
  }
  if (uuid !== undefined) {
    return [
      `none of the ${records} becomes the event ${uuid}`,
      'give the options that transform was given (--map, --with, --join, --source-timezone): they decide the uuids. A record whose input was changed since has another one',
    ]
  }
  if (event !== undefined) {
    const meant = nearest(event, names)
    const hint =
      meant === undefined
        ? 'names are compared letter by letter; the summary of transform lists them'
        : `did you mean ${meant}?`
    return [`none of the ${records} is of the event ${event}`, hint]
  }
  if (line === undefined || read === 0) return ['the input holds no record', 'check the path']
  const last = search?.last ?? 0
  if (last > line.line)
    return [
      `number ${number(line.line)} is no record`,
      `the next one is number ${number(last)}: blank lines and headers are counted, and are none`,
    ]
  return [`number ${number(line.line)} is beyond the end`, `the last record is number ${number(last)}`]
}
