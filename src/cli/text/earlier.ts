import { fold, plural, REMARK, visible } from '../../text/index.ts'
import type { EarlierDataset } from '../../transform/index.ts'

/** What is said beside the count of events that are left out for earlier datasets; undefined if none were named. */
export function earlierRemark(after: readonly EarlierDataset[]): string | undefined {
  if (after.length === 0) return undefined
  return after.length === 1
    ? 'in the dataset of --after already'
    : `in the ${plural(after.length, 'dataset')} of --after already`
}

/** What earlier datasets can't tell, and so is not carried over. */
export function earlierLines(after: readonly EarlierDataset[], forgets: boolean): string[] {
  const silent = after.filter(({ links }) => !links).map(({ location }) => visible(location))
  const warn = (text: string) => fold(text, REMARK, '  warning   ')
  const unlinked = `no links.ndjson in ${silent.join(', ')}: whose its anonymous ids are, and what its groups are like, is not known here and may be said again`
  const unknown =
    'ids of the people to forget that only earlier windows show are not known here: list all ids of theirs'
  return [...(silent.length > 0 ? warn(unlinked) : []), ...(forgets && after.length > 0 ? warn(unknown) : [])]
}

/** The datasets, and whether they have links to carry over. */
export function earlierJson(after: readonly EarlierDataset[]) {
  return after.map(({ location, links }) => ({ dataset: location, links: links !== undefined }))
}
