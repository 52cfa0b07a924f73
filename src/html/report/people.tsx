import type { PeoplePart } from '../../jobs/report/report-data.ts'
import { number } from '../../text/index.ts'
import { type Figure, Figures } from '../kit/figures.tsx'
import { Section } from '../kit/section.tsx'
import { TableView } from '../kit/table.tsx'

/** Who the history is about, and whether ids that belong together lead to one person. */
export function PeopleSection({ id, title, people }: { id: string; title: string; people: PeoplePart }) {
  return (
    <Section
      id={id}
      title={title}
      lead="Who the history is about. A person may have several ids, one before and one after signing in; merges join them."
    >
      <Figures figures={figuresOf(people)} />
      {people.groups.length > 0 && (
        <TableView
          caption="Groups, such as companies, by type: events here and in PostHog that name a group, and how many groups these are."
          columns={[
            { label: 'type' },
            { label: 'events here', align: 'right' },
            { label: 'events in PostHog', align: 'right' },
            { label: 'groups', align: 'right' },
          ]}
          rows={people.groups
            .slice(0, 20)
            .map(({ type, here, there, keys }) => [type, here ?? '–', there ?? '–', keys ?? '–'])}
        />
      )}
    </Section>
  )
}

function figuresOf(people: PeoplePart): Figure[] {
  const { distinctIdsHere, distinctIdsThere, personsThere, mergeEvents, mergesAsked, mergesApart, putRight } =
    people
  const figures: (Figure | undefined)[] = [
    distinctIdsHere === undefined
      ? undefined
      : {
          label: 'Ids here, about',
          value: distinctIdsHere,
          meaning: 'An estimate: distinct ids in the events that were made.',
        },
    distinctIdsThere === undefined
      ? undefined
      : {
          label: 'Ids in PostHog, about',
          value: distinctIdsThere,
          meaning: 'An estimate: distinct ids of the same events there.',
        },
    personsThere === undefined
      ? undefined
      : { label: 'Persons in PostHog', value: personsThere, meaning: 'What these ids come to, once merged.' },
    mergeEvents === undefined
      ? undefined
      : { label: 'Merges', value: mergeEvents, meaning: 'Events that say that two ids are one person.' },
    mergesAsked === undefined
      ? undefined
      : {
          label: 'Merges looked up',
          value: mergesAsked,
          meaning:
            mergesApart === undefined || mergesApart === 0
              ? 'All of these lead to one person each.'
              : `${number(mergesApart)} of these did not lead to one person.`,
          level: mergesApart ? 'error' : 'good',
        },
    putRight === undefined
      ? undefined
      : {
          label: 'Persons put right',
          value: putRight.persons,
          meaning: `The project had them before, with newer properties; ${number(putRight.equal)} of them are as they should be.`,
          level: putRight.equal === putRight.persons ? 'good' : 'warning',
        },
  ]
  return figures.flatMap((figure) => figure ?? [])
}
