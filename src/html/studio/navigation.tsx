import { shortNumber } from '../kit/words.ts'
import { hrefOf, VIEWS, type View } from './place.ts'
import type { Moment } from './session.ts'

/** Links to the views, with what there is in each. */
export function Navigation({ view, moment: { model, setup } }: { view: View; moment: Moment }) {
  const questions = (setup?.questions.length ?? 0) + (setup?.missing.length ?? 0)
  const counts: Partial<Record<View, number>> = {
    ...(questions > 0 && { setup: questions }),
    events: model.names.total,
    properties: model.members,
    records: model.counts.records,
    rejects: model.counts.rejected,
    people: model.people.persons,
  }
  return (
    <nav class="views" aria-label="Views">
      <ul>
        {Object.entries(VIEWS).map(([name, label]) => {
          const count = counts[name as View]
          return (
            <li key={name}>
              <a href={hrefOf(name as View)} aria-current={name === view ? 'page' : undefined}>
                {label}
                {count !== undefined && <span class="badge">{shortNumber(count)}</span>}
              </a>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}
