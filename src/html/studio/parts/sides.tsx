import type { MemberTrace, PartTrace, PlaceTrace } from '../../../studio/studio-data.ts'
import { Name } from '../../kit/name.tsx'

/** The members of a record left, where they are in the event right, and the rule that moved each between them. */
export function Sides({ part, caption }: { part: PartTrace; caption: string }) {
  const places = part.event?.places ?? []
  const values = new Map(places.map(({ place, value }) => [place, value]))
  const added = places.filter(({ from }) => from.length === 0)
  return (
    <table class="sides">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">In the record</th>
          <th scope="col">Rule</th>
          {part.event !== null && <th scope="col">In the event</th>}
        </tr>
      </thead>
      <tbody>
        {part.members.map((member, at) => (
          <tr
            key={`${at} ${member.path}`}
            class={part.event !== null && isLeftOut(member) ? 'out' : undefined}
          >
            <th scope="row">
              <Pair name={member.path} value={member.cell ?? member.value} />
            </th>
            <td>
              <Rules member={member} />
            </td>
            {part.event !== null && (
              <td>
                {member.to.map((place) => (
                  <Pair key={place} name={place} value={values.get(place) ?? null} />
                ))}
                {member.to.length === 0 && (
                  <span class="soft">{isOpened(member) ? 'its members are below' : 'not in the event'}</span>
                )}
              </td>
            )}
          </tr>
        ))}
        {added.map((place) => (
          <Added key={place.place} place={place} />
        ))}
      </tbody>
    </table>
  )
}

/** True for a member that the event has nothing of. */
export function isLeftOut(member: MemberTrace): boolean {
  return member.to.length === 0 && !isOpened(member)
}

/** True for an object that is nowhere itself, since each of its members has a row. */
function isOpened({ to, fates }: MemberTrace): boolean {
  return to.length === 0 && fates.includes('opened')
}

function Rules({ member: { fates, rules } }: { member: MemberTrace }) {
  return (
    <>
      {fates.map((fate) => (
        <div key={fate}>
          <Name text={fate} />
        </div>
      ))}
      {rules.map((rule) => (
        <div key={rule} class="soft small">
          <Name text={rule} most={100} />
        </div>
      ))}
    </>
  )
}

function Added({ place: { place, value, origin } }: { place: PlaceTrace }) {
  return (
    <tr>
      <th scope="row" class="soft">
        –
      </th>
      <td>
        <div>added</div>
        {origin !== null && (
          <div class="soft small">
            <Name text={origin} most={100} />
          </div>
        )}
      </td>
      <td>
        <Pair name={place} value={value} />
      </td>
    </tr>
  )
}

/** A name and its value as JSON has it; null if the member has no value of its own. */
function Pair({ name, value }: { name: string; value: string | null }) {
  return (
    <div class="pair">
      <Name text={name} most={120} />
      {value !== null && (
        <code>
          <Name text={value} most={200} />
        </code>
      )}
    </div>
  )
}
