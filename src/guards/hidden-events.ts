import { hiddenBy } from '../checks/words/of-service.ts'
import { mappingLine } from '../checks/words/wording.ts'
import { sum } from '../text/lists.ts'
import { plural } from '../text/words.ts'
import { guardOf, namesTold } from './guard.ts'

/** Whether the project shows events of all days. */
export const RETENTION = guardOf({
  restsOn: 'project',
  codes: {
    hidden_events: {
      level: 'error',
      means:
        "events are older than the project's retention shows: PostHog takes them, never shows them, and deletes them later",
      remedy: 'let the history begin later, with filter.from in the mapping file, and transform again',
      accepted: 'they are sent and never seen; undo can not take them back',
    },
  },
  look: ({ hidden }, found) => {
    if (!hidden) return []
    const { retention, isOfFiles } = hidden
    const days = Object.keys(hidden.days)
      .filter((day) => day < retention.firstDay)
      .sort()
    const count = sum(days, (day) => hidden.days[day]!)
    const { names, told } = namesTold(hidden.names)
    const span = days.length > 1 ? `${plural(days.length, 'day')} (${days[0]} to ${days.at(-1)})` : days[0]
    const begin = mappingLine(`filter: { from: ${retention.firstDay} }`)
    return [
      count > 0 &&
        found('hidden_events', {
          count,
          names,
          text:
            `${plural(count, 'event')} of ${span} would be ${hiddenBy(retention)}, which shows events from ${retention.firstDay} on` +
            `${told === '' ? '' : ` (${told})`}: PostHog takes such events and says Ok, never shows them, and deletes them later`,
          remedy: isOfFiles
            ? `leave them out, ${begin}, with posthaul transform --preset posthog, and import the dataset that it makes`
            : `leave them out, ${begin}, and transform again`,
        }),
    ]
  },
})
