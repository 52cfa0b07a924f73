import { folded, number, plural, visible } from '../../text/index.ts'
import type { UndoResult } from './result.ts'

/** A request that deletes, or has deleted, what an import sent. */
export interface UndoSeen {
  readonly request: NonNullable<UndoResult['request']>
  /** The command that says how far it is. */
  readonly follow: string
}

/** True while a request can still delete events. */
export function isAtWork(seen: UndoSeen | undefined): seen is UndoSeen {
  return seen?.request.left === null
}

/** What became of an import that is taken back, in a word or two. */
export function undoneWords({ left }: UndoSeen['request']): 'being taken back' | 'taken back' {
  return left === null ? 'being taken back' : 'taken back'
}

const MOST_CELLS = 20

const STAYS =
  'what stays: persons and their properties, groups, definitions, and events without one of these ids. ' +
  'Events that another tool brought under the same uuids are deleted with them: they can not be told apart'

/** The answer in words. */
export function undoText(result: UndoResult): string {
  const { project, events, others, cells, request } = result
  const where = `project ${project.id} (${visible(project.name)})`
  const lines = [
    folded(
      `undo: ${plural(events, 'event')} of this import in ${where}, ${result.first} to ${result.last}`,
      '  ',
      '',
    ),
    ...cells.slice(0, MOST_CELLS).map(({ day, event, events: of, others: more }) => {
      const besides = more ? `, ${number(more)} of them not of this import` : ''
      return `  ${day}  ${visible(event)}: ${number(of)}${besides}\n`
    }),
    cells.length > MOST_CELLS ? `  and ${number(cells.length - MOST_CELLS)} more days and names\n` : '',
    others
      ? say(
          `not of this import, under the same id: ${plural(others, 'event')} of another import. --request takes none back; with --import-id ${result.import_ids[0]} it takes both`,
        )
      : '',
    say(STAYS),
    request ? say(requestWords(request)) : supportWords(result),
  ]
  return lines.join('')
}

/** How far a request is. */
export function requestWords({ status, id, left }: NonNullable<UndoResult['request']>): string {
  const name = `request${id === null ? '' : ` ${id}`}: ${status}`
  if (status === 'sending')
    return 'a request was sent, and PostHog does not show it: --request sends the same one again; after an hour --status gives it up'
  if (status === 'failed' || status === 'gone') return `${name}; it deletes nothing any more`
  if (left === 0) return `${name}; none of the events is left: import them anew with --restart`
  if (left !== null) return `${name}; left: ${plural(left, 'event')}, which this request does not delete`
  return `${name}; PostHog approves it, and deletes at a weekend. Until then import refuses these events`
}

function supportWords({ allowed, refusal, query }: UndoResult): string {
  const how =
    allowed === false
      ? `the project takes no requests (${refusal}). Ask PostHog's support to delete what this HogQL selects:`
      : "nothing is deleted yet: --request asks for it. The HogQL, for PostHog's support or to look at:"
  return `${say(how)}    ${query}\n`
}

function say(text: string): string {
  return folded(text, '    ', '  ')
}
