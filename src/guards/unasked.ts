import { becauseOf } from '../checks/finding.ts'
import { guardOf } from './guard.ts'

const DOCTOR = 'posthaul doctor says what is wrong with the key, the address and the scopes'

/** Whether the project answered. */
export const UNASKED = guardOf({
  restsOn: 'project',
  codes: {
    project_unasked: {
      level: 'error',
      means: 'a personal key is set, but the project could not be asked',
      remedy: DOCTOR,
      accepted: 'what could not be asked is not checked; while it is unknown whose the key is, nothing is',
    },
  },
  look: ({ unasked = [] }, found) =>
    unasked.map(({ what, error }) => {
      const { remedy = DOCTOR, passes = false } = becauseOf(error)
      const text = [`could not ask ${what}: ${error.message}`, ...error.lines].join('; ')
      return found('project_unasked', { count: 1, text, remedy, passes })
    }),
})
