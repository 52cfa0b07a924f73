import type { PacePart } from '../../jobs/report/report-data.ts'
import { number, plural } from '../../text/index.ts'
import { Name, shortName } from '../kit/name.tsx'
import { PaceChart } from '../kit/pace-chart.tsx'
import { Section } from '../kit/section.tsx'
import { Some } from './some.tsx'

/** What a chart of one minute without a pause would show; undefined for anything longer. */
function ofOneMinute({ points, pauses, capPerMinute }: PacePart) {
  const last = points.at(-1)
  // The minute's beginning and its end.
  if (last === undefined || points.length > 2 || pauses.length > 0) return undefined
  const cap = capPerMinute === undefined ? '' : `, with ${number(capPerMinute)} allowed`
  return (
    <p>
      All of it took no more than a minute, without a pause: {plural(last.perMinute, 'event')}
      {cap}.
    </p>
  )
}

/** How fast the events were sent, against what was allowed. */
export function PaceSection({ id, title, parts }: { id: string; title: string; parts: readonly PacePart[] }) {
  return (
    <Section
      id={id}
      title={title}
      lead="How many events a minute were delivered. The line stays under the cap; where it is shaded, the import waited."
    >
      <Some things={parts} most={6} one="input">
        {(part, at) => (
          <div key={at}>
            <h3>
              <Name text={part.input} />
            </h3>
            {ofOneMinute(part) ?? (
              <PaceChart
                id={`pace-${at}`}
                title={`Events a minute of ${shortName(part.input)}`}
                meaning={
                  part.pauses.length === 0
                    ? 'Without a pause.'
                    : `With ${plural(part.pauses.length, 'pause')}.`
                }
                points={part.points}
                {...(part.capPerMinute === undefined ? {} : { cap: part.capPerMinute })}
                pauses={part.pauses}
              />
            )}
          </div>
        )}
      </Some>
    </Section>
  )
}
