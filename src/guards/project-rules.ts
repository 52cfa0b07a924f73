import { unreadText } from '../checks/words/of-service.ts'
import type { RuleDeed } from '../service/project-rules.ts'
import { visible } from '../text/visible.ts'
import { firstFew, plural } from '../text/words.ts'
import { guardOf, MOST_NAMED, namesTold } from './guard.ts'

const SENT_AND_LOST = 'they are sent, and PostHog says Ok and drops them; verify calls them missing'

/** What each deed is found as, and how it is told of events and of the rules that do it. */
const DEEDS = {
  filters: {
    code: 'filtered_events',
    text: (events) => `the project's event filter drops ${events}: PostHog takes them and says Ok`,
  },
  drops: {
    code: 'restricted_events',
    text: (events, rules) =>
      `a restriction of the project (${rules}) drops ${events}: PostHog takes them and says Ok`,
  },
  enforces: {
    code: 'enforced_events',
    text: (events) =>
      `the project enforces a schema of ${events}: PostHog takes them, says Ok, and drops those that do not fit it`,
  },
  would_filter: {
    code: 'dry_filtered_events',
    text: (events) => `the project's event filter is a dry run, and would drop ${events} if it were live`,
  },
  restricts: {
    code: 'bent_events',
    text: (events, rules) => `a restriction of the project (${rules}) is about up to ${events}`,
  },
  transforms: {
    code: 'transformed_events',
    text: (events, rules) =>
      `up to ${events} pass through transformations of the project (${rules}): they may be changed or dropped`,
  },
} as const satisfies Record<RuleDeed, { code: string; text(events: string, rules: string): string }>

/** Whether the project drops or changes what it acknowledges. */
export const PROJECT_RULES = guardOf({
  restsOn: 'project',
  codes: {
    filtered_events: {
      level: 'error',
      means: "the project's live event filter drops events after PostHog said Ok",
      remedy: 'change or disable the filter in the settings of the project, or leave these events out',
      accepted: SENT_AND_LOST,
    },
    restricted_events: {
      level: 'error',
      means: 'a restriction of ingestion drops or holds events after PostHog said Ok',
      remedy: "ask PostHog's support to take the restriction away, or leave these events out",
      accepted: SENT_AND_LOST,
    },
    enforced_events: {
      level: 'error',
      means: 'the project drops events that do not fit an enforced schema; no API key can read it',
      remedy:
        'set the enforcement of these events to allow until the import is done, or compare them with the schema',
      accepted: 'they are sent; those that do not fit are dropped, and verify calls them missing',
    },
    dry_filtered_events: {
      level: 'warning',
      means: "the project's event filter is a dry run: once live, it would drop events",
      remedy: 'keep it a dry run until the import is done',
    },
    bent_events: {
      level: 'warning',
      means: 'a restriction of ingestion stores events without persons, or delays them',
      remedy: "ask PostHog's support what the restriction is for",
    },
    transformed_events: {
      level: 'warning',
      means: 'a transformation of the project may change or drop events',
      remedy: 'switch it off until the import is done, if it is not meant for history',
    },
    rules_unread: {
      level: 'note',
      means: 'this personal key may not read all that drops or changes events',
      remedy: 'give the key the scopes that are named, or look into the settings of the project',
    },
  },
  look: ({ ruled }, found) => {
    if (!ruled) return []
    const { events, unread } = ruled
    return [
      ...(Object.keys(DEEDS) as RuleDeed[]).flatMap((deed) => {
        const match = events.find((one) => one.deed === deed)
        if (!match) return []
        const { code, text } = DEEDS[deed]
        const { names, told } = namesTold(match.names)
        const rules = firstFew(match.rules.map(visible), MOST_NAMED)
        const { count } = match
        return found(code, { count, names, text: text(`${plural(count, 'event')} (${told})`, rules) })
      }),
      unread.length > 0 &&
        found('rules_unread', { count: unread.length, names: unread, text: unreadText(unread) }),
    ]
  },
})
