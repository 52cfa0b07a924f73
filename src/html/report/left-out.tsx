import type { LeftOutPart } from '../../jobs/report/report-data.ts'
import { number, plural } from '../../text/index.ts'
import { FactList } from '../kit/facts.tsx'
import { Name } from '../kit/name.tsx'
import { Section } from '../kit/section.tsx'
import { TableView } from '../kit/table.tsx'
import { FoldedPart } from './fold.tsx'
import { Some } from './some.tsx'
import { TopCountsList } from './top-counts.tsx'

/** What is in no event, and by which rule. */
export function LeftOutSection({
  id,
  title,
  parts,
}: {
  id: string
  title: string
  parts: readonly LeftOutPart[]
}) {
  return (
    <Section
      id={id}
      title={title}
      lead="Nothing is left out in silence: each record and each part of a record that did not go along is counted here, with the rule that left it out."
    >
      <Some things={parts} most={12} one="input">
        {(part, at) => <Input key={at} part={part} />}
      </Some>
    </Section>
  )
}

function Input({ part }: { part: LeftOutPart }) {
  const { records, members, mends } = part
  const isNothing = records.top.length + members.length + mends.length + part.duplicate + part.earlier === 0
  return (
    <>
      <h3>
        <Name text={part.input} />
      </h3>
      {isNothing && <p>Nothing was left out.</p>}
      <FactList
        facts={[
          [
            'Duplicates',
            part.duplicate > 0
              ? `${plural(part.duplicate, 'event')} that the input holds more than once; one of each was kept`
              : undefined,
          ],
          [
            'Moved before',
            part.earlier > 0 ? `${plural(part.earlier, 'event')} that an earlier dataset has` : undefined,
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
              columns={[{ label: 'part of a record' }, { label: 'why' }, { label: 'times', align: 'right' }]}
              rows={rows.map(({ name, fate, count }) => [name, fate, count])}
            />
          )}
        </FoldedPart>
      )}
      {mends.length > 0 && (
        <TableView
          caption="What PostHog would have refused was mended, and nothing else was changed."
          columns={[{ label: 'mend' }, { label: 'times', align: 'right' }]}
          rows={mends.slice(0, 50).map(({ name, count }) => [name, number(count)])}
        />
      )}
    </>
  )
}
