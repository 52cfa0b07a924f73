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
  const { vendor = 'the vendor', sentences, unknown, days, names } = counts
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
      <Rows rows={days} one="day" caption={`By day: what ${vendor} counts, and what became of it.`} />
      {names.length > 0 && (
        <Rows
          rows={names}
          one="name"
          caption="By the name that the source gives. An empty column of PostHog: several names became one, or one became several."
        />
      )}
    </>
  )
}

/** Rows of each table: those that differ, and then others. */
const MOST_ROWS = 200

function Rows(props: { rows: readonly CountRow[]; one: string; caption: string }) {
  const { rows, one, caption } = props
  const others = rows.length - MOST_ROWS
  return (
    <>
      <LongTable
        what={`${one}s`}
        caption={caption}
        columns={[{ label: one }, ...COLUMNS.map(([, label]) => right(label))]}
        rows={rows.slice(0, MOST_ROWS).map((row) => [
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
