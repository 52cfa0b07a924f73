import { basename } from 'node:path'
import { hiddenText } from '../../checks/words/of-service.ts'
import type { SavedVerdict } from '../../imports/verified.ts'
import { isRejectsName } from '../../inputs/list.ts'
import type { EventsManifest, Manifest } from '../../store/manifest.ts'
import { inputList } from '../../store/source-inputs.ts'
import { sum } from '../../text/lists.ts'
import { number, plural } from '../../text/words.ts'
import {
  type ImportPart,
  MOST_DIFFERENCES,
  type ReportData,
  type ReportFigure,
  type ReportVerdict,
} from './report-data.ts'

type Parts = Pick<ReportData, 'datasets' | 'imports' | 'proof' | 'rejects'>

/** What it comes to: the proof if there is one, else how far the import is, else what was made. */
export function verdictOf({ proof, imports, datasets }: Parts): ReportVerdict | undefined {
  for (const { undo: text, standing } of imports)
    if (text !== undefined) return { level: 'warning', title: `An import is ${standing}.`, text }
  if (proof) return proven(proof.found)
  if (imports.length > 0) return sentSoFar(imports)
  const made = manifestsOf(datasets)
  if (made.length > 0) {
    const written = sum(made, ({ events }) => events.written)
    return {
      level: 'note',
      title: `${plural(written, 'event')} ${isAre(written)} made; no import of ${written === 1 ? 'it' : 'them'} was found.`,
      text: 'Nothing is sent yet, or the import keeps its state elsewhere: report takes the same --state or --checkpoint as the import.',
    }
  }
  return datasets.length === 0
    ? undefined
    : { level: 'note', title: 'The records are exported, and no events are made yet.' }
}

function manifestsOf(datasets: Parts['datasets']): EventsManifest[] {
  return datasets.flatMap(({ manifest }) => (manifest.kind === 'events' ? manifest : []))
}

function proven(found: SavedVerdict): ReportVerdict {
  const { here, service, missing, unknown, moved, doubled } = found.events
  if (found.equal) {
    return {
      level: 'good',
      title: `${here === 1 ? 'The event is' : `All ${number(here)} events are`} in PostHog, exactly.`,
      ...(found.hidden && { text: `${hiddenText(found.hidden)}.` }),
    }
  }
  if (here === 0 && found.differences.length === 0) {
    const text = found.hidden && `${hiddenText(found.hidden)}.`
    return { level: 'warning', title: 'No event could be compared.', ...(text && { text }) }
  }
  const lacking = missing ?? Math.max(0, here - service)
  const surplus = unknown ?? Math.max(0, service - here)
  const parts = [
    ...(lacking > 0 ? [`${plural(lacking, 'event')} of these datasets ${isAre(lacking)} missing there`] : []),
    ...(surplus > 0 ? [`${plural(surplus, 'event')} there ${isAre(surplus)} not of these datasets`] : []),
    ...(moved ? [`${plural(moved, 'event')} ${isAre(moved)} there at another time of the day`] : []),
    ...(found.hidden ? [hiddenText(found.hidden)] : []),
    ...(doubled ? [`${plural(doubled, 'event')} there ${isAre(doubled)} counted more than once`] : []),
    ...(found.values && found.values.changed > 0
      ? [
          `${plural(found.values.changed, 'event')} of a sample ${found.values.changed === 1 ? 'has' : 'have'} other values`,
        ]
      : []),
  ]
  return {
    level: lacking > 0 ? 'error' : 'warning',
    title: 'PostHog does not hold the same events.',
    text: `${parts.join('; ') || 'Some differ'}.`,
  }
}

function sentSoFar(imports: readonly ImportPart[]): ReportVerdict {
  const sent = sum(imports, ({ state }) => state.counts.delivered)
  if (imports.some(({ standing }) => standing !== 'done')) {
    const pending = sum(imports, (one) => one.pending ?? 0)
    return {
      level: 'warning',
      title: `The import is not finished: ${plural(sent, 'event')} ${isAre(sent)} sent so far.`,
      ...(pending > 0 && { text: `${plural(pending, 'event')} ${isAre(pending)} left to send.` }),
    }
  }
  return {
    level: 'note',
    title: `All is sent: ${plural(sent, 'event')}.`,
    text: 'Nothing here says that they arrived: posthaul verify proves it.',
  }
}

/** Without it, more events in PostHog than in the datasets would look like a fault. */
function ownOf(here: number, own: number): string {
  if (own === 0 || own > here) return ''
  return `: ${number(here - own)} of the datasets, and ${number(own)} that the import made itself`
}

function isAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}

/** The numbers to read first, of what is known. */
export function figuresOf({ datasets, imports, proof, rejects }: Parts): ReportFigure[] {
  const made = manifestsOf(datasets)
  const own = sum(imports, ({ state }) => state.own.events)
  // The manifests and checkpoints have these counts, the files of rejects only what is left in them.
  const unmade = sum(made, ({ records, events }) => records.rejected + events.rejected)
  const refused = sum(imports, ({ state }) => state.counts.rejected)
  const kept = sum(rejects, ({ total }) => total)
  const counted = Math.max(unmade + refused, kept)
  // Records of a dataset that was made of the rejects of others are those of the others. Alone it is a dataset like any.
  const firsts = made.filter((one) => !isOfRejects(one))
  const again = firsts.length === 0 ? [] : made.filter(isOfRejects)
  const read = sum(again, ({ records }) => records.read)
  const mended = Math.min(counted, read)
  const rejected = counted - mended
  const figures: (ReportFigure | false)[] = [
    made.length > 0 && {
      label: 'Records read',
      value: sum(again.length > 0 ? firsts : made, ({ records }) => records.read),
      meaning: 'records of the source, whatever became of them',
    },
    made.length > 0 && {
      label: 'Events made',
      value: sum(made, ({ events }) => events.written),
      meaning: 'events in the datasets',
    },
    imports.length > 0 && {
      label: 'Events sent',
      value: sum(imports, ({ state }) => state.counts.delivered),
      meaning: `events that PostHog acknowledged${own === 0 ? '' : `, besides ${number(own)} that the import made itself`}`,
    },
    proof !== undefined && {
      label: 'Events in PostHog',
      value: proof.found.events.service - (proof.found.events.unknown ?? 0),
      meaning: `of the ${number(proof.found.events.here)} that should be there${ownOf(proof.found.events.here, own)}`,
      level: proof.found.equal ? 'good' : 'error',
    },
    {
      label: 'Rejected',
      value: rejected,
      meaning: rejectedMeaning(counted, unmade, refused, mended),
      level: rejected === 0 ? 'good' : 'warning',
    },
  ]
  return figures.filter((figure) => figure !== false)
}

function rejectedMeaning(counted: number, unmade: number, refused: number, mended: number): string {
  if (counted === 0) return 'nothing was refused'
  const by = [
    ...(unmade > 0 ? [`${number(unmade)} by transform`] : []),
    ...(refused > 0 ? [`${number(refused)} in the import`] : []),
    ...(mended > 0 ? [`less ${number(mended)} that were transformed again`] : []),
  ]
  return `${by.length > 0 ? `${by.join(', ')}; ` : ''}kept, each with its reason`
}

/** True if all inputs of a dataset are files of rejects: its records were counted where they were rejected. */
function isOfRejects({ source }: Manifest): boolean {
  const list = inputList(source) ?? []
  return list.length > 0 && list.every((input) => isRejectsName(basename(input)))
}

/** What the page has no room for, a sentence each. The sums are exact all the same. */
export function reducedNotes({ proof }: Pick<Parts, 'proof'>): string[] {
  const more = (proof?.found.differences.length ?? 0) - MOST_DIFFERENCES
  return more > 0 ? [`${plural(more, 'more difference')} are in the output of posthaul verify --json`] : []
}
