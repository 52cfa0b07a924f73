import type { ReportData } from '../../commands/report/report-data.ts'
import { number, plural } from '../../text/words.ts'
import { Name } from '../kit/parts.tsx'
import { LongTable, right } from '../kit/table.tsx'
import { percent } from '../kit/words.ts'

type Trials = NonNullable<ReportData['trials']>

/** A trial beside its whole: how much of it, and the share of each name in both. */
export function TrialSection({ parts }: { parts: Trials }) {
  return (
    <>
      {parts.slice(0, 20).map(({ trial, whole, people, events, days, names, otherNames, absent }) => (
        <>
          <h3>
            <Name text={trial} most={80} /> beside <Name text={whole} most={80} />
          </h3>
          <p>
            {plural(people, 'person', 'people')}: {number(events[0])} of {plural(events[1], 'event')}, on{' '}
            {number(days[0])} of {plural(days[1], 'day')}.{' '}
            {absent > 0 &&
              `${plural(absent, 'name')} of the whole ${absent === 1 ? 'is' : 'are'} not in the trial.`}
          </p>
          <LongTable
            what="names"
            caption="a row a name, the most frequent of the whole first"
            columns={[{ label: 'name' }, ...['trial', 'share', 'whole', 'share'].map(right)]}
            rows={names.map(({ name, counts, shares }) => [
              <Name text={name} most={80} />,
              ...[0, 1].flatMap((side) => [number(counts[side]!), percent(shares[side]!)]),
            ])}
          />
          {otherNames > 0 && <p class="soft">{plural(otherNames, 'rarer name')} are in both manifests.</p>}
        </>
      ))}
    </>
  )
}
