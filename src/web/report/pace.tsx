import type { PacePart } from '../../report/html/report-data.ts'
import { plural } from '../../report/words.ts'
import { Name, shortName } from '../kit/name.tsx'
import { PaceChart } from '../kit/pace-chart.tsx'
import { Section } from '../kit/section.tsx'
import { Some } from './some.tsx'

/** One point makes no line: what it says is told. */
function meaningOf({ points, pauses }: PacePart): string {
  const [only] = points.length === 1 ? points : []
  const pace = only ? ` All of it in one minute: ${plural(only.perMinute, 'event')}.` : ''
  return `${pauses.length === 0 ? 'Without a pause.' : `With ${plural(pauses.length, 'pause')}.`}${pace}`
}

/** How fast the events were sent, against what was allowed. */
export function Pace({ id, title, parts }: { id: string; title: string; parts: readonly PacePart[] }) {
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
            <PaceChart
              id={`pace-${at}`}
              title={`Events a minute of ${shortName(part.input)}`}
              meaning={meaningOf(part)}
              points={part.points}
              {...(part.capPerMinute === undefined ? {} : { cap: part.capPerMinute })}
              pauses={part.pauses}
            />
          </div>
        )}
      </Some>
    </Section>
  )
}
