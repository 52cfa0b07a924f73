import type { FillPart, FillRow, LeftOutPart } from '../../commands/report/report-data.ts'
import { number, plural } from '../../text/words.ts'
import { FactList, Name } from '../kit/parts.tsx'
import { BarList, right, TableView } from '../kit/table.tsx'
import { FoldedPart, Some, TopCountsList } from './fold.tsx'

/** What is in no event, and by which rule. */
export function LeftOutSection({ parts }: { parts: readonly LeftOutPart[] }) {
  return (
    <Some things={parts} most={12} one="input" name={({ input }) => input}>
      {(part) => <Input part={part} />}
    </Some>
  )
}

function Input({ part }: { part: LeftOutPart }) {
  const { records, members, mends } = part
  const isNothing = records.top.length + members.length + mends.length + part.duplicate + part.earlier === 0
  return (
    <>
      {isNothing && <p>Nothing was left out.</p>}
      <FactList
        facts={[
          [
            'Duplicates',
            part.duplicate > 0 &&
              `${plural(part.duplicate, 'event')} that the input holds more than once; one of each was kept`,
          ],
          [
            'Moved before',
            part.earlier > 0 && `${plural(part.earlier, 'event')} that an earlier dataset has`,
          ],
        ]}
      />
      {records.top.length > 0 && (
        <TopCountsList
          caption="Records left out, by the rule that did it."
          label="rule"
          unit="records"
          counts={records}
        />
      )}
      {members.length > 0 && (
        <FoldedPart rows={members.slice(0, 100)} what="parts of records">
          {(rows) => (
            <TableView
              caption={`Parts of records that are in no event, and why.${part.otherMembers > 0 ? ` ${plural(part.otherMembers, 'other part')} not shown.` : ''}`}
              columns={[{ label: 'part of a record' }, { label: 'why' }, right('times')]}
              rows={rows.map(({ name, fate, count }) => [name, fate, count])}
            />
          )}
        </FoldedPart>
      )}
      {mends.length > 0 && (
        <TableView
          caption="What PostHog would have refused was mended, and nothing else was changed."
          columns={[{ label: 'mend' }, right('times')]}
          rows={mends.slice(0, 50).map(({ name, count }) => [name, number(count)])}
        />
      )}
    </>
  )
}

const MOST_ROWS = 60

/** How many records had each member, and how many events have each property. */
export function FillSection({ parts }: { parts: readonly FillPart[] }) {
  return (
    <Some things={parts} most={6} one="dataset" name={({ dataset }) => dataset}>
      {(part) => (
        <div class="sides">
          <div class="fates">
            <FoldedPart rows={part.before.slice(0, MOST_ROWS)} what="parts of records">
              {(rows, isRest) => (
                <BarList
                  caption={`Before: of ${plural(part.records, 'record')}, how many have it.${isRest ? others(part.before, part.beforeOthers) : ''}`}
                  columns={{ label: 'in the record', share: 'filled', more: ['became'] }}
                  rows={rows.map((row) => ({
                    label: <Name text={row.name} />,
                    share: row.share,
                    cells: [fatesText(row)],
                  }))}
                />
              )}
            </FoldedPart>
          </div>
          <div>
            <FoldedPart rows={part.after.slice(0, MOST_ROWS)} what="properties">
              {(rows, isRest) => (
                <BarList
                  caption={`After: of ${plural(part.events, 'event')}, how many have it.${isRest ? others(part.after, part.afterOthers) : ''}`}
                  columns={{ label: 'property', share: 'filled' }}
                  rows={rows.map(({ name, share }) => ({ label: <Name text={name} />, share }))}
                />
              )}
            </FoldedPart>
          </div>
        </div>
      )}
    </Some>
  )
}

function others(rows: readonly FillRow[], more: number): string {
  const hidden = Math.max(0, rows.length - MOST_ROWS) + more
  return hidden > 0 ? ` ${plural(hidden, 'other one')} not shown.` : ''
}

/** The fates by name; with a count where it is not that of the row. */
function fatesText({ fates = [], count: all }: FillRow) {
  const shown = fates.slice(0, 4)
  return shown.map(({ name, count }, at) => (
    <span key={name}>
      {at > 0 && ', '}
      <Name text={name} />
      {count !== all && ` ${number(count)}`}
    </span>
  ))
}
