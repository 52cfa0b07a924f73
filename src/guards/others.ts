import { doubledOf, othersOf, stands } from '../checks/project-side.ts'
import { othersLines } from '../checks/words/of-service.ts'
import { CUT_OTHERS } from '../record/merging.ts'
import { guardOf } from './guard.ts'

const OWN_AGAIN =
  'go on with the mapping file that made what is there; import the new events into another project; or let posthaul undo ask PostHog to delete what was sent'

/** Whether a dataset's events would stand beside others. */
export const OTHERS = guardOf({
  restsOn: 'project',
  codes: {
    other_imports: {
      level: 'error',
      means:
        'the project holds these days by another import, other events with these ids, or these events with other ids',
      remedy: CUT_OTHERS,
      accepted: 'events are added to what is there',
    },
    days_unasked: {
      level: 'note',
      means: 'it is not known what the project holds of these days',
      remedy: 'set POSTHOG_PERSONAL_API_KEY (scopes project:read and query:read)',
    },
  },
  look: ({ held, unaskedDays }, found) => [
    held?.held !== undefined &&
      stands(held) &&
      found('other_imports', {
        count: othersOf(held) + doubledOf(held.held),
        names: held.days.filter(({ others }) => others > 0).map(({ day }) => day),
        text: othersLines(held).join('; '),
        ...(othersOf(held) === 0 && { remedy: OWN_AGAIN }),
      }),
    unaskedDays !== undefined &&
      found('days_unasked', {
        count: unaskedDays.length,
        names: unaskedDays,
        text: "without a personal key it can't be told whether another import has sent events of these days",
      }),
  ],
})
