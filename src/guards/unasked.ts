import { becauseOf } from '../checks/finding.ts'
import { foundBy, type Guard } from './guard.ts'

const codes = {
  project_unasked: {
    level: 'error',
    restsOn: 'project',
    means: 'a personal key is set, but the project could not be asked',
    remedy: 'posthaul doctor says what is wrong with the key, the address and the scopes',
    accepted: 'what could not be asked is not checked; while it is unknown whose the key is, nothing is',
  },
} satisfies Guard['codes']
const found = foundBy(codes)

/** Whether the project answered. */
export const UNASKED: Guard = {
  codes,
  look: ({ unasked = [] }) =>
    unasked.map(({ what, error }) => {
      const { remedy = codes.project_unasked.remedy, passes = false } = becauseOf(error)
      const text = [`could not ask ${what}: ${error.message}`, ...error.lines].join('; ')
      return found('project_unasked', { count: 1, text, remedy, passes })
    }),
}
