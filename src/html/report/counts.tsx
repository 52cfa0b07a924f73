import type { CountRow, CountsPart } from '../../commands/report/report-data.ts'
import { number, plural } from '../../text/words.ts'
import { Name } from '../kit/parts.tsx'
import { LongTable, right } from '../kit/table.tsx'

const COLUMNS = [
  ['vendor', 'vendor counts'],
  ['counted', 'of these exported'],
  ['exported', 'records'],
  ['made', 'events made'],
  ['rejected', 'rejected'],
  ['filtered', 'filtered'],
  ['duplicates', 'duplicates'],
  ['there', 'in PostHog'],
] as const

/** The same history at each place of its way, by day and by name, what differs first. */
export function CountsSection({ counts }: { counts: CountsPart }) {
  const { vendor, sentences, unknown, days, otherDays, names, otherNames } = counts
  const who = vendor === undefined ? 'the vendor' : vendor
  return (
    <>
      {sentences.length === 0 && <p>All numbers that are known add up.</p>}
      <ul>
        {[...sentences, ...unknown].map((line) => (
          <li key={line}>
            <Name text={line} most={600} />
          </li>
        ))}
      </ul>
      <Rows
        rows={days}
        others={otherDays}
        one="day"
        caption={`By day: what ${who} counts, and what became of it.`}
      />
      {names.length > 0 && (
        <Rows
          rows={names}
          others={otherNames}
          one="name"
          caption="By the name that the source gives. An empty column of PostHog: several names became one, or one became several."
        />
      )}
    </>
  )
}

function Rows(props: { rows: readonly CountRow[]; others: number; one: string; caption: string }) {
  const { rows, others, one, caption } = props
  return (
    <>
      <LongTable
        what={`${one}s`}
        caption={caption}
        columns={[{ label: one }, ...COLUMNS.map(([, label]) => right(label))]}
        rows={rows.map((row) => [
          <>
            {row.differs && '≠ '}
            {row.name === null ? <em class="soft">not known</em> : <Name text={row.name} most={80} />}
          </>,
          ...COLUMNS.map(([column]) => (row[column] === undefined ? null : number(row[column]))),
        ])}
      />
      {others > 0 && <p class="soft">And {plural(others, `more ${one}`)}.</p>}
    </>
  )
}
