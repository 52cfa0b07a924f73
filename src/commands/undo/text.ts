import { hiddenBy } from '../../checks/words/of-service.ts'
import { requestWords } from '../../imports/undo-words.ts'
import { fold, hung } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import type { UndoResult } from './result.ts'

const MOST_CELLS = 20

const STAYS =
  'what stays: persons and their properties, groups, definitions, and events without one of these ids. ' +
  'Events that another tool brought under the same uuids are deleted with them: they can not be told apart'

/** The answer in words. */
export function undoLines(result: UndoResult): string[] {
  const { project, events, others, cells, request } = result
  const where = `project ${project.id} (${visible(project.name)})`
  return [
    ...fold(
      `undo: ${plural(events, 'event')} of this import in ${where}, ${result.first} to ${result.last}`,
      '  ',
      '',
    ),
    ...cells.slice(0, MOST_CELLS).map(({ day, event, events: of, others: more }) => {
      const besides = more ? `, ${number(more)} of them not of this import` : ''
      return `  ${day}  ${visible(event)}: ${number(of)}${besides}`
    }),
    ...(cells.length > MOST_CELLS ? [`  and ${number(cells.length - MOST_CELLS)} more days and names`] : []),
    ...(others
      ? hung(
          `not of this import, under the same id: ${plural(others, 'event')} of another import. --request takes none back; with --import-id ${result.import_ids[0]} it takes both`,
        )
      : []),
    ...hiddenLines(result),
    ...hung(STAYS),
    ...(request ? hung(requestWords(request)) : supportLines(result)),
  ]
}

/** Says what the query can't reach. */
function hiddenLines({ hidden }: UndoResult): string[] {
  if (!hidden) return []
  const { events, shown_from: from } = hidden
  const which = events === null ? `events before ${from}` : `${plural(events, 'event')} before ${from}`
  const [are, them] = events === 1 ? ['is', 'it'] : ['are', 'them']
  return hung(
    `not selected: ${which} ${are} ${hiddenBy(hidden)}, so no query finds ${them}; PostHog deletes ${them} later by itself`,
  )
}

function supportLines({ allowed, refusal, query }: UndoResult): string[] {
  const how =
    allowed === false
      ? `the project takes no requests (${refusal}). Ask PostHog's support to delete what this HogQL selects:`
      : "nothing is deleted yet: --request with the project's name asks for it. The HogQL, for PostHog's support or to look at:"
  return [...hung(how), `    ${query}`]
}
