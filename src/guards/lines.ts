import { remedyOf } from '../checks/words/rejects.ts'
import { sum } from '../text/lists.ts'
import { number, plural } from '../text/words.ts'
import { guardOf } from './guard.ts'

const OTHER_FORM =
  'posthaul init writes a mapping file for records of another form, and transform makes events of them by it'

export const ALL_REJECTED = 'all_rejected'

/** Whether files hold a line that can be sent. */
export const LINES = guardOf({
  restsOn: 'data',
  codes: {
    all_rejected: {
      level: 'error',
      means: 'no line of the files can be sent',
      remedy: OTHER_FORM,
      accepted: 'the lines become rejects, and nothing is sent',
    },
  },
  look({ lines }, found) {
    const ranked = Object.entries(lines?.rejects ?? {}).sort(([, a], [, b]) => b - a)
    const count = sum(ranked, ([, rejected]) => rejected)
    if (!lines || lines.sent > 0 || count === 0) return []
    const [reason, most] = ranked[0]!
    const share = ranked.length > 1 ? `, ${number(most)} of them as ${reason}` : ` as ${reason}`
    return [
      found('all_rejected', {
        count,
        names: ranked.map(([name]) => name),
        example: lines.example,
        text: `no line can be sent: ${plural(count, 'line is', 'lines are')} rejected${share}`,
        remedy: `${remedyOf(reason)}; ${OTHER_FORM}`,
      }),
    ]
  },
})
