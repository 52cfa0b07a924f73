import type { FillPart, FillRow } from '../../report/html/report-data.ts'
import { number, plural } from '../../report/words.ts'
import { BarList } from '../kit/bar-list.tsx'
import { Name } from '../kit/name.tsx'
import { Section } from '../kit/section.tsx'
import { Some } from './some.tsx'

const MOST_ROWS = 60

/** How many records had each member, and how many events have each property. */
export function Fill({ id, title, parts }: { id: string; title: string; parts: readonly FillPart[] }) {
  return (
    <Section
      id={id}
      title={title}
      lead="How often each part of a record is filled in the source, what became of it, and how often each property is filled in the events. A property that is as full after as its origin was before lost nothing."
    >
      <Some things={parts} most={6} one="dataset">
        {(part, at) => (
          <div key={at}>
            <h3>
              <Name text={part.dataset} />
            </h3>
            <div class="sides">
              <BarList
                caption={`Before: of ${plural(part.records, 'record')}, how many have it.${others(part.before, part.beforeOthers)}`}
                columns={{ label: 'in the record', share: 'filled', more: ['became'] }}
                rows={part.before.slice(0, MOST_ROWS).map((row) => ({
                  label: <Name text={row.name} />,
                  share: row.share,
                  cells: [fatesText(row)],
                }))}
              />
              <BarList
                caption={`After: of ${plural(part.events, 'event')}, how many have it.${others(part.after, part.afterOthers)}`}
                columns={{ label: 'property', share: 'filled' }}
                rows={part.after
                  .slice(0, MOST_ROWS)
                  .map(({ name, share }) => ({ label: <Name text={name} />, share }))}
              />
            </div>
          </div>
        )}
      </Some>
    </Section>
  )
}

function others(rows: readonly FillRow[], more: number): string {
  const hidden = Math.max(0, rows.length - MOST_ROWS) + more
  return hidden > 0 ? ` ${plural(hidden, 'other one')} not shown.` : ''
}

/** One fate by its name; several with their counts. */
function fatesText({ fates = [] }: FillRow) {
  const shown = fates.slice(0, 4)
  if (shown.length === 1) return <Name text={shown[0]!.name} />
  return shown.map(({ name, count }, at) => (
    <span key={name}>
      {at > 0 && ', '}
      <Name text={name} /> {number(count)}
    </span>
  ))
}
