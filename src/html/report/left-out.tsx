import type { ImportPart, RejectsPart, ReportData } from '../../commands/report/report-data.ts'
import type { EventsManifest } from '../../store/manifest.ts'
import { number, plural } from '../../text/words.ts'
import { FactList, Name } from '../kit/parts.tsx'
import { LongTable, right, TableView } from '../kit/table.tsx'
import { MOST_ROWS, Tally } from './lists.tsx'

/** What an input left out, on purpose or because the service would refuse it. */
interface LeftOut {
  readonly input: string
  /** Records (events of an import) by the rule that left them out. */
  readonly records: Readonly<Record<string, number>>
  /** Members of the records that are in no event, and why. */
  readonly members: readonly (readonly [path: string, why: string, count: number])[]
  /** What was changed to be taken at all: names cut, lone surrogates. */
  readonly mends: Readonly<Record<string, number>>
  readonly duplicate?: number
  readonly earlier?: number | undefined
}

export function leftOutOf({ datasets, imports }: Pick<ReportData, 'datasets' | 'imports'>): LeftOut[] {
  return [
    ...datasets.flatMap(({ name, manifest }) =>
      manifest.kind === 'events' ? transformLeftOut(name, manifest) : [],
    ),
    ...imports.map(importLeftOut).filter((one) => !isNothing(one)),
  ]
}

const LEFT = 'left out: '

function transformLeftOut(input: string, manifest: EventsManifest): LeftOut {
  const { members, filtered: records, events, mends, source } = manifest
  const zone = source.source_timezone ?? "the source's zone"
  // Times in an hour that clocks had twice say whose clocks.
  const named = Object.entries(mends).map(([kind, count]) => [
    kind.startsWith('clock_') ? `${kind} (${zone})` : kind,
    count,
  ])
  return {
    ...{ input, records, duplicate: events.duplicate, earlier: events.earlier },
    members: Object.entries(members)
      .flatMap(([path, fates]) =>
        Object.entries(fates)
          .filter(([fate]) => fate.startsWith(LEFT))
          .map(([fate, count]) => [path, fate.slice(LEFT.length), count] as const),
      )
      .sort((a, b) => b[2] - a[2]),
    mends: Object.fromEntries(named),
  }
}

function importLeftOut({ state: { input, filters, notes } }: ImportPart): LeftOut {
  return {
    ...{ input: input.name, records: filters, mends: { ...notes.mends } },
    members: Object.entries(notes.ignored_members).map(
      ([path, count]) => [path, 'not read by the service', count] as const,
    ),
  }
}

function isNothing({ records, members, mends, duplicate = 0, earlier = 0 }: LeftOut): boolean {
  const counts = [...Object.values(records), ...Object.values(mends)]
  return members.length === 0 && duplicate + earlier === 0 && counts.every((count) => count === 0)
}

/** What is in no event, and by which rule. */
export function LeftOutOfInput({ part }: { part: LeftOut }) {
  const { records, members, duplicate = 0, earlier = 0 } = part
  const mends = Object.entries(part.mends).filter(([, count]) => count > 0)
  const more = members.length - MOST_ROWS
  return (
    <>
      {isNothing(part) && <p>Nothing was left out.</p>}
      <FactList
        facts={[
          [
            'Duplicates',
            duplicate > 0 &&
              `${plural(duplicate, 'event')} that the input holds more than once; one of each was kept`,
          ],
          ['Moved before', earlier > 0 && `${plural(earlier, 'event')} that an earlier dataset has`],
        ]}
      />
      <Tally
        caption="Records left out, by the rule that did it."
        label="rule"
        unit="records"
        counts={records}
      />
      {members.length > 0 && (
        <LongTable
          what="parts of records"
          caption={`Parts of records that are in no event, and why.${more > 0 ? ` ${plural(more, 'other part')} not shown: manifest.json has them.` : ''}`}
          columns={[{ label: 'part of a record' }, { label: 'why' }, right('times')]}
          rows={members.slice(0, MOST_ROWS)}
        />
      )}
      {mends.length > 0 && (
        <TableView
          caption="What PostHog would have refused was mended, and nothing else was changed."
          columns={[{ label: 'mend' }, right('times')]}
          rows={mends.map(([name, count]) => [name, number(count)])}
        />
      )}
    </>
  )
}

/** What could not be taken, by reason. */
export function Rejected({ part: { stage, total, file, reasons } }: { part: RejectsPart }) {
  return (
    <>
      <p>
        {plural(total, 'record')} rejected by {stage}, in <Name text={file} most={120} />.
      </p>
      <Tally caption="Rejected records by reason." label="reason" unit="records" counts={reasons} />
    </>
  )
}
