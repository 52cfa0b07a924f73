import { number, plural } from '../../text/words.ts'
import type { ReportData, ReportFigure, ReportVerdict } from './report-data.ts'

type Parts = Pick<ReportData, 'datasets' | 'imports' | 'proof' | 'rejects'>

/** What it comes to: the proof if there is one, else how far the import is, else what was made. */
export function verdictOf({ proof, imports = [], datasets = [] }: Parts): ReportVerdict | undefined {
  for (const { undo: text, state } of imports)
    if (text !== undefined) return { level: 'warning', title: `An import is ${state}.`, text }
  if (proof) return proven(proof)
  if (imports.length > 0) return sentSoFar(imports)
  const written = sum(datasets, ({ events }) => events?.written ?? 0)
  if (datasets.some(({ kind }) => kind === 'events'))
    return { level: 'note', title: `${plural(written, 'event')} are made, and nothing is sent yet.` }
  return datasets.length === 0
    ? undefined
    : { level: 'note', title: 'The records are exported, and no events are made yet.' }
}

function proven(proof: NonNullable<Parts['proof']>): ReportVerdict {
  const { here, service, missing, unknown, doubled } = proof.events
  if (proof.equal) {
    return {
      level: 'good',
      title: `${here === 1 ? 'The event is' : `All ${number(here)} events are`} in PostHog, exactly.`,
    }
  }
  const lacking = missing ?? Math.max(0, here - service)
  const surplus = unknown ?? Math.max(0, service - here)
  const parts = [
    ...(lacking > 0 ? [`${plural(lacking, 'event')} of these datasets ${isAre(lacking)} missing there`] : []),
    ...(surplus > 0 ? [`${plural(surplus, 'event')} there ${isAre(surplus)} not of these datasets`] : []),
    ...(doubled ? [`${plural(doubled, 'event')} there ${isAre(doubled)} counted more than once`] : []),
    ...(proof.values && proof.values.changed > 0
      ? [
          `${plural(proof.values.changed, 'event')} of a sample ${proof.values.changed === 1 ? 'has' : 'have'} other values`,
        ]
      : []),
  ]
  return {
    level: lacking > 0 ? 'error' : 'warning',
    title: 'PostHog does not hold the same events.',
    text: `${parts.join('; ') || 'Some differ'}.`,
  }
}

function sentSoFar(imports: NonNullable<Parts['imports']>): ReportVerdict {
  const sent = sum(imports, ({ counts }) => counts.delivered)
  if (imports.some(({ state }) => state !== 'done')) {
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
export function figuresOf({ datasets = [], imports = [], proof, rejects = [] }: Parts): ReportFigure[] {
  const ofEvents = datasets.filter(({ kind }) => kind === 'events')
  const wholes = ofEvents.filter(({ trial }) => !trial)
  // The records of a trial are among those of its whole.
  const made = wholes.length > 0 ? wholes : ofEvents
  const own = sum(imports, (one) => one.own.events)
  // The manifests and checkpoints have these counts, the files of rejects only what is left in them.
  const unmade = sum(made, ({ records, events }) => (records.rejected ?? 0) + (events?.rejected ?? 0))
  const refused = sum(imports, ({ counts }) => counts.rejected)
  const kept = sum(rejects, ({ total }) => total)
  const counted = Math.max(unmade + refused, kept)
  // Records of a dataset that was made of the rejects of others are those of the others. Alone it is a dataset like any.
  const firsts = made.filter(({ ofRejects }) => !ofRejects)
  const again = firsts.length === 0 ? [] : made.filter(({ ofRejects }) => ofRejects)
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
      value: sum(made, ({ events }) => events?.written ?? 0),
      meaning: 'events in the datasets',
    },
    imports.length > 0 && {
      label: 'Events sent',
      value: sum(imports, ({ counts }) => counts.delivered),
      meaning: `events that PostHog acknowledged${own === 0 ? '' : `, besides ${number(own)} that the import made itself`}`,
    },
    proof !== undefined && {
      label: 'Events in PostHog',
      value: proof.events.service - (proof.events.unknown ?? 0),
      meaning: `of the ${number(proof.events.here)} that should be there${ownOf(proof.events.here, own)}`,
      level: proof.equal ? 'good' : 'error',
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

/** What the page has no room for, a sentence each. The sums are exact all the same. */
export function reducedNotes({
  rejects,
  proof,
  leftOut,
}: Pick<ReportData, 'rejects' | 'proof' | 'leftOut'>): string[] {
  const notes: string[] = []
  if (proof && proof.moreDifferences > 0)
    notes.push(
      `${plural(proof.moreDifferences, 'more difference')} are in the output of posthaul verify --json`,
    )
  const left = sum(leftOut, ({ otherMembers }) => otherMembers)
  if (left > 0) notes.push(`${plural(left, 'more member')} left out are in manifest.json`)
  const reasons = sum(rejects, ({ otherReasons }) => otherReasons)
  if (reasons > 0) notes.push(`${plural(reasons, 'rarer reason')} are in the files of rejects`)
  if ((rejects ?? []).length > 0)
    notes.push('of each reason at most three rejects are shown, and of each the first 500 characters')
  return notes
}

function sum<T>(list: readonly T[] | undefined, of: (one: T) => number): number {
  return (list ?? []).reduce((total, one) => total + of(one), 0)
}
