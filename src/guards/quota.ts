import { beyond } from '../checks/project-side.ts'
import { OVER_QUOTA, overText, shortText } from '../checks/words/of-service.ts'
import { guardOf } from './guard.ts'

/** Whether the project's quota has room for the events. */
export const QUOTA = guardOf({
  restsOn: 'project',
  codes: {
    over_quota: {
      level: 'error',
      means: 'the project is over its quota: PostHog says Ok and drops events',
      remedy: OVER_QUOTA,
      accepted: 'events are sent, and most likely dropped; the import pauses once none arrives',
    },
    quota_short: {
      level: 'warning',
      means: 'the import needs more events than are left of the quota',
      remedy: 'raise the limit on the billing page before you import, or import in parts, one a period',
    },
    quota_reached: {
      level: 'warning',
      means: 'the project was over its quota as an import ended: PostHog dropped what came then',
      remedy: 'look at the billing page, then posthaul verify, which names the events that are missing',
    },
  },
  look: ({ quota, quotaAtEnd: end }, found) => {
    if (end?.limited) {
      const text = `${overText(end)} as the import ends: PostHog says Ok and drops what comes then, so that events of this run may be lost`
      return [found('quota_reached', { count: 1, text })]
    }
    if (!quota?.there) return []
    const { there, events, sent } = quota
    // What was sent before is not needed again.
    const needed = events === undefined ? 0 : Math.max(0, events - sent)
    const short = beyond(there, needed)
    return [
      there.limited && found('over_quota', { count: needed, text: overText(there) }),
      !there.limited && short > 0 && found('quota_short', { count: short, text: shortText(there, short) }),
    ]
  },
})
