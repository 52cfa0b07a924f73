import type { FillPart, FillRow } from '../../jobs/report/report-data.ts'
import { number, plural } from '../../text/index.ts'
import { BarList } from '../kit/bar-list.tsx'
import { Name } from '../kit/name.tsx'
import { Section } from '../kit/section.tsx'
import { FoldedPart } from './fold.tsx'
import { Some } from './some.tsx'

const MOST_ROWS = 60

/** How many records had each member, and how many events have each property. */
export function FillSection({ id, title, parts }: { id: string; title: string; parts: readonly FillPart[] }) {
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
