import { plural } from '../../../text/index.ts'
import { Figures } from '../../kit/figures.tsx'
import { Name } from '../../kit/name.tsx'
import { TableView } from '../../kit/table.tsx'
import { hrefOf } from '../place.ts'
import type { ViewProps } from '../session.ts'

/** Whom the events belong to, and which ids become one person. */
export function PeopleView({ moment }: ViewProps) {
  const { distinctIds, anonymousIds, joined, persons, merges } = moment.model.people
  return (
    <>
      <p class="lead">
        PostHog makes one person of ids that a record links. Check the largest: an id that many people share,
        such as a test account or a device in a shop, makes one person of them all, and that can't be undone.
      </p>
      {!moment.input.whole && (
        <p>A sample misses links: the whole input joins more ids than are counted here.</p>
      )}
      <Figures
        figures={[
          { label: 'Persons', value: persons, meaning: 'once all ids are joined' },
          { label: 'Distinct ids', value: distinctIds, meaning: 'that events have' },
          { label: 'Anonymous ids', value: anonymousIds, meaning: 'of devices and browsers' },
          { label: 'Joined', value: joined, meaning: 'anonymous ids that get a person' },
        ]}
      />
      {merges.length === 0 ? (
        <p>No record links two ids.</p>
      ) : (
        <div class="merges">
          <TableView
            caption={`The ${plural(merges.length, 'person', 'persons')} of most ids`}
            columns={[
              { label: 'Some of the ids' },
              { label: 'Ids', align: 'right' },
              { label: 'Events', align: 'right' },
            ]}
            rows={merges.map(({ ids, events, examples }) => [
              <ul key="ids" class="bare">
                {examples.map((id) => (
                  <li key={id}>
                    <a href={hrefOf('records', { text: id })}>
                      <Name text={id} />
                    </a>
                  </li>
                ))}
              </ul>,
              ids,
              events,
            ])}
          />
        </div>
      )}
    </>
  )
}
