import type { Outcome, ReasonRow } from '../../../studio/studio-data.ts'
import { number, plural } from '../../../text/words.ts'
import { Notice, shortName } from '../../kit/parts.tsx'
import { percent } from '../../kit/words.ts'
import { hrefOf } from '../place.ts'
import { useShown } from '../session.ts'

/** Records that become no event: those that can't, and those that a rule leaves out. */
export function RejectsView() {
  const { rejects, filtered, counts } = useShown().moment.model
  return (
    <>
      {rejects.length === 0 ? (
        <Notice level="good" title="No record of the sample is rejected" />
      ) : (
        <p class="soft">
          {plural(counts.rejected, 'record')} of the sample ({percent(counts.rejected / counts.made)}) can't
          become an event. In a transform they are kept with their reasons in rejects.ndjson.
        </p>
      )}
      {rejects.map((row) => (
        <Reason key={row.reason} row={row} outcome="rejected" />
      ))}
      <h3>Left out on purpose</h3>
      {filtered.length === 0 && <p>No rule leaves a record out.</p>}
      {filtered.map((row) => (
        <Reason key={row.reason} row={row} outcome="filtered" />
      ))}
    </>
  )
}

function Reason({ row, outcome }: { row: ReasonRow; outcome: Outcome }) {
  const id = `reason-${outcome}-${row.reason}`
  const records = (record = ''): string => hrefOf('records', { outcome, reason: row.reason, record })
  return (
    <section class="card" aria-labelledby={id}>
      <h3 id={id}>
        <code>{row.reason}</code> <span class="soft">{plural(row.count, 'record')}</span>
      </h3>
      {row.message !== '' && <p>{shortName(row.message, 500)}</p>}
      {row.remedy !== null && (
        <p>
          <strong>What to do:</strong> {row.remedy}.
        </p>
      )}
      <ul class="bare line">
        {row.examples.map(({ record, message }) => (
          <li key={record}>
            <a href={records(String(record))}>Record {number(record + 1)}</a>
            {message !== row.message && <span class="soft"> {shortName(message, 200)}</span>}
          </li>
        ))}
        <li>
          <a href={records()}>
            All {number(row.count)}
            <span class="unseen"> of {row.reason}</span>
          </a>
        </li>
      </ul>
    </section>
  )
}
