import { MAX_GROUP_TYPES, type TypeToSend, type YoungerType } from '../checks/groups-seen.ts'
import { secondText } from '../checks/words/of-service.ts'
import { listed } from '../checks/words/wording.ts'
import { MOST_NAMES } from '../record/notes.ts'
import { sum } from '../text/lists.ts'
import { visible } from '../text/visible.ts'
import { number, plural } from '../text/words.ts'
import { guardOf } from './guard.ts'

export const HIDDEN_GROUPS = 'hidden_groups'

/** Whether events will show their groups. */
export const GROUPS = guardOf({
  restsOn: 'project',
  codes: {
    group_types: {
      level: 'error',
      means: 'there would be more than five group types',
      remedy: `only groups of the first ${MAX_GROUP_TYPES} types to arrive are kept; leave the others out with a mapping file`,
    },
    hidden_groups: {
      level: 'error',
      means: 'events are older than their group type in the project',
      remedy:
        "ask PostHog's support to set created_at of the group type to the time of the oldest event, or import into a new project",
      accepted: 'these events never show their group',
    },
    new_group_types: {
      level: 'note',
      means: 'import will make group types that the project does not have',
      remedy: "nothing; a type that you don't want is left out by groups in the mapping file",
    },
    groups_unasked: {
      level: 'note',
      means: 'the group types of the project are not known',
      remedy: 'set POSTHOG_PERSONAL_API_KEY (scopes project:read, group:read and query:read)',
    },
  },
  look({ groups }, found) {
    if (!groups) return []
    const { named, fit, unasked } = groups
    const { tooMany = [], younger = [], missing = [] } = fit ?? {}
    const isWithProject = tooMany.length > named.length
    const types = isWithProject ? tooMany : named
    const isMany = types.length > MAX_GROUP_TYPES
    return [
      isMany &&
        found('group_types', { count: types.length, names: types, text: manyText(types, isWithProject) }),
      younger.length > 0 &&
        found('hidden_groups', {
          count: sum(younger.map(({ hidden }) => hidden)),
          names: younger.map(({ type }) => type),
          text: younger.map(youngerText).join('; '),
        }),
      // With no room for all of them, import makes none.
      missing.length > 0 &&
        !isMany &&
        found('new_group_types', {
          count: missing.length,
          names: missing.map(({ type }) => type),
          text: missing.map(missingText).join('; '),
        }),
      unasked === true &&
        named.length > 0 &&
        found('groups_unasked', { count: named.length, names: named, text: NOBODY_ASKED }),
    ]
  },
})

const NOBODY_ASKED =
  'without a personal key the group types of the project are not known: an event that is older than its group ' +
  'type never shows its group'

function manyText(types: readonly string[], isWithProject: boolean): string {
  const count = types.length
  const n = count < MOST_NAMES ? number(count) : `at least ${number(count)}`
  return `${n} group types${isWithProject ? ', with those of the project' : ''}, but a project has room for ${MAX_GROUP_TYPES}: ${listed(types)}`
}

function youngerText({ type, since, oldest, hidden, atMost }: YoungerType): string {
  return (
    `${atMost ? 'up to ' : ''}${plural(hidden, 'event')} would not show their ${visible(type)}: the project shows this group type ` +
    `only on events from ${secondText(since)} on, and the oldest here is of ${secondText(oldest)}`
  )
}

function missingText({ type, events, oldest }: TypeToSend & { readonly type: string }): string {
  const made = `the project has no group type ${visible(type)} yet: import makes it first, as of ${secondText(oldest)}`
  if (events > 0) return made
  return (
    `${made}. There are only group events of it here, and events that are older than the type never show it: if ` +
    'there are such events, import them before these groups'
  )
}
