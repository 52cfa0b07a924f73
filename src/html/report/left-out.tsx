import type { LeftOutPart } from '../../commands/report/report-data.ts'
import { number, plural } from '../../text/words.ts'
import { FactList } from '../kit/parts.tsx'
import { LongTable, right, TableView } from '../kit/table.tsx'
import { Some, TopCountsList } from './lists.tsx'

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
        <LongTable
          what="parts of records"
          caption={`Parts of records that are in no event, and why.${part.otherMembers > 0 ? ` ${plural(part.otherMembers, 'other part')} not shown.` : ''}`}
          columns={[{ label: 'part of a record' }, { label: 'why' }, right('times')]}
          rows={members.slice(0, 100).map(({ name, fate, count }) => [name, fate, count])}
        />
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
