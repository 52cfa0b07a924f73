import { number, plural } from '../text/words.ts'
import { guardOf } from './guard.ts'

/** Whether events would stand beside those that were sent before. */
export const SENT = guardOf({
  restsOn: 'data',
  codes: {
    state_unreadable: {
      level: 'error',
      means: 'the saved state that --restart would forget can not be read',
      remedy: 'go on from the generation before it without --restart, or bring the file back',
      accepted: 'with `--restart`, everything is sent; only equal events merge',
      with: '--restart',
    },
    sent_otherwise: {
      level: 'error',
      means: 'the input is not what this import has sent',
      remedy:
        'take the change of the mapping back and transform again; make the new events in another folder, for another project; or let posthaul undo ask PostHog to delete what was sent',
      accepted: 'with `--restart`, all of it is sent beside what is there',
      with: '--restart',
    },
    sent_before: {
      level: 'error',
      means: 'another import sent these events: the dataset was renamed or copied',
      remedy: 'continue that import: add its --checkpoint',
      accepted: 'everything is sent again, and counted twice',
    },
    mapping_changed: {
      level: 'warning',
      means: 'another mapping file made datasets of `--after`: records that it moves are made again',
      remedy: 'keep the former mapping where windows overlap',
    },
    rules_changed: {
      level: 'error',
      means: 'other rules made the events that are there, or were sent',
      remedy:
        'go on with the posthaul and the mapping file that made them; make the new events in another folder with --out, for another project; or let posthaul undo ask PostHog to delete what was sent',
      accepted: 'the present rules apply; events that were made before stay beside the new ones',
    },
  },
  look: ({ unreadable, sent, copy, rules, othersMap }, found) => [
    othersMap !== undefined &&
      found('mapping_changed', {
        count: othersMap.length,
        names: othersMap,
        text: `another mapping file made ${plural(othersMap.length, 'dataset')} of --after, such as ${othersMap[0]!}: a record of theirs whose id, name, person or day it changes is made again, beside what is there`,
      }),
    unreadable !== undefined && found('state_unreadable', { count: 1, text: unreadable }),
    sent !== undefined &&
      found('sent_otherwise', {
        count: sent.twice,
        names: sent.names,
        text: [
          `${sent.input} is not what was sent: its import has sent ${plural(sent.sent, 'event')} of it as it was before`,
          ...sent.lines,
        ].join('; '),
      }),
    copy !== undefined &&
      found('sent_before', {
        count: copy.delivered,
        text: `the events of ${copy.input} were sent before: ${number(copy.delivered)} of them, says ${copy.checkpoint}`,
        remedy: copy.isGone
          ? 'continue that import: its checkpoint is not there any more; bring back what was moved'
          : `continue that import: add --checkpoint ${copy.checkpoint}`,
      }),
    rules !== undefined &&
      rules.before !== rules.now &&
      found('rules_changed', {
        count: rules.count,
        text: `other rules made ${rules.what} (${rules.before}; now ${rules.now}): their names or ids may differ, and PostHog would keep both`,
      }),
  ],
})
