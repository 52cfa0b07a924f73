import type { AroundPart } from '../../jobs/index.ts'
import { number } from '../../text/index.ts'
import { Name } from '../kit/parts.tsx'
import { right, TableView } from '../kit/table.tsx'
import { instant } from '../kit/words.ts'

/** What was brought where, and when. */
export function aroundLead({ host, project, at }: AroundPart) {
  return `What a team wrote around its events, as the last push left it in project ${project} of ${host} on ${instant(Date.parse(at))}.`
}

const COUNTS = ['in the folder', 'brought', 'made', 'changed', 'alike', "people's own", 'left', 'by hand']

/** A row a kind. */
export function AroundSection({ part }: { part: AroundPart }) {
  return (
    <>
      <TableView
        caption="Brought by all pushes of the folder; made, changed and found alike by the last. Words that people wrote or took away in PostHog stay as they are; left are those that the mapping leaves out, that wait for events, or that the server refuses."
        columns={[{ label: 'kind' }, ...COUNTS.map(right)]}
        rows={part.kinds.map(({ kind, rows, brought, made, changed, alike, kept, left, byHand }) => [
          kind,
          ...[rows, brought, made, changed, alike, kept, left, byHand].map((count) => number(count)),
        ])}
      />
      <p class="soft">
        The files are in <Name text={part.folder} most={120} />.
        {part.kinds.some(({ byHand }) => byHand > 0) &&
          ' What no API makes again is listed in by-hand.md there.'}
      </p>
    </>
  )
}
